// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Writes one save batch into a state.
///
/// Call `check(_:)` and `checkConstraints(_:)` first: `write(_:numbers:)` does not report errors.
struct MemoryWriter {
  let schema: MemorySchema
  let batch: SaveBatch
  private var permanent: [ObjectKey: ObjectKey] = [:]
  /// Entity → index of the chunk to which its rows are appended in this save.
  private var open: [Int: Int] = [:]
  /// Entity → the number of the batch's rows for which no chunk has been allocated yet.
  private var waiting: [Int: Int] = [:]
  private var lists = MemberLists()
  var uniqueChanges: [UniqueChange] = []

  /// Creates a writer for a batch.
  ///
  /// `keys` maps temporary keys to permanent keys; the writer assigns the permanent keys that are missing.
  init(schema: MemorySchema, batch: SaveBatch, keys: [ObjectKey: ObjectKey] = [:]) {
    self.schema = schema
    self.batch = batch
    permanent = keys
  }

  /// Checks that the rows to update, delete or check exist in the expected versions, and that the rows to
  /// insert do not exist yet.
  ///
  /// - Throws: `.conflict` with the keys of the rows that fail the check.
  func check(_ state: MemoryState) throws {
    var conflicts: [ObjectKey] = []
    for update in batch.updates
    where update.needsRow && !fits(update.key, update.expectedVersion ?? -1, state) {
      conflicts.append(update.key)
    }
    for delete in batch.deletes {
      guard let expected = delete.expectedVersion else { continue }
      if !fits(delete.key, expected, state) { conflicts.append(delete.key) }
    }
    for check in batch.checks where !fits(check.key, check.expectedVersion ?? -1, state) {
      conflicts.append(check.key)
    }
    for insert in batch.inserts where !insert.key.isTemporary {
      if state.location(root(insert.key), insert.key.number) != nil { conflicts.append(insert.key) }
    }
    if !conflicts.isEmpty {
      throw StoreError(
        .conflict,
        "another save has changed, deleted or inserted \(described(conflicts)) of this save; refresh the "
          + "objects, or set a merge policy, and save again",
        keys: conflicts
      )
    }
  }

  /// Returns a description of the objects for an error text, such as `2 objects (Author, Book)`.
  func described(_ keys: [ObjectKey]) -> String {
    let names = Set(keys.map { schema.model.entities[$0.entity].name }).sorted()
    return "\(CellText.objects(Set(keys).count)) (\(names.joined(separator: ", ")))"
  }

  /// Returns whether the row exists in this version; a version of -1 matches any version.
  private func fits(_ key: ObjectKey, _ version: Int64, _ state: MemoryState) -> Bool {
    guard let location = state.location(root(key), key.number) else { return false }
    return version < 0 || state.chunk(root(key), location).version(Int(location.row)) == version
  }

  /// Assigns permanent keys to the new objects that have none; `write(_:numbers:)` uses these keys.
  ///
  /// `numbers` contains the last primary key of each of the schema's counters; this method updates `numbers`.
  mutating func assignKeys(_ numbers: inout [Int64], store: Int) {
    for insert in batch.inserts { _ = number(insert.key, &numbers, store) }
  }

  /// Checks that the hierarchies have enough primary keys left for the new objects.
  ///
  /// - Throws: `.engine` if a new object cannot get a permanent key.
  func checkNumbers(_ numbers: [Int64], store: Int) throws {
    var counts: [Int: Int64] = [:]
    for insert in batch.inserts where insert.key.isTemporary && permanent[insert.key] == nil {
      let counter = schema.counters[root(insert.key)]
      counts[counter, default: 0] += 1
      let number = numbers[counter] + (counts[counter] ?? 0)
      if ObjectKey(store: store, entity: insert.key.entity, number: number) == nil {
        throw StoreError(
          .engine,
          schema.keyFailure(store: store, entity: insert.key.entity, number: number)
        )
      }
    }
  }

  /// Writes the batch and returns the keys of its inserts, in the order of the inserts.
  ///
  /// `numbers` contains the last primary key of each of the schema's counters; this method updates `numbers`.
  mutating func write(_ state: inout MemoryState, numbers: inout [Int64]) -> [ObjectKey] {
    for insert in batch.inserts { waiting[insert.key.entity, default: 0] += 1 }
    for update in batch.updates { waiting[update.key.entity, default: 0] += 1 }
    let keys = batch.inserts.map { number($0.key, &numbers, state.index) }
    for (insert, key) in zip(batch.inserts, keys) { appendRow(insert, key, &state) }
    for key in keys { resolveReferences(key, &state) }
    for update in batch.updates { write(update, &state) }
    for delete in batch.deletes { remove(delete.key, &state) }
    writeUnique(&state)
    for link in batch.links { write(link, &state) }
    for order in batch.orders { write(order, &state) }
    lists.close(into: &state)
    let roots = (batch.updates.map(\.key) + batch.deletes.map(\.key)).map(root)
    for root in Set(roots) { compact(root, &state) }
    return keys
  }

