// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// What the values of a row that is being written refer to.
protocol RowReferences {
  /// The files of large values.
  var files: ExternalFiles { get }
  /// Returns the permanent key for a temporary key; returns a permanent key unchanged.
  ///
  /// - Throws: `StoreError.invalidRequest` for the temporary key of an object that is not being written.
  func resolved(_ key: ObjectKey) throws -> ObjectKey
}

/// Binds the values of a row to the parameters of a statement, without copying texts.
///
/// This is a class, because a structure would retain each of its references for every row.
final class RowBinding {
  /// One parameter, without references, so that a loop over parameters needs no retains.
  private struct Step {
    enum Role { case value, part, reference, entityNumber }
    let role: Role
    let kind: SlotKind
    let slot: Int
    let isTagged: Bool
    /// The index of the element within its composite; the steps of one composite are consecutive.
    var part = 0
  }
  let statement: PreparedStatement
  private let steps: [Step]
  private let numbers: [Int64]

  init(_ statement: PreparedStatement, _ rows: RowStatement, numbers: [Int64]) {
    self.statement = statement
    self.numbers = numbers
    steps = rows.parameters.map { parameter in
      switch parameter {
      case .slot(let column):
        Step(
          role: column.kind == .reference ? .reference : .value,
          kind: column.kind,
          slot: column.slot,
          isTagged: column.isTagged
        )
      case .part(let column, let index):
        Step(role: .part, kind: column.kind, slot: column.slot, isTagged: false, part: index)
      case .orderGuard(let column):
        Step(role: .reference, kind: column.kind, slot: column.slot, isTagged: false)
      case .entityNumber(let column):
        Step(role: .entityNumber, kind: column.kind, slot: column.slot, isTagged: false)
      }
    }
  }

  var count: Int32 { Int32(steps.count) }

  /// Binds the row's values to consecutive parameters, starting at the index `first`.
  ///
  /// The statement refers to the chunk's texts and data, so they must not move until the statement has run.
  func bind(
    _ chunk: RowChunk,
    _ row: Int,
    first: Int32,
    references: borrowing some RowReferences
  ) throws {
    let handle = statement.handle
    var index = first
    // The values of the composite whose parts are being bound.
    var record: [Value] = []
    for step in steps {
      let code: Int32
      if chunk.isNull(row, step.slot) {
        code = sqlite3_bind_null(handle, index)
      } else {
        switch step.role {
        case .value: code = try bind(step, of: chunk, row: row, at: index, files: references.files)
        case .part:
          if step.part == 0 {
            record = CompositeRecord.values(Data(chunk.bytes(row, step.slot)))
          }
          let value = step.part < record.count ? record[step.part] : .null
          try statement.bind(value.plainBinding ?? .null, at: index)
          code = SQLITE_OK
        case .reference:
          let key = try references.resolved(chunk.key(row, step.slot))
          code = sqlite3_bind_int64(handle, index, key.number)
        case .entityNumber:
          code = sqlite3_bind_int64(handle, index, numbers[chunk.key(row, step.slot).entity])
        }
      }
      if code != SQLITE_OK { throw statement.failure(code) }
      index += 1
    }
  }

  private func bind(
    _ step: Step,
    of chunk: RowChunk,
    row: Int,
    at index: Int32,
    files: ExternalFiles
  ) throws -> Int32 {
    let handle = statement.handle
    switch step.kind {
    case .integer: return sqlite3_bind_int64(handle, index, chunk.integer(row, step.slot))
    case .boolean:
      return sqlite3_bind_int64(handle, index, chunk.integer(row, step.slot) == 0 ? 0 : 1)
    case .double, .date: return sqlite3_bind_double(handle, index, chunk.double(row, step.slot))
    case .text, .url:
      let bytes = chunk.bytes(row, step.slot)
      return sqlite3_bind_text64(
        handle,
        index,
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
        UInt64(bytes.count),
        nil,
        UInt8(SQLITE_UTF8)
      )
    case .decimal:
      var decimal = Decimal()
      withUnsafeMutableBytes(of: &decimal) { target in
        target.copyBytes(from: chunk.bytes(row, step.slot).prefix(target.count))
      }
      // NaN is bound as text, because the engine would store it as NULL.
      if decimal.isNaN {
        return sqlite3_bind_text(handle, index, "NaN", 3, PreparedStatement.transient)
      }
      return sqlite3_bind_double(handle, index, decimal.nearestDouble)
    case .uuid, .data, .opaque:
      return try bindBlob(step, chunk.bytes(row, step.slot), at: index, files: files)
    case .reference, .none: return sqlite3_bind_null(handle, index)
    }
  }

  private func bindBlob(
    _ step: Step,
    _ bytes: UnsafeRawBufferPointer,
    at index: Int32,
    files: ExternalFiles
  ) throws -> Int32 {
    if step.isTagged {
      let tagged = try files.value(of: bytes)
      return tagged.withUnsafeBytes {
        sqlite3_bind_blob64(
          statement.handle,
          index,
          $0.baseAddress,
          UInt64($0.count),
          PreparedStatement.transient
        )
      }
    }
    if bytes.isEmpty { return sqlite3_bind_zeroblob(statement.handle, index, 0) }
    return sqlite3_bind_blob64(
      statement.handle,
      index,
      bytes.baseAddress,
      UInt64(bytes.count),
      nil
    )
  }
}
