// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// Writes one transaction of a store's history, inside the database transaction whose changes it records.
///
/// The writer compiles a fixed number of statements, and one more for each entity whose deleted objects
/// preserve values. A transaction without changes is not written.
struct HistoryWriter {
  private let layout: HistoryLayout
  private let tables: Layout
  private let connection: Connection
  private let transaction: Int64
  /// The primary key of the next change.
  private var next: Int64
  /// The primary keys of a save's deletions; lower primary keys are reserved for the save's other changes,
  /// which are written later.
  private var reserved: Range<Int64>?
  private let change: PreparedStatement
  private let start: Int64
  /// The slots and the bitmap of the last update, kept because consecutive updates usually change the same
  /// slots.
  private var lastBitmap: (entity: Int, slots: SlotSet, toManys: SlotSet, data: Data)?

  /// Begins a transaction of the history; the new primary keys follow the last primary keys in the file.
  init(_ layout: HistoryLayout, _ tables: Layout, _ connection: Connection) throws {
    self.layout = layout
    self.tables = tables
    self.connection = connection
    var lastChange: Int64 = 0
    var lastTransaction: Int64 = 0
    try connection.statement(HistoryLayout.selectLastNumbers).forEach { row in
      lastChange = sqlite3_column_int64(row, 0)
      lastTransaction = sqlite3_column_int64(row, 1)
    }
    start = try Self.following(
      lastChange,
      in: HistorySchema.changes,
      HistorySchema.changeNumber,
      connection
    )
    next = start
    transaction = try Self.following(
      lastTransaction,
      in: HistorySchema.transactions,
      HistorySchema.transactionNumber,
      connection
    )
    change = try connection.statement(HistoryLayout.insertChange)
  }

  /// The limit for the last primary key of a table, so that enough primary keys remain for any transaction.
  private static let lastNumber = Int64.max / 2

  /// Returns the primary key that follows `last`, the last primary key in a table of the history.
  ///
  /// `entity` is the entity number of the table's rows.
  /// - Throws: `StoreError.corrupt` if `last` is so great that too few primary keys remain for a transaction.
  private static func following(
    _ last: Int64,
    in table: String,
    _ entity: Int64,
    _ connection: Connection
  ) throws -> Int64 {
    if last < lastNumber { return last + 1 }
    throw StoreError(
      .corrupt,
      "the last primary key of the history's table \(table) is \(last), which leaves no room for new "
        + "rows; correct the greatest Z_PK in \(table), or Z_MAX of Z_ENT \(entity) in \(PrimaryKeys.table) "
        + "if that is \(last)",
      path: connection.path
    )
  }

  // MARK: A save

  /// Writes the deletions of a save; must be called before the rows are deleted.
  ///
  /// The primary keys of the deletions follow those of the save's other changes, which are written later.
  mutating func recordDeletions(_ batch: SaveBatch) throws {
    if batch.deletes.isEmpty { return }
    let first = next
    next += Int64(batch.inserts.count + batch.updates.count)
    let behind = next
    try deletions(batch.deletes.map(\.key))
    reserved = behind..<next
    next = first
  }

  /// Writes the insertions and updates of a save, and the updates of rows with which inserted objects were
  /// combined.
  mutating func note(_ batch: SaveBatch, _ outcome: SaveOutcome) throws {
    for (index, key) in outcome.insertedKeys.enumerated() {
      guard let folded = outcome.folded[index] else {
        try write(.insert, key, nil)
        continue
      }
      if let survivor = folded, case .write(let slots)? = batch.folds[index] {
        try write(.update, survivor, bitmap(survivor.entity, slots, SlotSet()))
      }
    }
    for update in batch.updates where !outcome.missing.contains(update.key) {
      try write(.update, update.key, bitmap(update.key.entity, update.slots, update.toManys))
    }
  }

  // MARK: Changes

  mutating func inserts(_ keys: [ObjectKey]) throws {
    for key in keys { try write(.insert, key, nil) }
  }

  /// Writes an update for each key; the values in `slots` have changed.
  mutating func updates(_ keys: [ObjectKey], _ slots: SlotSet) throws {
    for key in keys { try write(.update, key, bitmap(key.entity, slots, SlotSet())) }
  }

