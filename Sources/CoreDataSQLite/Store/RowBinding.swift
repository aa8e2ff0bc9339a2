// SPDX-License-Identifier: Apache-2.0

import CSQLite
import CoreDataModel
import CoreDataSQL
import CoreDataStore
import Foundation

/// Binds the slots of a chunk's row to the parameters of a statement, without copying texts.
struct RowBinding {
  let statement: PreparedStatement
  private let parameters: [RowStatements.Parameter]
  private let layout: Layout

  init(_ statement: PreparedStatement, _ rows: RowStatements, layout: Layout) {
    self.statement = statement
    parameters = rows.parameters
    self.layout = layout
  }

  var count: Int32 { Int32(parameters.count) }

  /// The row's texts must stay where they are until the statement has run.
  func bind(_ chunk: RowChunk, _ row: Int, first: Int32, writer: BatchWriter) throws {
    var index = first
    for parameter in parameters {
      let code: Int32
      switch parameter {
      case .slot(let column):
        if chunk.isNull(row, column.slot) {
          code = sqlite3_bind_null(statement.handle, index)
        } else if column.kind == .reference {
          let key = try writer.resolved(chunk.key(row, column.slot))
          code = sqlite3_bind_int64(statement.handle, index, key.number)
        } else {
          code = bind(column, chunk, row, index)
        }
      case .orderGuard(let column):
        code =
          chunk.isNull(row, column.slot)
          ? sqlite3_bind_null(statement.handle, index)
          : sqlite3_bind_int64(
            statement.handle, index, try writer.resolved(chunk.key(row, column.slot)).number)
      case .entityNumber(let column):
        code =
          chunk.isNull(row, column.slot)
          ? sqlite3_bind_null(statement.handle, index)
          : sqlite3_bind_int64(
            statement.handle, index, layout.entities[chunk.key(row, column.slot).entity].number)
      }
      if code != SQLITE_OK { throw statement.failure(code) }
      index += 1
    }
  }

  private func bind(
    _ column: PropertyColumn, _ chunk: RowChunk, _ row: Int, _ index: Int32
  ) -> Int32 {
    let handle = statement.handle
    switch column.kind {
    case .integer: return sqlite3_bind_int64(handle, index, chunk.integer(row, column.slot))
    case .boolean:
      return sqlite3_bind_int64(handle, index, chunk.integer(row, column.slot) == 0 ? 0 : 1)
    case .double, .date: return sqlite3_bind_double(handle, index, chunk.double(row, column.slot))
    case .text, .url:
      let bytes = chunk.bytes(row, column.slot)
      return sqlite3_bind_text64(
        handle, index, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
        UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
    case .decimal:
      var decimal = Decimal()
      withUnsafeMutableBytes(of: &decimal) { target in
        target.copyBytes(from: chunk.bytes(row, column.slot).prefix(target.count))
      }
      return sqlite3_bind_double(handle, index, decimal.nearestDouble)
    case .uuid, .data, .opaque: return bindBlob(column, chunk.bytes(row, column.slot), index)
    case .reference, .none: return sqlite3_bind_null(handle, index)
    }
  }

  private func bindBlob(
    _ column: PropertyColumn, _ bytes: UnsafeRawBufferPointer, _ index: Int32
  ) -> Int32 {
    if column.isTagged {
      let tagged = [ExternalData.inlineTag] + bytes
      return tagged.withUnsafeBytes {
        sqlite3_bind_blob64(
          statement.handle, index, $0.baseAddress, UInt64($0.count), PreparedStatement.transient)
      }
    }
    if bytes.isEmpty { return sqlite3_bind_zeroblob(statement.handle, index, 0) }
    return sqlite3_bind_blob64(
      statement.handle, index, bytes.baseAddress, UInt64(bytes.count), nil)
  }
}
