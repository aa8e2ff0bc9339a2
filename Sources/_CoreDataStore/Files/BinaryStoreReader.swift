// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Reads the part of a binary store that follows the header.
struct BinaryStoreReader {
  private var bytes: ByteReader
  private var builder: ContentBuilder
  private let isLenient: Bool

  init(bytes: ByteReader, builder: ContentBuilder, isLenient: Bool) {
    self.bytes = bytes
    self.builder = builder
    self.isLenient = isLenient
  }

  /// A property as the file describes it.
  private struct Column {
    let name: String
    let kind: UInt8
    /// The model's property with this name and kind; nil if the model has no such property.
    let property: PropertyDefinition?
  }

  mutating func content() throws -> StoredContent {
    var content = try BinaryStoreFormat.info(&bytes)
    for _ in 0..<(try bytes.count(of: 12, "the number of entities")) { try readEntity() }
    if bytes.rest > 0 {
      throw ContentFault("\(bytes.rest) bytes follow the last entity", bytes.position)
    }
    content.objects = try builder.content()
    let greatest = content.objects.inserts.map(\.key.number).max() ?? 0
    content.lastNumber = max(content.lastNumber, greatest)
    return content
  }

  private mutating func readEntity() throws {
    let start = bytes.position
    let name = try bytes.text("the name of an entity")
    let entity = builder.model.entity(named: name)
    if entity == nil, !isLenient {
      throw ContentFault("the model has no entity named “\(name)”", start)
    }
    var columns: [Column] = []
    for _ in 0..<(try bytes.count(of: 5, "the number of properties of \(name)")) {
      columns.append(try column(entity, name))
    }
    let count = try bytes.count(
      of: 8 + columns.count,
      "the number of objects of the entity \(name)"
    )
    for _ in 0..<count { try readObject(entity, columns) }
  }

  private mutating func column(
    _ entity: EntityDefinition?,
    _ entityName: String
  ) throws -> Column {
    let start = bytes.position
    let name = try bytes.text("the name of a property of \(entityName)")
    let kind = try bytes.number(UInt8.self, "the kind of \(entityName).\(name)")
    guard kind == BinaryStoreFormat.toMany || SlotKind(rawValue: kind) != nil else {
      throw ContentFault("\(entityName).\(name) has the unknown kind \(kind)", bytes.position - 1)
    }
    let property = entity.flatMap { entity in
      BinaryStoreFormat.properties(of: entity).first { $0.name == name }
    }
    if let entity, let property, BinaryStoreFormat.kind(of: property, in: entity) == kind {
      return Column(name: name, kind: kind, property: property)
    }
    if entity != nil, !isLenient {
      throw ContentFault("\(entityName).\(name) is not in the model or has another type", start)
    }
    return Column(name: name, kind: kind, property: nil)
  }

  private mutating func readObject(_ entity: EntityDefinition?, _ columns: [Column]) throws {
    let start = bytes.position
    let number = try bytes.number(Int64.self, "the number of an object")
    var row: ChunkRow?
    do {
      row = try entity.map { try builder.add($0, number: number) }
    } catch let fault as ContentFault {
      throw ContentFault(fault.reason, start)
    }
    for column in columns {
      if column.kind == BinaryStoreFormat.toMany {
        try readMembers(column)
      } else {
        try readValue(column, row)
      }
    }
  }

  private mutating func readMembers(_ column: Column) throws {
    let start = bytes.position
    let count = try bytes.count(of: 8, "the number of members of \(column.name)")
    var numbers: [Int64] = []
    numbers.reserveCapacity(count)
    for _ in 0..<count { numbers.append(try bytes.number(Int64.self, "a member")) }
    if let property = column.property { try builder.setMembers(property, to: numbers, at: start) }
  }

  private mutating func readValue(_ column: Column, _ row: ChunkRow?) throws {
    let start = bytes.position
    switch try bytes.number(UInt8.self, "the value of \(column.name)") {
    case 0: return
    case 1: break
    default: throw ContentFault("the value of \(column.name) begins with neither 0 nor 1", start)
    }
    let kind = SlotKind(rawValue: column.kind) ?? .none
    guard kind.isInArena else {
      let word = try bytes.number(UInt64.self, "the value of \(column.name)")
      guard let row, let property = column.property else { return }
      if kind == .reference {
        let number = Int64(bitPattern: word)
        return try builder.setReference(row, property, to: number, at: start)
      }
      return row.chunk.setWord(row.row, property.slot, word)
    }
    let value = try bytes.block("the value of \(column.name)")
    let fault = ContentFault("the value of \(column.name) has the wrong type", start)
    if kind == .decimal {
      guard let number = String(validating: value, as: UTF8.self).flatMap(Decimal.init(storeText:))
      else { throw fault }
      guard let row, let property = column.property else { return }
      return row.chunk.setDecimal(row.row, property.slot, number)
    }
    guard Self.isValid(value, kind) else { throw fault }
    guard let row, let property = column.property else { return }
    value.withUnsafeBytes { row.chunk.setBytes(row.row, property.slot, $0) }
  }

  private static func isValid(_ value: Data, _ kind: SlotKind) -> Bool {
    switch kind {
    case .text, .url: String(validating: value, as: UTF8.self) != nil
    case .uuid: value.count == 16
    default: true
    }
  }
}
