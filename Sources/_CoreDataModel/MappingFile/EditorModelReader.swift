// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads a model from an archive of Xcode's mapping model editor, which stores the source and the destination
/// model as one archive each.
///
/// An entity or a property has stereotypes, and a stereotype has attributes. The default value of such an
/// attribute is a setting of the entity or property. Settings without effect on objects, such as positions in
/// the editor, are skipped. The archive is untrusted.
///
/// Source: observed, the 64 models in 32 mapping models.
struct EditorModelReader {
  private let archive: KeyedArchive
  private var budget = 1_000_000

  private init(_ archive: KeyedArchive) { self.archive = archive }

  static func draft(_ data: Data) throws -> ModelDraft {
    var reader = EditorModelReader(try KeyedArchive(data))
    return try reader.model()
  }

  private mutating func model() throws -> ModelDraft {
    let root = try archive.root(ofClass: "XDPMModel", content: "a model of the editor")
    let package = archive[root["_xd_rootPackage"]]
    var draft = ModelDraft()
    for (name, field) in archive.entries(package?["XDBucketForClassesstorage"])
      .sorted(by: { utf8Less($0.key, $1.key) })
    {
      draft.entities.append(try entity(name, archive[field]))
    }
    if draft.entities.isEmpty {
      throw ModelError(reason: "the archive of the model has no entities")
    }
    return draft
  }

  private mutating func spend(_ amount: Int) throws {
    budget -= amount
    if budget < 0 {
      throw ModelError(reason: "the archive of the model has more than 1,000,000 settings")
    }
  }

  // MARK: Entities

  private mutating func entity(_ name: String, _ object: PropertyListNode?) throws -> EntityDraft {
    guard let object, archive.className(object) == "XDPMEntity" else {
      throw ModelError(entity: name, reason: "the archived object is not an entity")
    }
    let settings = try settings(of: object)
    var draft = EntityDraft(name: name)
    let className = archive.text(settings["XD_PSK_entityClassName"])
    draft.className = className == "NSManagedObject" ? nil : EntityDraft.className(className)
    draft.isAbstract = archive.flag(settings["XD_PSK_isAbstract"])
    draft.versionHashModifier = archive.text(settings["XD_PSK_versionHashModifier"])
    draft.renamingIdentifier = archive.text(settings["XD_PSK_elementID"])
    draft.parent = archive.members(object["XDBucketForGeneralizationsstorage"]).first
      .flatMap { archive.text(archive[$0["_general"]]?["_name"]) }
    for constraint in archive.members(settings["XDPMUniquenessConstraints"]) {
      let names = constraint["NS.objects"]?.array ?? []
      draft.uniquenessConstraints.append(names.compactMap { archive.text($0) })
    }
    for (name, field) in archive.entries(object["XDBucketForOwnedAttributesstorage"])
      .sorted(by: { utf8Less($0.key, $1.key) })
    {
      if let property = try property(name, archive[field]) { draft.properties.append(property) }
    }
    return draft
  }

  private mutating func settings(of object: PropertyListNode) throws -> [String: PropertyListNode] {
    var settings: [String: PropertyListNode] = [:]
    for (_, stereotype) in archive.entries(object["XDBucketForStereotypesstorage"]) {
      let members = archive.entries(archive[stereotype]?["XDBucketForOwnedAttributesstorage"])
      try spend(members.count)
      for (name, field) in members {
        if let value = archive[archive[field]?["_default"]] { settings[name] = value }
      }
    }
    return settings
  }

  // MARK: Properties

  private mutating func property(
    _ name: String,
    _ object: PropertyListNode?
  ) throws -> PropertyDraft? {
    guard let object else { return nil }
    let settings = try settings(of: object)
    let kind: PropertyDraft.Kind
    switch archive.className(object) {
    case "XDPMAttribute": kind = .attribute(try attribute(name, settings))
    case "XDPMRelationship":
      guard let relationship = relationship(settings) else { return nil }
      kind = .relationship(relationship)
    default: return nil
    }
    var draft = PropertyDraft(name: name, kind: kind)
    draft.isOptional = archive.flag(settings["XD_PPSK_isOptional"])
    draft.isTransient = archive.flag(settings["XD_PPSK_isTransient"])
    draft.versionHashModifier = archive.text(settings["XD_PPSK_versionHashModifier"])
    draft.renamingIdentifier = archive.text(settings["XD_PPSK_elementID"])
    return draft
  }

  private func attribute(
    _ name: String,
    _ settings: [String: PropertyListNode]
  ) throws -> AttributeDefinition {
    let number = archive.integer(settings["XD_PAttK_attributeType"]) ?? 0
    guard let type = UInt(exactly: number).flatMap(AttributeType.init(rawValue:)) else {
      throw ModelError(property: name, reason: "the attribute type \(number) is unknown")
    }
    var attribute = AttributeDefinition(type: type)
    attribute.valueTransformerName = archive.text(settings["XD_PAttK_valueTransformerName"])
      .flatMap { $0.isEmpty ? nil : $0 }
    attribute.allowsExternalStorage =
      archive.flag(settings["XD_PAttK_allowsExternalBinaryDataStorage"])
    let text = archive.text(settings["XD_PAttK_defaultValueAsString"])
    attribute.defaultValue = text.flatMap { Self.value($0, type) } ?? .null
    return attribute
  }

  private static func value(_ text: String, _ type: AttributeType) -> Value? {
    switch type {
    case .string: .text(text)
    case .integer16, .integer32, .integer64: Int64(text).map(Value.int)
    case .double, .float: Double(text).map(Value.double)
    case .decimal: Decimal(string: text).map(Value.decimal)
    case .boolean: .bool(["YES", "1", "true"].contains(text))
    case .undefined, .date, .binaryData, .uuid, .uri, .transformable, .objectID, .composite: nil
    }
  }

  private func relationship(_ settings: [String: PropertyListNode]) -> RelationshipDraft? {
    guard let destination = archive.text(archive[settings["XD_PRK_destination"]]?["_name"]) else {
      return nil
    }
    var draft = RelationshipDraft(destination: destination)
    draft.inverse = archive.text(archive[settings["XD_PRK_inverseRelationship"]]?["_name"])
    draft.maxCount = Int(archive.integer(settings["XD_PRK_maxCount"]) ?? 1)
    draft.minCount = Int(archive.integer(settings["XD_PRK_minCount"]) ?? 0)
    draft.isOrdered = archive.flag(settings["XD_PRK_ordered"])
    draft.deleteRule =
      archive.integer(settings["XD_PRK_deleteRule"]).flatMap { UInt(exactly: $0) }
      .flatMap(DeleteRule.init(rawValue:)) ?? .nullify
    return draft
  }
}
