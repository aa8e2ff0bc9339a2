// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

struct BatchDeleter {
  private let plan: BatchDeletePlan
  private let report: BatchReport
  private let store: SQLiteStore
  private let connection: Connection
  private let entity: Int
  private let files: ExternalFiles
  /// The writer of the deletions, and of the updates of rows that remain; nil if the store has no history.
  private(set) var history: HistoryWriter?
  private var outcome = BatchOutcome()
  /// Object → its changed slots, for the history; can contain deleted objects, which `recordUpdates()` skips.
  private var changedSlots: [ObjectKey: SlotSet] = [:]

  init(
    _ plan: BatchDeletePlan,
    of delete: BatchDelete,
    store: SQLiteStore,
    connection: Connection,
    files: ExternalFiles,
    history: HistoryWriter?
  ) {
    self.plan = plan
    self.history = history
    report = delete.report
    entity = delete.rows.entity
    self.store = store
    self.connection = connection
    self.files = files
  }

  /// Deletes the rows and applies their delete rules.
  ///
  /// - Throws: `StoreError.denied`, with the name of the relationship, if the delete rule Deny prevents a
  ///   deletion; errors of the engine.
  mutating func run() throws -> BatchOutcome {
    if let direct = plan.direct {
      try deleteDirectly(direct)
    } else {
      try connection.statement(DeletedKeys.create).run()
      try connection.statement(DeletedKeys.clear).run()
      let steps = try collect()
      try checkDenials(steps)
      try discardFiles(steps)
      try reportKeys()
      try history?.deletions(outcome.deleted)
      try reportFormerDestinations(steps)
      try deleteRows()
      try release(steps)
      try recordUpdates()
      try connection.statement(DeletedKeys.clear).run()
    }
    return outcome
  }

  private mutating func deleteDirectly(_ delete: Statement) throws {
    let keys = try store.changedKeys(connection.statement(delete))
    outcome.count = connection.changes
    if report.contains(.keys) { outcome.keys = keys }
    if report.contains(.changes) { outcome.deleted = keys }
    try history?.deletions(keys)
  }

  /// Collects the rows of the request and then, level by level, the rows to which deletions cascade.
  ///
  /// Returns the steps for the delete rules of all entities that were reached.
  private mutating func collect() throws -> [DeletionRules.Step] {
    try connection.statement(plan.insertRequested).run()
    outcome.count = connection.changes
    var steps = plan.consequences.steps(from: entity)
    var reached: Set<Int> = [entity]
    var level: Int64 = 0
    var found = outcome.count
    while found > 0 {
      found = 0
      for case .cascade(let insert, let destination) in steps {
        let cascade = try connection.statement(insert)
        try cascade.bind([.integer(level + 1), .integer(level)])
        try cascade.run()
        found += connection.changes
        if reached.insert(destination).inserted {
          steps += plan.consequences.steps(from: destination)
        }
      }
      level += 1
    }
    return steps
  }

  private func checkDenials(_ steps: [DeletionRules.Step]) throws {
    for case .deny(let select, let name) in steps {
      if try connection.statement(select).integer() != nil {
        throw StoreError(
          .denied,
          "the relationship \(name) has the delete rule Deny, and an object to be deleted has destinations "
            + "in this relationship that the request does not delete; delete these destinations too, or "
            + "remove them from the relationship first",
          path: store.options.path
        )
      }
    }
  }

  private func discardFiles(_ steps: [DeletionRules.Step]) throws {
    for case .files(let select) in steps { try files.discard(connection.statement(select)) }
  }

  private mutating func reportKeys() throws {
    if report.isEmpty { return }
    try connection.statement(DeletedKeys.all).forEach { row in
      let key = try store.key(
        entityNumber: sqlite3_column_int64(row, 2),
        sqlite3_column_int64(row, 1)
      )
      if report.contains(.changes) { outcome.deleted.append(key) }
      if report.contains(.keys), sqlite3_column_int64(row, 3) == 0 { outcome.keys.append(key) }
    }
  }

  private mutating func reportFormerDestinations(_ steps: [DeletionRules.Step]) throws {
    for case .reportDestinations(let select, let slot) in steps { try recordChanged(select, slot) }
  }

  /// Runs a statement, and records as updated the rows that the statement returns; `slot` is the slot of the
  /// changed property.
  private mutating func recordChanged(_ statement: Statement, _ slot: Int?) throws {
    let keys = try store.changedKeys(connection.statement(statement))
    outcome.updated += keys
    guard let slot, history != nil else { return }
    for key in keys { changedSlots[key, default: SlotSet()].insert(slot) }
  }

  /// Writes one update to the history for each changed object that is not deleted, even if several of its
  /// slots changed.
  private mutating func recordUpdates() throws {
    if changedSlots.isEmpty { return }
    let gone = Set(outcome.deleted)
    for (key, slots) in changedSlots.sorted(by: { $0.key.raw < $1.key.raw })
    where !gone.contains(key) {
      try history?.updates([key], slots)
    }
  }

  private func deleteRows() throws {
    var roots: [Int] = []
    try connection.statement(DeletedKeys.roots).forEach { row in
      roots.append(Int(sqlite3_column_int64(row, 0)))
    }
    for root in roots { try connection.statement(plan.consequences.delete(root: root)).run() }
  }

  private mutating func release(_ steps: [DeletionRules.Step]) throws {
    let reports = report.contains(.changes)
    for step in steps {
      switch step {
      case .touch(let select, let slot) where reports: try recordChanged(select, slot)
      case .release(_, let reporting?, let slot) where reports: try recordChanged(reporting, slot)
      case .release(let change, _, _): try connection.statement(change).run()
      default: break
      }
    }
  }
}
