// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// Converts a file's history to the new model: entity numbers, changed properties and tombstones.
///
/// Changes of objects of removed entities are deleted.
struct HistoryMigration {
  private let plan: MigrationPlan
  private let connection: Connection
  private let old: HistoryLayout
  private let new: HistoryLayout
  /// Table → the names of its columns in the file.
  private let columns: [String: [String]]

  /// Creates the conversion; nil if the file has no history.
  ///
  /// `columns` contains the column names of each table in the file.
  init?(_ plan: MigrationPlan, _ connection: Connection, _ columns: [String: [String]]) {
    if columns[HistorySchema.changes] == nil { return nil }
    self.plan = plan
    self.connection = connection
    old = HistoryLayout(plan.source)
    new = HistoryLayout(plan.destination)
    self.columns = columns
  }

  /// Converts the history.
  ///
  /// - Throws: `StoreError`.
  /// - Complexity: O(changes).
  func run() throws {
    let completion = HistorySchema.completion(
      of: columns,
      indexes: Set(try StoreCatalogue(connection).indexes().map(\.name)),
      tombstones: new.tombstones
    )
    for statement in completion { try connection.execute(statement) }
    try removeGone()
    try translateBitmaps()
    try moveKeptValues(columns[HistorySchema.changes] ?? [])
    try renumber()
  }

  private var pairs: [(old: Int, new: Int)] {
    plan.mapping.entities.compactMap { entity in
      guard let source = entity.source, let destination = entity.destination else { return nil }
      return (source, destination)
    }
  }

  private func removeGone() throws {
    let gone = plan.mapping.entities.filter { $0.kind == .remove }
      .compactMap { $0.source.map { plan.source.entities[$0].number } }
    if gone.isEmpty { return }
    let list = gone.map(String.init).joined(separator: ", ")
    try connection.execute(
      "DELETE FROM \(name: HistorySchema.changes) WHERE ZENTITY IN (\(name: list))"
    )
  }

  /// Old slot → new slot.
  private func slots(_ pair: (old: Int, new: Int)) -> [Int: Int] {
    var slots: [Int: Int] = [:]
    for (slot, source) in plan.mapping.sourceSlots[pair.new].enumerated() {
      if let source { slots[source] = slot }
    }
    return slots
  }

  private func translateBitmaps() throws {
    let byNumber = Dictionary(
      pairs.map { (plan.source.entities[$0.old].number, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    var changed: [(entity: Int64, old: Data, new: Data)] = []
    let select = Statement(
      text:
        "SELECT DISTINCT ZENTITY, ZCOLUMNS FROM \(HistorySchema.changes) WHERE ZCOLUMNS IS NOT NULL"
    )
    try connection.statement(select).forEach { row in
      let number = sqlite3_column_int64(row, 0)
      guard let pair = byNumber[number], let bitmap = dataColumn(row, 1) else { return }
      let slots = slots(pair)
      let kept = old.entities[pair.old].slots(of: bitmap).compactMap { slots[$0] }
      let translated = new.entities[pair.new].bitmap(kept)
      if translated != bitmap { changed.append((number, bitmap, translated)) }
    }
    if changed.isEmpty { return }
    try connection.execute("CREATE TEMP TABLE CDBits (ENTITY INTEGER, OLD BLOB, NEW BLOB)")
    for (entity, before, after) in changed {
      try connection.execute(
        """
        INSERT INTO temp.CDBits VALUES (\(bind: .integer(entity)), \(bind: .blob(before)), \
        \(bind: .blob(after)))
        """
      )
    }
    try connection.execute(
      """
      UPDATE \(name: HistorySchema.changes) SET ZCOLUMNS = b.NEW FROM temp.CDBits AS b \
      WHERE ZENTITY = b.ENTITY AND ZCOLUMNS = b.OLD
      """
    )
    try connection.execute("DROP TABLE temp.CDBits")
  }

  /// Moves each tombstone to the column that its attribute has in the new model.
  private func moveKeptValues(_ columns: [String]) throws {
    for pair in pairs {
      let before = old.entities[pair.old].kept.map { $0?.slot }
      let after = new.entities[pair.new].kept.map { $0?.slot }
      let places = after.map { slot -> Int? in
        guard let slot, let source = plan.mapping.sourceSlots[pair.new][slot] else { return nil }
        return before.firstIndex(of: source)
      }
      if places == before.indices.map(Optional.some) { continue }
      let count = max(before.count, after.count)
      let parts = (0..<count).map { index -> String in
        let source = index < places.count ? places[index] : nil
        let value = source.map(HistorySchema.tombstone)
        let isThere = value.map(columns.contains) ?? false
        return "\(HistorySchema.tombstone(index)) = \(isThere ? value ?? "NULL" : "NULL")"
      }
      if parts.isEmpty { continue }
      let number = plan.source.entities[pair.old].number
      try connection.execute(
        """
        UPDATE \(name: HistorySchema.changes) SET \(name: parts.joined(separator: ", ")) \
        WHERE ZENTITY = \(bind: .integer(number)) AND ZCHANGETYPE = 2
        """
      )
    }
  }

  private func renumber() throws {
    let changed = pairs.map {
      (plan.source.entities[$0.old].number, plan.destination.entities[$0.new].number)
    }.filter { $0 != $1 }
    if changed.isEmpty { return }
    let cases = changed.map { "WHEN \($0) THEN \($1)" }.joined(separator: " ")
    let list = changed.map { "\($0.0)" }.joined(separator: ", ")
    try connection.execute(
      """
      UPDATE \(name: HistorySchema.changes) SET ZENTITY = CASE ZENTITY \(name: cases) END \
      WHERE ZENTITY IN (\(name: list))
      """
    )
  }
}
