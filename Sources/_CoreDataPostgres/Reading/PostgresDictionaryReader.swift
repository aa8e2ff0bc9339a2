// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// Reads each row of a dictionary fetch as an array of values.
struct PostgresDictionaryReader {
  let reader: PostgresRowReader
  let columns: [DictionaryColumn]

  /// Returns the rows of a result.
  ///
  /// - Throws: `StoreError.corrupt` for a value that does not have the form of its type.
  func read(_ result: PostgresResult) throws -> [[Value]] {
    try (0..<result.rowCount).map { row in
      var position = 0
      return try columns.map { try value($0, result, row: row, at: &position) }
    }
  }

  private func value(
    _ column: DictionaryColumn,
    _ result: PostgresResult,
    row: Int,
    at position: inout Int
  ) throws -> Value {
    defer { position += 1 }
    if case .reference(var entity, let hasEntityColumn) = column.kind {
      let place = position
      if hasEntityColumn {
        position += 1
        entity = reader.layout.entityByNumber[result.integer(row, position)] ?? entity
      }
      return result.isNull(row, place)
        ? .null : .key(try reader.key(entity, result.integer(row, place)))
    }
    let bytes = result.bytes(row, position)
    if result.isNull(row, position) {
      if case .composite(let elements) = column.kind {
        return CompositeRecord.dictionary(Data(), elements)
      }
      return .null
    }
    switch column.kind {
    case .composite(let elements):
      return CompositeRecord.dictionary(try PostgresRecord.values(bytes, reader), elements)
    case .value(let kind):
      return Self.value(try scalar(result.type(position), bytes), kind)
    case .tagged: return .data(Data(bytes))
    case .any, .reference: return Self.plain(try scalar(result.type(position), bytes))
    }
  }

  /// Returns the value of a column; a record is a number in two forms, of which the first is an integer.
  private func scalar(_ type: UInt32, _ bytes: UnsafeRawBufferPointer) throws -> Value {
    if type != PostgresType.record { return PostgresRecord.value(type, bytes) }
    let forms = CompositeRecord.values(try PostgresRecord.values(bytes, reader))
    return forms.first { !$0.isNull } ?? .null
  }

  /// Returns a number of the server as an integer or a floating-point number, as SQLite returns it.
  private static func plain(_ value: Value) -> Value {
    switch value {
    case .bool(let flag): .int(flag ? 1 : 0)
    case .decimal(let number):
      Int64(number.description).map(Value.int) ?? .double(number.nearestDouble)
    default: value
    }
  }

  /// Returns a value of the server as a value of `kind`.
  private static func value(_ value: Value, _ kind: SlotKind) -> Value {
    switch (kind, value) {
    case (.integer, .decimal(let number)):
      Int64(number.description).map(Value.int) ?? .double(number.nearestDouble)
    case (.integer, .bool(let flag)): .int(flag ? 1 : 0)
    case (.integer, .double(let number)):
      Int64(exactly: number.rounded(.towardZero)).map(Value.int) ?? value
    case (.boolean, .int(let number)): .bool(number != 0)
    case (.double, .int(let number)): .double(Double(number))
    case (.double, .decimal(let number)): .double(number.nearestDouble)
    case (.decimal, .int(let number)): .decimal(Decimal(number))
    case (.decimal, .double(let number)): number.asDecimal.map(Value.decimal) ?? .null
    case (.date, .double(let seconds)): .date(seconds)
    case (.date, .int(let seconds)): .date(Double(seconds))
    case (.url, .text(let text)): URL(string: text).map(Value.url) ?? .null
    default: value
    }
  }
}
#endif
