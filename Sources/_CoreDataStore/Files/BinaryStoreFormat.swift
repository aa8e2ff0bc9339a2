// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// This library's format of binary stores.
///
/// The format is not Apple's, which is unknown, because no binary store of Apple's framework could be
/// observed. Layout, with little-endian numbers:
///
/// ```
/// "CDBinary", version (4 bytes), CRC32 of all bytes after the CRC32 (4 bytes)
/// metadata: length (4), a binary property list with the UUID
/// greatest number that was ever assigned to an object (8)
/// number of entities (4), and for each entity:
///   name: length (4), UTF-8
///   number of properties (4), and for each: name, kind (1; a raw value of `SlotKind`, or 255 for a to-many)
///   number of objects (4), and for each object:
///     number (8), and for each property:
///       to-many: number of members (4), their numbers (8 each)
///       other: 0 for nil; otherwise 1 and the value: 8 bytes, or length (4) and bytes; decimals as text
/// ```
/// Source: this library's choice.
package struct BinaryStoreFormat: StoreFileFormat {
  package let type = "Binary"
  static let magic = Data("CDBinary".utf8)
  static let version: UInt32 = 1
  static let headerSize = 16
  /// The kind of a to-many; the other kinds are raw values of `SlotKind`.
  static let toMany: UInt8 = 255

  package init() {}

  /// Returns the properties whose values are in the file: stored attributes and to-ones, and the to-manys
  /// that are not transient.
  static func properties(of entity: EntityDefinition) -> [PropertyDefinition] {
    entity.properties.filter { $0.isStored || $0.isToMany && !$0.isTransient }
  }

  static func kind(of property: PropertyDefinition, in entity: EntityDefinition) -> UInt8 {
    property.isToMany ? toMany : entity.rowLayout.kinds[property.slot].rawValue
  }

  // MARK: Reading

  package func metadata(of data: Data) throws -> StoredContent {
    try placed {
      var bytes = try Self.body(of: data)
      return try Self.info(&bytes)
    }
  }

  package func content(
    of data: Data,
    model: ModelDefinition,
    store: Int,
    isLenient: Bool
  ) throws -> StoredContent {
    try placed {
      var reader = BinaryStoreReader(
        bytes: try Self.body(of: data),
        builder: ContentBuilder(model: model, store: store),
        isLenient: isLenient
      )
      return try reader.content()
    }
  }

  private func placed<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let fault as ContentFault {
      let place = fault.place.map { " at byte \($0)" } ?? ""
      throw StoreError(.corrupt, "the binary store is damaged\(place): \(fault.reason)")
    } catch let error as ModelError {
      throw StoreError(
        .corrupt,
        "the metadata of the binary store are damaged: \(error.description)"
      )
    }
  }

  /// Checks the header and the checksum, and returns the bytes after the header.
  private static func body(of data: Data) throws -> ByteReader {
    guard data.count >= headerSize, data.starts(with: magic) else {
      throw ContentFault(
        "the file does not begin with CDBinary. Binary stores of Apple's framework cannot be read: migrate them "
          + "to an SQLite or XML store on a Mac",
        0
      )
    }
    var header = ByteReader(data, from: magic.count, to: headerSize)
    let version = try header.number(UInt32.self, "the version")
    guard version == Self.version else {
      throw ContentFault(
        "the format has version \(version), but only version \(Self.version) is supported",
        magic.count
      )
    }
    let checksum = try header.number(UInt32.self, "the checksum")
    guard checksum == CRC32.checksum(of: data.dropFirst(headerSize)) else {
      throw ContentFault("the checksum does not match the content", magic.count + 4)
    }
    return ByteReader(data, from: headerSize, to: data.count)
  }

  static func info(_ bytes: inout ByteReader) throws -> StoredContent {
    let start = bytes.position
    let metadata = try StoreMetadata(propertyList: bytes.block("the metadata"))
    guard let identifier = metadata.uuid, !identifier.isEmpty else {
      throw ContentFault("the metadata have no UUID", start)
    }
    var content = StoredContent(metadata: metadata, identifier: identifier)
    content.lastNumber = min(
      max(0, try bytes.number(Int64.self, "the last number")),
      ObjectKey.maximumNumber
    )
    return content
  }

  // MARK: Writing

  package func replacingMetadata(
    in data: Data,
    by metadata: StoreMetadata
  ) throws -> Data {
    try placed {
      var bytes = try Self.body(of: data)
      _ = try bytes.block("the metadata")
      let rest = data[data.startIndex + bytes.position..<data.endIndex]
      return BinaryStoreWriter.data(metadata: try metadata.propertyList(), rest: rest)
    }
  }

  package func data(
    of content: StoreContent,
    metadata: StoreMetadata,
    identifier: String
  ) throws -> Data {
    var own = metadata
    own.values[StoreMetadata.typeKey] = type
    own.values[StoreMetadata.uuidKey] = identifier
    var writer = BinaryStoreWriter(content)
    try writer.write(own.propertyList())
    return writer.data
  }
}