  func root(_ key: ObjectKey) -> Int { schema.model.entities[key.entity].root }

  func resolved(_ key: ObjectKey) -> ObjectKey { permanent[key] ?? key }

  // MARK: Rows

  private mutating func number(
    _ key: ObjectKey,
    _ numbers: inout [Int64],
    _ store: Int
  ) -> ObjectKey {
    guard key.isTemporary else { return key }
    if let known = permanent[key] { return known }
    let counter = schema.counters[root(key)]
    numbers[counter] += 1
    let number = numbers[counter]
    let made = ObjectKey(store: store, entity: key.entity, number: number)
    precondition(
      made != nil,
      schema.keyFailure(store: store, entity: key.entity, number: number)
    )
    permanent[key] = made
    return made ?? key
  }

  /// Returns the index of a chunk with room for a new row, and the chunk; the caller must write every slot.
  private mutating func chunk(for entity: Int, _ state: inout MemoryState) -> (Int, RowChunk) {
    let root = schema.model.entities[entity].root
    if let index = open[entity], !state.tables[root].chunks[index].isFull {
      return (index, state.tables[root].chunks[index])
    }
    let capacity = min(max(1, waiting[entity] ?? 0), 512)
    waiting[entity, default: 0] -= capacity
    let chunk = RowChunk(layout: schema.model.entities[entity].rowLayout, capacity: capacity)
    open[entity] = state.tables[root].chunks.count
    state.tables[root].chunks.append(chunk)
    return (state.tables[root].chunks.count - 1, chunk)
  }

  private mutating func appendRow(
    _ insert: SaveBatch.Insert,
    _ key: ObjectKey,
    _ state: inout MemoryState
  ) {
    let root = root(key)
    let (index, chunk) = chunk(for: key.entity, &state)
    let row = chunk.appendCopy(of: insert.chunk, row: insert.row)
    for slot in schema.transientSlots[key.entity] { chunk.setNull(row, slot) }
    chunk.setVersion(row, 1)
    state.tables[root].locations[key.number] = MemoryState.Location(
      chunk: Int32(index),
      row: Int32(row),
      entity: Int32(key.entity)
    )
    state.tables[root].rowCount += 1
    state.tables[root].total += 1
  }

  private mutating func resolveReferences(_ key: ObjectKey, _ state: inout MemoryState) {
    let root = root(key)
    guard let location = state.location(root, key.number) else { return }
    let chunk = state.chunk(root, location)
    for slot in schema.model.entities[key.entity].toOneSlots
    where !chunk.isNull(Int(location.row), slot) {
      resolveReference(key, slot, in: chunk, row: Int(location.row), &state)
    }
  }

  /// Replaces the reference in a to-one with the permanent key of the destination, and adds the referring row
  /// to the destination's inverse to-many, if there is one.
  ///
  /// The permanent key contains the entity of the destination's row, which can be a subentity.
  private mutating func resolveReference(
    _ key: ObjectKey,
    _ slot: Int,
    in chunk: RowChunk,
    row: Int,
    _ state: inout MemoryState
  ) {
    let target = resolved(chunk.key(row, slot))
    let concrete = state.key(root(target), target.number) ?? target
    chunk.setKey(row, slot, concrete)
    if let relation = schema.backlink(key.entity, slot) {
      lists.append(key.number, to: concrete.number, relation, &state)
    }
  }

  private mutating func write(_ update: SaveBatch.Update, _ state: inout MemoryState) {
    let root = root(update.key)
    guard let old = state.location(root, update.key.number) else { return }
    let entity = Int(old.entity)
    let oldChunk = state.chunk(root, old)
    let oldRow = Int(old.row)
    let (index, chunk) = chunk(for: entity, &state)
    let row = chunk.appendCopy(of: oldChunk, row: oldRow)
    chunk.setVersion(row, oldChunk.version(oldRow) + 1)
    state.tables[root].locations[update.key.number] = MemoryState.Location(
      chunk: Int32(index),
      row: Int32(row),
      entity: old.entity
    )
    state.tables[root].total += 1
    let properties = schema.model.entities[entity].properties
    let key = update.key.with(entity: entity)
    for slot in update.slots where properties[slot].isStored {
      if properties[slot].isToOne {
        unlist(key, slot, in: chunk, row: row, &state)
        chunk.copySlot(slot, to: row, from: update.chunk, update.row)
        if !chunk.isNull(row, slot) { resolveReference(key, slot, in: chunk, row: row, &state) }
      } else {
        chunk.copySlot(slot, to: row, from: update.chunk, update.row)
      }
    }
  }

