// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// Objects that plain statements have changed, for the history of the file.
///
///     var changes = FileHistory(model: model)
///     changes.note(7, entity: 2, slot: nil)
///     try file.write(changes, by: HistoryAuthor(author: "coredata doctor"))
package struct FileHistory: Sendable {
  fileprivate let model: ModelDefinition
  /// `Z_ENT` → `Z_PK` → what has changed.
  fileprivate var slots: [Int64: [Int64: SlotSet]] = [:]

  package init(model: ModelDefinition) { self.model = model }

  /// Notes that the object's property of that slot has changed; nil for what no property shows.
  package mutating func note(_ number: Int64, entity: Int64, slot: Int?) {
    var changed = slots[entity, default: [:]][number] ?? SlotSet()
    if let slot { changed.insert(slot) }
    slots[entity, default: [:]][number] = changed
  }
}

extension StoreFile {
  /// Whether the file keeps a history.
  ///
  /// - Throws: `StoreError`.
  package func hasHistory() throws -> Bool {
    try schema().columns[HistorySchema.transactions] != nil
  }

  /// Writes one transaction of updates, an object each; nothing where the file has no history or nothing
  /// has changed.
  ///
  /// To be called inside the transaction that changed the objects. What the file lacks of a history's
  /// tables is made.
  /// - Throws: `StoreError`; `.incompatibleModel` where the model is not the file's.
  /// - Complexity: a statement an object.
  package func write(_ changes: FileHistory, by author: HistoryAuthor) throws {
    if changes.slots.isEmpty { return }
    let schema = try schema()
    if schema.columns[HistorySchema.transactions] == nil { return }
    let tables = try Layout(model: changes.model, stored: schema)
    let history = HistoryLayout(tables)
    let lacking = HistorySchema.completion(of: schema.columns, tombstones: history.tombstones)
    for statement in lacking { _ = try execute(statement.text, statement.bindings) }
    try withHistory(history, tables, author) { writer in
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
