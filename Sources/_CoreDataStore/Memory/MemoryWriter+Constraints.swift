// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Uniqueness constraints of an in-memory store.
///
/// A constraint fails in the same cases as a unique index of SQLite, except that rows of one save may
/// exchange their values.
extension MemoryWriter {
  struct UniqueChange {
    let constraint: Int
    let key: ObjectKey
    let old: UniqueValues?
    let new: UniqueValues?
  }

  /// Checks that the rows of the batch will be unique, and stores the changes for `writeUnique(_:)`.
  ///
  /// - Throws: `.constraint` with the keys of the rows that would not be unique. If several rows of the batch
  ///   have the same values, the first row's key is left out unless a stored row keeps these values too.
  /// - Complexity: O(*n*), where *n* is the number of rows in the batch.
  mutating func checkConstraints(_ state: MemoryState) throws {
    if schema.constraints.isEmpty { return }
    uniqueChanges = changes(state)
    var freed: [Int: Set<UniqueValues>] = [:]
    for change in uniqueChanges {
      if let old = change.old { freed[change.constraint, default: []].insert(old) }
    }
    var taken: [Int: Set<UniqueValues>] = [:]
    var violations: [UniqueChange] = []
    for change in uniqueChanges {
      guard let new = change.new else { continue }
      let isStored =
        state.unique[change.constraint][new] != nil
        && freed[change.constraint]?.contains(new) != true
      let isNew = taken[change.constraint, default: []].insert(new).inserted
      if isStored || !isNew { violations.append(change) }
    }
    if !violations.isEmpty {
      throw StoreError(
        .constraint,
        "\(described(violations.map(\.key))) of this save would not be unique: other objects have "
          + "the same values for \(constrained(violations)); change the values, or set a merge policy, and "
          + "save again",
        keys: violations.map(\.key)
      )
    }
  }

  /// Returns the attributes of the violated constraints, such as `Book.isbn, Author.first + Author.last`.
  private func constrained(_ violations: [UniqueChange]) -> String {
    Set(violations.map(\.constraint)).sorted().map { index in
      let constraint = schema.constraints.all[index]
      let entity = schema.model.entities[constraint.scope].name
      return constraint.names.map { "\(entity).\($0)" }.joined(separator: " + ")
    }
    .joined(separator: ", ")
  }

  private func changes(_ state: MemoryState) -> [UniqueChange] {
    var changes: [UniqueChange] = []
    for insert in batch.inserts {
      for index in schema.constraints.byEntity[insert.key.entity] {
        let slots = schema.constraints.all[index].slots
        let new = UniqueValues(insert.chunk, insert.row, slots)
        changes.append(UniqueChange(constraint: index, key: insert.key, old: nil, new: new))
      }
    }
    for update in batch.updates {
      for index in schema.constraints.byEntity[update.key.entity] {
        let slots = schema.constraints.all[index].slots
        guard slots.contains(where: update.slots.contains),
          let row = updatedRow(update, state)
        else { continue }
        changes.append(
          UniqueChange(
            constraint: index,
            key: update.key,
            old: values(update.key, slots, state),
            new: UniqueValues(row, 0, slots)
          )
        )
      }
    }
    for delete in batch.deletes {
      guard let location = state.location(root(delete.key), delete.key.number) else { continue }
      for index in schema.constraints.byEntity[Int(location.entity)] {
        let old = values(delete.key, schema.constraints.all[index].slots, state)
        changes.append(UniqueChange(constraint: index, key: delete.key, old: old, new: nil))
      }
    }
    return changes
  }

  private func values(_ key: ObjectKey, _ slots: [Int], _ state: MemoryState) -> UniqueValues? {
    let root = root(key)
    return state.location(root, key.number).flatMap { location in
      UniqueValues(state.chunk(root, location), Int(location.row), slots)
    }
  }

  private func updatedRow(_ update: SaveBatch.Update, _ state: MemoryState) -> RowChunk? {
    let root = root(update.key)
    guard let location = state.location(root, update.key.number) else { return nil }
    let source = state.chunk(root, location)
    let chunk = RowChunk(layout: source.layout, capacity: 1)
    let row = chunk.appendCopy(of: source, row: Int(location.row))
    let properties = schema.model.entities[Int(location.entity)].properties
    for slot in update.slots where properties[slot].attribute != nil && properties[slot].isStored {
      chunk.copySlot(slot, to: row, from: update.chunk, update.row)
    }
    return chunk
  }

  /// Updates the table of unique values.
  ///
  /// Must be called after the inserted rows have received their permanent keys, which the table contains.
  func writeUnique(_ state: inout MemoryState) {
    for change in uniqueChanges {
      if let old = change.old { state.unique[change.constraint][old] = nil }
    }
    for change in uniqueChanges {
      if let new = change.new {
        state.unique[change.constraint][new] = resolved(change.key).number
      }
    }
  }
}
