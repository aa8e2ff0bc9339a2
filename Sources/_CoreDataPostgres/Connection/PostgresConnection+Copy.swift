// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CCoreDataPostgres
import Foundation
import _CoreDataStore

extension PostgresConnection {
  /// The number of bytes after which fields are passed to libpq.
  static let copyBlock = 1 << 16

  /// The signature of the binary form, no flags, and no extension.
  static let copyHeader: [UInt8] =
    Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0]

  /// Runs `COPY … FROM STDIN (FORMAT binary)` with the rows that `body` appends, and returns their number.
  ///
  /// `body` calls `row` with the number of fields, and then appends the fields to the fields that it got.
  /// - Throws: `StoreError`; errors of `body`, after which the server has written no row.
  @discardableResult
  package func copy(
    into target: String,
    rows: Int,
    _ append: (Int, inout PostgresFields) throws -> Void
  ) throws -> Int {
    let text = "COPY \(target) FROM STDIN (FORMAT binary)"
    try begin(text, PGRES_COPY_IN)
    do {
      try send(rows, text, append)
    } catch {
      // The server reports this text as the reason; the error that is thrown is the original one.
      _ = PQputCopyEnd(handle, "the client could not make the row")
      drain()
      throw error
    }
    try endRows(text)
    return try copied(text)
  }

  /// Copies the rows of a query to a table of another connection, in the binary form, without decoding them.
  ///
  /// `target` is a table with its columns, which have the types of the query's.
  /// - Throws: `StoreError`, after which nothing is copied.
  /// - Complexity: one message of the server is in memory.
  func copy(_ query: String, to other: PostgresConnection, into target: String) throws {
    let reading = "COPY (\(query)) TO STDOUT (FORMAT binary)"
    let writing = "COPY \(target) FROM STDIN (FORMAT binary)"
    try begin(reading, PGRES_COPY_OUT)
    do {
      try other.begin(writing, PGRES_COPY_IN)
    } catch {
      cancel()
      drainCopy()
      throw error
    }
    do {
      while let message = try nextMessage(reading) {
        defer { PQfreemem(message.bytes) }
        try other.put(UnsafeRawBufferPointer(start: message.bytes, count: message.count), writing)
      }
      _ = try copied(reading)
    } catch {
      // The error that is thrown is the original one.
      _ = PQputCopyEnd(other.handle, "the rows cannot be read")
      other.drain()
      if isOpen {
        cancel()
        drainCopy()
      }
      throw error
    }
    try other.endRows(writing)
    _ = try other.copied(writing)
  }

  private func begin(_ text: String, _ expected: ExecStatusType) throws {
    traffic.statements += 1
    traffic.roundTrips += 1
    silence.begin()
    if PQsendQuery(handle, text) == 0 { throw lostConnection(text) }
    guard let start = try nextResult(of: text) else { throw lostConnection(text) }
    defer { PQclear(start) }
    if PQresultStatus(start) == expected { return }
    let failure = error(start, text)
    drain()
    throw failure
  }

  /// Returns the next message of COPY, which the caller frees; nil at the end.
  private func nextMessage(
    _ text: String
  ) throws -> (bytes: UnsafeMutablePointer<CChar>, count: Int)? {
    var bytes: UnsafeMutablePointer<CChar>?
    while true {
      let count = Int(PQgetCopyData(handle, &bytes, 1))
      if count > 0, let bytes { return (bytes, count) }
      if count == -1 { return nil }
      guard count == 0, poll(POLLIN, milliseconds: -1), PQconsumeInput(handle) != 0 else {
        throw lostConnection(text)
      }
    }
  }

  /// Reads and drops what is left of a COPY to this client.
  private func drainCopy() {
    // After an error, nothing is left.
    while let message = try? nextMessage("") { PQfreemem(message.bytes) }
    drain()
  }

  private func send(
    _ rows: Int,
    _ text: String,
    _ append: (Int, inout PostgresFields) throws -> Void
  ) throws {
    var fields = PostgresFields(forCopy: true)
    fields.append(raw: Self.copyHeader)
    for row in 0..<rows {
      try append(row, &fields)
      if fields.size < Self.copyBlock { continue }
      try put(fields, text)
      fields.removeAll()
    }
    fields.endRows()
    try put(fields, text)
  }

  private func put(_ fields: PostgresFields, _ text: String) throws {
    try fields.withBytes { try put($0, text) }
  }

  /// Sends bytes of COPY, and waits until they are sent, so that the memory stays bounded.
  private func put(_ bytes: UnsafeRawBufferPointer, _ text: String) throws {
    let content = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    var code: Int32 = 0
    while code == 0 {
      code = PQputCopyData(handle, content, Int32(bytes.count))
      if code < 0 { throw lostConnection(text) }
      try flush(text)
    }
  }

  private func endRows(_ text: String) throws {
    var code: Int32 = 0
    while code == 0 {
      code = PQputCopyEnd(handle, nil)
      if code < 0 { throw lostConnection(text) }
      try flush(text)
    }
  }

  private func copied(_ text: String) throws -> Int {
    var count = 0
    var failure: StoreError?
    while let result = try nextResult(of: text) {
      if PQresultStatus(result) == PGRES_COMMAND_OK {
        count = PostgresResult(result).changes
      } else {
        failure = failure ?? error(result, text)
        PQclear(result)
        if !isOpen { break }
      }
    }
    if let failure { throw failure }
    return count
  }
}
#endif
