// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// Performs a batch insert inside a transaction, with up to `largestGroup` rows in one statement.
struct BatchInserter {
  private let insert: BatchInsert
  private let store: SQLiteStore
  private let connection: Connection
  private let statements: BatchInsertStatements
  private let groupSize: Int
  private let writer: BatchWriter
  private let files: ExternalFiles
  private var prepared: [Shape: RowBinding] = [:]
  /// The primary key of the first inserted row, and the last primary key that was assigned.
  private var first: Int64 = 1
  private var last: Int64 = 0
  private var outcome = BatchOutcome()
  /// The primary keys that earlier statements have returned.
  ///
  /// A later statement can return a row again; each row is reported once.
  private var reportedRows: Set<Int64> = []

  private struct Shape: Hashable {
    let rows: Int
    let named: SlotSet
  }
  /// The maximum number of rows in one statement; a statement with more rows is not faster.
  private static let largestGroup = 64
  /// The maximum number of parameters of a statement in SQLite 3.32 and later, by default.
  private static let parameterLimit = 32_766

  init(
    _ insert: BatchInsert,
    store: SQLiteStore,
    connection: Connection,
    files: ExternalFiles
  ) {
    self.insert = insert
    self.store = store
    self.connection = connection
    statements = BatchInsertStatements(
      entity: insert.entity,
      constraints: store.statements.constraints,
      layout: store.layout
    )
    groupSize = max(1, min(Self.largestGroup, Self.parameterLimit / statements.width))
    self.files = files
    writer = BatchWriter(store: store, connection: connection, files: files)
  }

  mutating func run() throws -> BatchOutcome {
    last = try highestNumber()
    first = last + 1
    let replaced =
      overwrites ? try ReplacedFiles(of: insert.entity, store: store, connection: connection) : nil
    while let block = try insert.next() {
      var row = 0
      while row < block.count { row += try write(block, from: row) }
    }
    try replaced?.finish(files)
    if last >= first {
      if case .overwriteGivenProperties = insert.duplicates, statements.meetsStoredRows {
        try checkNewRows()
      }
      try setHighestNumber()
      // Throws an error if `last` is too great for a key, before any key is reported.
      _ = try store.newKey(insert.entity, last)
    }
    if !returnsRows { try reportNumbers() }
    return outcome
  }

  private var overwrites: Bool {
    switch insert.duplicates {
    case .refuse, .keep: false
    case .overwriteGivenProperties, .overwrite: statements.meetsStoredRows
    }
  }

  // MARK: Numbers

  private var root: Int { store.model.entities[insert.entity].root }
  private var rootNumber: Int64 { store.layout.entities[root].number }

  private func highestNumber() throws -> Int64 {
    let rows = store.layout.entities[root].table
    let number = try PrimaryKeyTable(connection).highestKey(
      of: rootNumber,
      named: store.model.entities[root].name,
      in: rows
    )
    // Counting up from `number` must not overflow. `run()` checks at the end whether the assigned primary
    // keys are too great for an `ObjectKey`.
    if number >= ObjectKey.maximumNumber { _ = try store.newKey(insert.entity, .max) }
    return number
  }

  private func setHighestNumber() throws {
    try PrimaryKeyTable(connection).setLastKey(last, of: rootNumber)
  }

  // MARK: Rows

  /// Writes the rows from `start` that fit into one statement, and returns the number of these rows.
  private mutating func write(_ block: BatchInsert.Block, from start: Int) throws -> Int {
    let named = block.named.isEmpty ? SlotSet() : block.named[start]
    var count = min(groupSize, block.count - start)
    if !block.named.isEmpty {
      count = block.named[start..<start + count].prefix { $0 == named }.count
    }
    // Only full groups and single rows are written, so that the engine compiles few statements.
    if count < groupSize { count = 1 }
    let binding = try binding(Shape(rows: count, named: named))
    let width = Int32(statements.width)
    for index in 0..<count {
      last += 1
      let place = Int32(index) * width + 1
      try binding.statement.bind(last, at: place)
      try binding.bind(block.chunk, start + index, first: place + 1, references: writer)
    }
    if returnsRows {
      try recordReturnedRows(binding.statement)
    } else {
      try binding.statement.run()
    }
    outcome.count += connection.changes
    return count
  }

  private mutating func binding(_ shape: Shape) throws -> RowBinding {
    if let known = prepared[shape] { return known }
    let statement = statements.insert(
      rows: shape.rows,
      duplicates: insert.duplicates,
      named: shape.named,
      reports: returnsRows
    )
    let made = RowBinding(
      try connection.statement(statement),
      statements.row,
      numbers: store.statements.numbers
    )
    prepared[shape] = made
    return made
  }

  /// Checks that the new rows have all mandatory values.
  ///
  /// Must be called after the rows are written, because only the engine determines which rows are new. A row
  /// that changes a stored row need not have all values.
  ///
  /// - Throws: `StoreError.missingValue`.
  /// - Complexity: O(new rows), one statement.
  private func checkNewRows() throws {
    let layout = store.layout.entities[insert.entity]
    let slots = BatchInsert.mandatorySlots(of: store.model.entities[insert.entity])
    let columns = slots.compactMap { slot in
      layout.column(slot)?.singleName.map { (slot: slot, name: $0) }
    }
    if columns.isEmpty { return }
    let nulls = columns.map { "\($0.name) IS NULL" }
    let places = zip(nulls, columns).map { "WHEN \($0) THEN \($1.slot)" }
    let (cases, condition) = (places.joined(separator: " "), nulls.joined(separator: " OR "))
    let select = try connection.statement(
      """
      SELECT CASE \(name: cases) END FROM \(name: layout.table) \
      WHERE Z_PK >= \(bind: .integer(first)) AND (\(name: condition)) LIMIT 1
      """
    )
    guard let slot = try select.integer() else { return }
    let entity = store.model.entities[insert.entity]
    throw StoreError(.missingValue, entity.properties[Int(slot)].name)
  }

  // MARK: Report

  /// Whether the statements return the written rows.
  ///
  /// If the entity has uniqueness constraints, only the engine knows which rows were written. If the batch
  /// reports no rows, they are not needed.
  private var returnsRows: Bool { !insert.report.isEmpty && statements.meetsStoredRows }

  private mutating func recordReturnedRows(_ statement: PreparedStatement) throws {
    for key in try store.changedKeys(statement) where reportedRows.insert(key.number).inserted {
      if insert.report.contains(.keys) { outcome.keys.append(key) }
      if !insert.report.contains(.changes) { continue }
      if key.number >= first { outcome.inserted.append(key) } else { outcome.updated.append(key) }
    }
  }

  private mutating func reportNumbers() throws {
    if insert.report.isEmpty || last < first { return }
    let keys = try (first...last).map { try store.newKey(insert.entity, $0) }
    if insert.report.contains(.keys) { outcome.keys = keys }
    if insert.report.contains(.changes) { outcome.inserted = keys }
  }
}
