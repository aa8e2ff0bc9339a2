// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataModel

/// The columns of a composite attribute, which a statement selects as one record.
///
/// The binary form of a record is the number of its fields, and for each field its type, its length and its
/// content.
/// Source: observed, with records that the server of PostgreSQL 15 sends.
enum PostgresRecord {
  /// Returns the values as a `CompositeRecord`.
  ///
  /// - Throws: `StoreError.corrupt` if the bytes do not have the form of a record.
  static func values(_ bytes: UnsafeRawBufferPointer, _ reader: PostgresRowReader) throws -> Data {
    var offset = 0
    func word() throws -> Int32 {
      guard offset + 4 <= bytes.count else { throw reader.damaged("a record ends too early") }
      defer { offset += 4 }
      return Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))
    }
    var values: [Value] = []
    for _ in 0..<(try word()) {
      let type = UInt32(bitPattern: try word())
      let length = Int(try word())
      if length < 0 {
        values.append(.null)
        continue
      }
      guard offset + length <= bytes.count else { throw reader.damaged("a record ends too early") }
      values.append(value(type, UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])))
      offset += length
    }
    return CompositeRecord.data(values)
  }

  /// Returns the value of a field by its type; data for a type that has no value of its own.
  static func value(_ type: UInt32, _ bytes: UnsafeRawBufferPointer) -> Value {
    switch type {
    case PostgresType.boolean: .bool(PostgresResult.integer(bytes) != 0)
    case PostgresType.bigint, PostgresType.integer, PostgresType.smallint:
      .int(PostgresResult.integer(bytes))
    case PostgresType.double, PostgresType.real: .double(PostgresResult.double(bytes))
    case PostgresType.text: .text(String(decoding: bytes, as: UTF8.self))
    case PostgresType.numeric: PostgresNumeric.decimal(bytes).map(Value.decimal) ?? .null
    case PostgresType.uuid where bytes.count == 16:
      .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
    default: .data(Data(bytes))
    }
  }
}
#endif