  /// Writes a deletion for each key; if its entity preserves values, the row must still exist.
  mutating func deletions(_ keys: [ObjectKey]) throws {
    var kept: [Int: [Int64]] = [:]
    for key in keys {
      if layout.entities[key.entity].keepsValues {
        kept[key.entity, default: []].append(key.number)
      } else {
        try write(.delete, key, nil)
      }
    }
    for (entity, numbers) in kept.sorted(by: { $0.key < $1.key }) {
      let insert = layout.insertDeletions(of: tables.entities[entity])
      let statement = try connection.statement(insert)
      try statement.bind([.integer(next), .integer(transaction), .text(JSONList.text(numbers))])
      try statement.run()
      next += Int64(numbers.count)
    }
  }

  private mutating func write(
    _ kind: HistoryChange.Kind,
    _ key: ObjectKey,
    _ bitmap: Data?
  ) throws {
    try change.bind(next, at: 1)
    try change.bind(kind.rawValue, at: 2)
    try change.bind(tables.entities[key.entity].number, at: 3)
    try change.bind(key.number, at: 4)
    try change.bind(transaction, at: 5)
    try change.bind(bitmap.map(Binding.blob) ?? .null, at: 6)
    try change.run()
    next += 1
  }

  private mutating func bitmap(_ entity: Int, _ slots: SlotSet, _ toManys: SlotSet) -> Data {
    if let last = lastBitmap, last.entity == entity, last.slots == slots, last.toManys == toManys {
      return last.data
    }
    var all = slots
    all.formUnion(toManys)
    let data = layout.entities[entity].bitmap(all)
    lastBitmap = (entity, slots, toManys, data)
    return data
  }

  // MARK: The transaction

  private static let bundleID =
    Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
  private static let processID = ProcessInfo.processInfo.processName

  /// Writes the transaction itself and returns its primary key; if there are no changes, writes nothing and
  /// returns nil.
  func finish(_ author: HistoryAuthor) throws -> Int64? {
    let last = max(next, reserved.map { $0.isEmpty ? 0 : $0.upperBound } ?? 0) - 1
    if last < start { return nil }
    let texts = [author.author, Self.bundleID, author.contextName, Self.processID]
    let numbers = try numbers(of: texts.compactMap { $0 })
    let insert = try connection.statement(HistoryLayout.insertTransaction)
    try insert.bind(
      [.integer(transaction)]
        + texts.map { $0.flatMap { numbers[$0] }.map(Binding.integer) ?? .null }
        + [.double(Date().timeIntervalSinceReferenceDate)]
    )
    try insert.run()
    try setLast(last, HistorySchema.changeNumber)
    try setLast(transaction, HistorySchema.transactionNumber)
    return transaction
  }

  /// Returns the primary key of each string, and adds strings that the file does not contain.
  ///
  /// The file contains each string only once.
  private func numbers(of texts: [String]) throws -> [String: Int64] {
    var numbers: [String: Int64] = [:]
    let select = try connection.statement(HistoryLayout.selectStrings)
    try select.bind([.text(JSONList.text(texts.map(Binding.text)) ?? "[]")])
    try select.forEach { row in
      if let name = textColumn(row, 1) { numbers[name] = sqlite3_column_int64(row, 0) }
    }
    let missing = texts.filter { numbers[$0] == nil }
    if missing.isEmpty { return numbers }
    var last =
      try connection.statement(HistoryLayout.selectLastString).integer() ?? 0
    let insert = try connection.statement(HistoryLayout.insertString)
    for text in missing where numbers[text] == nil {
      last = try Self.following(
        last,
        in: HistorySchema.strings,
        HistorySchema.stringNumber,
        connection
      )
      try insert.bind([.integer(last), .text(text)])
      try insert.run()
      numbers[text] = last
    }
    try setLast(last, HistorySchema.stringNumber)
    return numbers
  }

  private func setLast(_ last: Int64, _ entity: Int64) throws {
    try PrimaryKeyTable(connection).setLastKey(last, of: entity)
  }
}