  private mutating func remove(_ key: ObjectKey, _ state: inout MemoryState) {
    let root = root(key)
    guard let location = state.location(root, key.number) else { return }
    let chunk = state.chunk(root, location)
    let entity = schema.model.entities[Int(location.entity)]
    for slot in entity.toOneSlots {
      unlist(key.with(entity: entity.index), slot, in: chunk, row: Int(location.row), &state)
    }
    for slot in entity.toManySlots {
      guard let relation = schema.relation(entity.index, slot) else { continue }
      let members = lists.members(of: key.number, relation, state)
      lists.replace(nil, of: key.number, relation, &state)
      guard let inverse = schema.relations[relation].inverse else { continue }
      for member in members { lists.remove(key.number, from: member, inverse, &state) }
    }
    state.tables[root].locations[key.number] = .none
    state.tables[root].rowCount -= 1
  }

  // MARK: Members

  private mutating func unlist(
    _ key: ObjectKey,
    _ slot: Int,
    in chunk: RowChunk,
    row: Int,
    _ state: inout MemoryState
  ) {
    guard !chunk.isNull(row, slot), let relation = schema.backlink(key.entity, slot) else { return }
    lists.remove(key.number, from: chunk.key(row, slot).number, relation, &state)
  }

  private mutating func write(_ link: SaveBatch.LinkChange, _ state: inout MemoryState) {
    let owner = resolved(link.owner)
    guard let relation = schema.relation(owner.entity, link.slot) else { return }
    let inverse = schema.relations[relation].inverse
    for member in link.removed.map(resolved) {
      lists.remove(member.number, from: owner.number, relation, &state)
      if let inverse { lists.remove(owner.number, from: member.number, inverse, &state) }
    }
    guard state.location(root(owner), owner.number) != nil else { return }
    if link.added.isEmpty { return }
    var known = Set(lists.members(of: owner.number, relation, state))
    for member in link.added.map(resolved) {
      guard state.location(root(member), member.number) != nil else { continue }
      if known.insert(member.number).inserted {
        lists.append(member.number, to: owner.number, relation, &state)
      }
      guard let inverse, inverse != relation || member.number != owner.number else { continue }
      if !lists.contains(owner.number, in: member.number, inverse, state) {
        lists.append(owner.number, to: member.number, inverse, &state)
      }
    }
  }

  private mutating func write(_ order: SaveBatch.OrderChange, _ state: inout MemoryState) {
    let owner = resolved(order.owner)
    guard let relation = schema.relation(owner.entity, order.slot) else { return }
    let current = lists.members(of: owner.number, relation, state)
    if current.isEmpty { return }
    let present = Set(current)
    let ordered = order.members.map { resolved($0).number }.filter(present.contains)
    let placed = Set(ordered)
    lists.replace(
      ordered + current.filter { !placed.contains($0) },
      of: owner.number,
      relation,
      &state
    )
  }

  // MARK: Old versions

  /// Copies the current rows into new chunks if the number of old versions and deleted rows exceeds the
  /// number of current rows by more than 512.
  private func compact(_ root: Int, _ state: inout MemoryState) {
    let table = state.tables[root]
    guard table.total > 2 * table.rowCount + 512 else { return }
    var chunks: [RowChunk] = []
    var open: [Int32: Int] = [:]
    table.locations.forEach { number, location in
      let source = table.chunks[Int(location.chunk)]
      if open[location.entity].map({ chunks[$0].isFull }) ?? true {
        open[location.entity] = chunks.count
        chunks.append(RowChunk(layout: source.layout, capacity: 512))
      }
      let index = open[location.entity] ?? 0
      let row = chunks[index].appendCopy(of: source, row: Int(location.row))
      state.tables[root].locations[number] = MemoryState.Location(
        chunk: Int32(index),
        row: Int32(row),
        entity: location.entity
      )
    }
    state.tables[root].chunks = chunks
    state.tables[root].total = table.rowCount
  }
}
