// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// The changes that plain SQL statements have made to objects, for recording in the history of the file.
///
///     var changes = FileHistory(model: model)
///     changes.note(7, entity: 2, slot: nil)
///     try file.write(changes, by: HistoryAuthor(author: "coredata doctor"))
package struct FileHistory: Sendable {
  fileprivate let model: ModelDefinition
  /// `Z_ENT` → `Z_PK` → the changed slots.
  fileprivate var slots: [Int64: [Int64: SlotSet]] = [:]

  package init(model: ModelDefinition) { self.model = model }

  /// Records a change of the property `slot` of the object with the primary key `number`.
  ///
  /// `entity` is the entity number; `slot` is nil for a change that affects no property.
  package mutating func note(_ number: Int64, entity: Int64, slot: Int?) {
    var changed = slots[entity, default: [:]][number] ?? SlotSet()
    if let slot { changed.insert(slot) }
    slots[entity, default: [:]][number] = changed
  }
}

extension StoreFile {
  /// Returns whether the file has a history.
  ///
  /// - Throws: `StoreError`.
  package func hasHistory() throws -> Bool {
    try schema().columns[HistorySchema.transactions] != nil
  }

  /// Writes one transaction with an update for each object.
  ///
  /// Does nothing if the file has no history or no object has changed. Must be called inside the transaction
  /// that changes the objects. Missing parts of the history's tables are added. An object is left out if the
  /// model does not have its entity, or if its primary key is invalid.
  /// - Throws: `StoreError`, for example `.incompatibleModel` if the model is not the file's.
  /// - Complexity: one statement for each object.
  package func write(_ changes: FileHistory, by author: HistoryAuthor) throws {
    if changes.slots.isEmpty { return }
    let schema = try schema()
    if schema.columns[HistorySchema.transactions] == nil { return }
    let tables = try Layout(model: changes.model, stored: schema)
    let history = HistoryLayout(tables)
    let lacking = HistorySchema.completion(
      of: schema.columns,
      indexes: try indexNames(),
      tombstones: history.tombstones
    )
    for statement in lacking { _ = try execute(statement.text, statement.bindings) }
    try withHistory(history, tables, by: author) { writer in
      for (number, rows) in changes.slots.sorted(by: { $0.key < $1.key }) {
        guard let entity = tables.entityByNumber[number] else { continue }
        for (row, slots) in rows.sorted(by: { $0.key < $1.key }) {
          guard let key = ObjectKey(store: 0, entity: entity, number: row) else { continue }
          try writer.updates([key], slots)
        }
      }
    }
  }
}
