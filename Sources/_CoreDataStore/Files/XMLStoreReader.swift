// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Reads the elements of an XML store.
struct XMLStoreReader: MarkupVisitor {
  /// Thrown to end the reading after the metadata; contains what was read.
  struct End: Error {
    let content: StoredContent
  }

  /// What the reader needs to read objects; a reader without a target reads only the metadata.
  struct Target {
    let names: XMLStoreNames
    /// Whether entities and properties that the model does not have are left out.
    let isLenient: Bool
    var builder: ContentBuilder
  }

  private enum Place { case start, database, info, metadata, object }

  private struct Object {
    let entity: EntityDefinition
    let row: ChunkRow
  }

  private struct Member {
    let name: String
    let line: Int
    let property: PropertyDefinition
    var isEncoded = false
    var references: String?
  }

  private var target: Target?
  private var place = Place.start
  /// The number of open elements inside the current place.
  private var depth = 0
  private var plist = MarkupTree(keepsSpace: true)
  private var text = ""
  private var fields: [String: String] = [:]
  private var metadata: StoreMetadata?
  private var metadataPlace: Range<Int>?
  private var metadataStart = 0
  private var object: Object?
  private var member: Member?

  init(_ target: Target?) { self.target = target }

  // MARK: Elements

  mutating func begin(_ tag: MarkupTag) throws {
    text = ""
    switch place {
    case .start:
      guard tag.name == "database" else {
        throw ContentFault("the root element is <\(tag.name)>, not <database>")
      }
      place = .database
    case .database:
      switch tag.name {
      case "databaseInfo": place = .info
      case "object": try beginObject(tag)
      default: throw unexpected(tag)
      }
    case .info:
      depth += 1
      if depth == 1, tag.name == "metadata" {
        place = .metadata
        depth = 0
        metadataStart = tag.start
      }
    case .metadata:
      depth += 1
      plist.begin(tag)
    case .object:
      depth += 1
      guard depth == 1 else { throw unexpected(tag) }
      try beginMember(tag)
    }
  }

  mutating func text(_ text: String) throws {
    if place == .metadata { plist.text(text) } else { self.text += text }
  }

  mutating func end(_ name: String, at position: Int) throws {
    switch place {
    case .metadata where depth > 0:
      depth -= 1
      plist.end(name, at: position)
    case .metadata:
      place = .info
      depth = 0
      guard let node = try PropertyListMarkup.value(of: plist) else {
        throw ContentFault("<metadata> contains no property list")
      }
      metadata = try StoreMetadata(node)
      metadataPlace = metadataStart..<position
    case .info where depth > 0:
      depth -= 1
      fields[name] = text.trimmingCharacters(in: .whitespacesAndNewlines)
    case .info:
      place = .database
      if target == nil { throw End(content: try content()) }
    case .object where depth > 0:
      depth -= 1
      try endMember()
    case .object:
      place = .database
      object = nil
    case .database, .start: break
    }
  }

  private func unexpected(_ tag: MarkupTag) -> ContentFault {
    ContentFault("the element <\(tag.name)> is not expected here", tag.line)
  }

  // MARK: Objects

  private mutating func beginObject(_ tag: MarkupTag) throws {
    place = .object
    depth = 0
    guard let type = tag["type"], let id = tag["id"] else {
      throw ContentFault("an <object> lacks the attribute “type” or “id”", tag.line)
    }
    guard let number = Self.number(id) else {
      throw ContentFault("the id “\(id)” is not of the form “z1”", tag.line)
    }
    guard target != nil else { return }
    guard let index = target?.names.entity(type) else {
      if target?.isLenient == true { return }
      throw ContentFault("the model has no entity for the type “\(type)”", tag.line)
    }
    guard let entity = target?.builder.model.entities[index] else { return }
    do {
      guard let row = try target?.builder.add(entity, number: number) else { return }
      object = Object(entity: entity, row: row)
    } catch let fault as ContentFault {
      throw ContentFault(fault.reason, tag.line)
    }
  }

  private static func number(_ id: some StringProtocol) -> Int64? {
    id.first == "z" ? Int64(id.dropFirst()) : nil
  }

  private mutating func beginMember(_ tag: MarkupTag) throws {
    guard ["attribute", "relationship"].contains(tag.name) else { throw unexpected(tag) }
    guard let target, let object else { return }
    guard let name = tag["name"] else {
      throw ContentFault("an <\(tag.name)> has no name", tag.line)
    }
    let property = target.names.slot(name, in: object.entity.index)
      .map { object.entity.properties[$0] }
    guard let property, (property.attribute != nil) == (tag.name == "attribute") else {
      if target.isLenient { return }
      throw ContentFault(
        "the entity \(object.entity.name) has no \(tag.name) for the name “\(name)”",
        tag.line
      )
    }
    member = Member(
      name: "\(object.entity.name).\(property.name)",
      line: tag.line,
      property: property,
      isEncoded: tag["encoding"] == "base64",
      references: tag["idrefs"]
    )
  }

  private mutating func endMember() throws {
    guard let member, let object else { return }
    self.member = nil
    let property = member.property
    if let attribute = property.attribute {
      guard property.isStored else { return }
      let value = XMLStoreValue(attribute: attribute)
      if !value.read(text, isEncoded: member.isEncoded, to: object.row, property.slot) {
        throw ContentFault(
          "“\(text.prefix(40))” is not a value of \(member.name), whose type is "
            + attribute.type.traits.modelFileName,
          member.line
        )
      }
      return
    }
    let references = (member.references ?? "").split(whereSeparator: \.isWhitespace)
    let numbers = try references.map { reference in
      guard let number = Self.number(reference) else {
        throw ContentFault("the reference “\(reference)” is not of the form “z1”", member.line)
      }
      return number
    }
    if property.isToMany {
      try target?.builder.setMembers(property, to: numbers, at: member.line)
    } else if property.isStored {
      guard numbers.count < 2 else {
        throw ContentFault("the to-one \(member.name) refers to several objects", member.line)
      }
      if let number = numbers.first {
        try target?.builder.setReference(object.row, property, to: number, at: member.line)
      }
    }
  }

  // MARK: Content

  /// Returns the content that was read.
  ///
  /// - Throws: `ContentFault` if the metadata or the UUID is missing, or if a reference is not valid.
  func content() throws -> StoredContent {
    guard var metadata else { throw ContentFault("<databaseInfo> with <metadata> is missing") }
    guard let identifier = fields["UUID"], !identifier.isEmpty else {
      throw ContentFault("<UUID> is missing")
    }
    metadata.values[StoreMetadata.typeKey] = XMLStoreFormat().type
    metadata.values[StoreMetadata.uuidKey] = identifier
    var content = StoredContent(metadata: metadata, identifier: identifier)
    content.metadataPlace = metadataPlace
    if let target { content.objects = try target.builder.content() }
    let next = fields["nextObjectID"].flatMap { Int64($0) } ?? 0
    content.lastNumber = max(
      min(next, ObjectKey.maximumNumber) - 1,
      content.objects.inserts.map(\.key.number).max() ?? 0,
      0
    )
    return content
  }
}
