// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CCoreDataPostgres
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
    traffic.statements += 1
    traffic.roundTrips += 1
    if PQsendQuery(handle, text) == 0 { throw lostConnection(text) }
    guard let start = PQgetResult(handle) else { throw lostConnection(text) }
    let status = PQresultStatus(start)
    if status != PGRES_COPY_IN {
      defer { PQclear(start) }
      let failure = error(start, text)
      drain()
      throw failure
    }
    PQclear(start)
    do {
      try send(rows, text, append)
    } catch {
      // The server reports this text as the reason; the error that is thrown is the original one.
      _ = PQputCopyEnd(handle, "the client could not make the row")
      drain()
      throw error
    }
    if PQputCopyEnd(handle, nil) != 1 { throw lostConnection(text) }
    return try copied(text)
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
    let code = fields.withBytes { bytes in
      PQputCopyData(
        handle,
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
        Int32(bytes.count)
      )
    }
    if code != 1 { throw lostConnection(text) }
  }

  private func copied(_ text: String) throws -> Int {
    var count = 0
    var failure: StoreError?
    while let result = PQgetResult(handle) {
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

  func drain() {
    while let result = PQgetResult(handle) {
      PQclear(result)
      if !isOpen { return }
    }
  }
}
#endif
