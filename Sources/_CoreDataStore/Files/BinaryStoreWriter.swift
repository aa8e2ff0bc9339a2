// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Writes the content of a binary store.
struct BinaryStoreWriter {
  private let content: StoreContent
  private var bytes: [UInt8] = []

  init(_ content: StoreContent) {
    self.content = content
    bytes.reserveCapacity(4096 + content.rowCount * 128)
    bytes += BinaryStoreFormat.magic
    append(BinaryStoreFormat.version)
    append(UInt32(0))
  }

  /// The bytes of the file.
  var data: Data { Self.checked(Data(bytes)) }

  /// Returns the bytes of a file that consists of a header, the metadata and `rest`.
  static func data(metadata: Data, rest: Data) -> Data {
    var data = BinaryStoreFormat.magic
    for number in [BinaryStoreFormat.version, 0, UInt32(metadata.count)] {
      withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
    }
    return checked(data + metadata + rest)
  }

  /// Returns the bytes with their checksum in the header.
  private static func checked(_ unchecked: Data) -> Data {
    var data = unchecked
    let checksum = CRC32.checksum(of: data.dropFirst(BinaryStoreFormat.headerSize))
    let place = BinaryStoreFormat.headerSize - 4..<BinaryStoreFormat.headerSize
    withUnsafeBytes(of: checksum.littleEndian) { data.replaceSubrange(place, with: $0) }
    return data
  }

  /// Writes the metadata and all objects.
  ///
  /// - Throws: `StoreError.cannotWrite` if the size of a value, or the number of objects of an entity or of
  ///   members of a to-many, exceeds `UInt32.max`.
  mutating func write(_ metadata: Data) throws {
    try appendBlock(metadata, "the metadata")
    append(content.lastNumber)
    append(UInt32(content.model.entities.count))
    for entity in content.model.entities { try write(entity) }
  }

  private mutating func write(_ entity: EntityDefinition) throws {
    try appendBlock(Data(entity.name.utf8), entity.name)
    let properties = BinaryStoreFormat.properties(of: entity)
    append(UInt32(properties.count))
    for property in properties {
      try appendBlock(Data(property.name.utf8), property.name)
      bytes.append(BinaryStoreFormat.kind(of: property, in: entity))
    }
    let place = bytes.count
    append(UInt32(0))
    var count = 0
    try content.forEachRow(ofRoot: entity.root) { number, owner, chunk, row in
      if owner.index != entity.index { return }
      count += 1
      append(number)
      for property in properties {
        if property.isToMany {
          let members = content.members(of: number, entity, property.slot)
          append(try Self.count(members.count, property.name))
          for member in members { append(member) }
        } else {
          try write(property, chunk, row)
        }
      }
    }
    withUnsafeBytes(of: try Self.count(count, entity.name).littleEndian) {
      bytes.replaceSubrange(place..<place + 4, with: $0)
    }
  }

  private mutating func write(
    _ property: PropertyDefinition,
    _ chunk: RowChunk,
    _ row: Int
  ) throws {
    let slot = property.slot
    if chunk.isNull(row, slot) { return bytes.append(0) }
    bytes.append(1)
    let kind = chunk.layout.kinds[slot]
    if kind == .reference {
      append(content.reference(chunk, row, slot))
    } else if kind == .decimal, case .decimal(let number) = chunk.value(row, slot) {
      try appendBlock(Data(number.description.utf8), property.name)
    } else if kind.isInArena {
      let value = chunk.bytes(row, slot)
      append(try Self.count(value.count, property.name))
      bytes.append(contentsOf: value)
    } else {
      append(chunk.word(row, slot))
    }
  }

  private mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private mutating func appendBlock(_ block: Data, _ name: String) throws {
    append(try Self.count(block.count, name))
    bytes.append(contentsOf: block)
  }

  private static func count(_ count: Int, _ name: String) throws -> UInt32 {
    guard let number = UInt32(exactly: count) else {
      throw StoreError(
        .cannotWrite,
        "\(name): \(count) is more bytes or objects than a binary store can hold; use an SQLite store"
      )
    }
    return number
  }
}
