// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CCoreDataPostgres
import Foundation
import _CoreDataStore

/// One row of `COPY … TO STDOUT (FORMAT binary)`: the offset and the length of each field in the row's bytes.
///
/// Source: PostgreSQL, “COPY”, binary format.
struct PostgresCopiedRow {
  private(set) var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
  private var fields: [(start: Int, count: Int)] = []

  /// Reads the lengths of the fields; false for the end of all rows, and for bytes that have another form.
  mutating func read(_ row: UnsafeRawBufferPointer) -> Bool {
    bytes = row
    fields.removeAll(keepingCapacity: true)
    guard row.count >= 2 else { return false }
    let count = Int16(bigEndian: row.loadUnaligned(as: Int16.self))
    if count < 0 { return false }
    var offset = 2
    for _ in 0..<count {
      guard offset + 4 <= row.count else { return false }
      let length = Int(
        Int32(bigEndian: row.loadUnaligned(fromByteOffset: offset, as: Int32.self))
      )
      offset += 4
      guard offset + max(0, length) <= row.count else { return false }
      fields.append((offset, length))
      offset += max(0, length)
    }
    return true
  }

  @inline(__always) func isNull(_ column: Int) -> Bool { fields[column].count < 0 }

  /// Returns the bytes of a field; no bytes for null.
  @inline(__always) func bytes(_ column: Int) -> UnsafeRawBufferPointer {
    let (start, count) = fields[column]
    return UnsafeRawBufferPointer(rebasing: bytes[start..<start + max(0, count)])
  }
}

extension PostgresConnection {
  /// Runs `COPY (statement) TO STDOUT (FORMAT binary)` and calls `body` with each row, as the rows arrive.
  ///
  /// This is faster than the result of a statement, because the server goes on while `body` runs, and because
  /// libpq keeps no rows. The statement cannot have parameters, and is not prepared. One round trip.
  /// - Throws: `StoreError`; `.cancelled` if `control` cancels the statement; errors of `body`.
  func copyRows(
    of statement: String,
    control: FetchControl? = nil,
    _ body: (PostgresCopiedRow) throws -> Void
  ) throws {
    let text = "COPY (\(statement)) TO STDOUT (FORMAT binary)"
    traffic.statements += 1
    traffic.roundTrips += 1
    if PQsendQuery(handle, text) == 0 { throw lostConnection(text) }
    if let control { try wait(control, text) }
    guard let start = PQgetResult(handle) else { throw lostConnection(text) }
    let isCopying = PQresultStatus(start) == PGRES_COPY_OUT
    defer { PQclear(start) }
    if !isCopying {
      let failure = error(start, text)
      drain()
      if let control { try control.check() }
      throw failure
    }
    var failure: (any Error)?
    do { try readRows(text, control, body) } catch { failure = error }
    if failure != nil, isOpen { skipRows() }
    while let result = PQgetResult(handle) {
      if PQresultStatus(result) != PGRES_COMMAND_OK { failure = failure ?? error(result, text) }
      PQclear(result)
      if !isOpen { break }
    }
    if let failure { throw failure }
  }

  private func readRows(
    _ text: String,
    _ control: FetchControl?,
    _ body: (PostgresCopiedRow) throws -> Void
  ) throws {
    var row = PostgresCopiedRow()
    var isFirst = true
    while let (content, count) = try nextRow(text, control) {
      defer { PQfreemem(content) }
      // The header is sent with the first row.
      let header = isFirst ? Self.copyHeader.count : 0
      isFirst = false
      guard count >= header else { throw lostConnection(text) }
      let bytes = UnsafeRawBufferPointer(start: content + header, count: count - header)
      if row.read(bytes) { try body(row) }
    }
  }

  /// Returns the bytes of the next message, which the caller frees; nil at the end.
  private func nextRow(
    _ text: String,
    _ control: FetchControl?
  ) throws -> (UnsafeMutablePointer<CChar>, Int)? {
    var content: UnsafeMutablePointer<CChar>?
    while true {
      let count = Int(PQgetCopyData(handle, &content, 1))
      if count > 0, let content { return (content, count) }
      // The end, or an error, which the next result contains.
      if count < 0 { return nil }
      try control?.check()
      guard poll(POLLIN, milliseconds: control == nil ? -1 : 10), PQconsumeInput(handle) != 0 else {
        throw lostConnection(text)
      }
    }
  }

  /// Cancels the statement and skips the rows that were sent before.
  private func skipRows() {
    cancel()
    var content: UnsafeMutablePointer<CChar>?
    while PQgetCopyData(handle, &content, 0) > 0 { PQfreemem(content) }
  }
}
#endif
