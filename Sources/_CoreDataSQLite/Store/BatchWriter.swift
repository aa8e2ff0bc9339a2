// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// The writer of one save batch, inside a transaction.
struct BatchWriter: RowReferences {
  let store: SQLiteStore
  let connection: Connection
  let files: ExternalFiles
  /// Temporary key → permanent key; empty if the batch cannot contain references to new objects.
  private var permanent: [UInt64: ObjectKey] = [:]
  private var conflicts: [ObjectKey] = []
  private var missing: Set<ObjectKey> = []

  init(store: SQLiteStore, connection: Connection, files: ExternalFiles) {
    self.store = store
    self.connection = connection
    self.files = files
  }

  private var layout: Layout { store.layout }

  /// Writes the batch, and returns the keys of the inserted rows and of the stored rows with which inserts
  /// were combined.
  ///
  /// - Throws: `StoreError`, such as `.conflict` with the keys of rows that another save has changed or
  ///   deleted, and `.constraint` with the key of an object whose values are not unique.
  mutating func write(_ batch: SaveBatch) throws -> SaveOutcome {
    let keys = try numberInserts(batch)
    // Deletes come first, so that updates and inserts can reuse the unique values of the deleted rows.
    try delete(batch.deletes)
    try clearUniqueValues(batch.updates)
    try update(batch.updates)
    try check(batch.checks)
    if !conflicts.isEmpty {
      throw StoreError(
        .conflict,
        "another save has changed or deleted \(described(conflicts)) of this save; refresh the objects, or "
          + "set a merge policy, and save again",
        path: store.options.path,
        keys: conflicts
      )
    }
    var outcome = SaveOutcome(insertedKeys: keys)
    outcome.missing = missing
    if batch.folds.isEmpty {
      try insert(batch.inserts, keys: keys)
    } else {
      outcome.folded = try insertFolding(batch, keys: keys)
    }
    try write(batch.links)
    for order in batch.orders { try write(order) }
    return outcome
  }

  /// Returns the number of objects and the names of their entities, such as `2 objects (Author, Book)`.
  private func described(_ keys: [ObjectKey]) -> String {
    let names = Set(keys.map { store.model.entities[$0.entity].name }).sorted(by: utf8Less)
    return "\(CellText.objects(Set(keys).count)) (\(names.joined(separator: ", ")))"
  }

  // MARK: Keys

  private mutating func numberInserts(_ batch: SaveBatch) throws -> [ObjectKey] {
    if batch.inserts.isEmpty { return [] }
    let temporary = batch.inserts.lazy.filter { $0.key.isTemporary }
    let numbering = Numbering(store: store, connection: connection)
    let numbered = try numbering.keys(for: temporary.map { $0.key.entity })
    var keys = numbered
    if numbered.count < batch.inserts.count {
      var next = numbered.makeIterator()
      keys = batch.inserts.map { $0.key.isTemporary ? next.next() ?? $0.key : $0.key }
    }
    if refersToNewObjects(batch) {
      permanent.reserveCapacity(numbered.count)
      for (insert, key) in zip(temporary, numbered) { permanent[insert.key.raw] = key }
    }
    return keys
  }

  private func refersToNewObjects(_ batch: SaveBatch) -> Bool {
    if !batch.links.isEmpty || !batch.orders.isEmpty || !batch.updates.isEmpty { return true }
    var last = -1
    return batch.inserts.contains { insert in
      if insert.key.entity == last { return false }
      last = insert.key.entity
      return !store.model.entities[last].toOneSlots.isEmpty
    }
  }

  func resolved(_ key: ObjectKey) throws -> ObjectKey {
    if !key.isTemporary { return key }
    guard let found = permanent[key.raw] else {
      throw StoreError(
        .invalidRequest,
        "a relationship refers to a new \(store.model.entities[key.entity].name) object that is not part of "
          + "the save; save both objects together",
        path: store.options.path,
        keys: [key]
      )
    }
    return found
  }

  // MARK: Rows

  private struct Deletion {
    let entity: Int
    let checksVersion: Bool
    let row: PreparedStatement
    let pairs: [PreparedStatement]
  }

  private mutating func delete(_ deletes: [SaveBatch.Delete]) throws {
    var deletion: Deletion?
    for delete in deletes {
      let checksVersion = delete.expectedVersion != nil
      if deletion?.entity != delete.key.entity || deletion?.checksVersion != checksVersion {
        deletion = try self.deletion(delete.key.entity, checksVersion: checksVersion)
      }
      guard let deletion else { continue }
      try discardFiles(of: delete.key)
      try deletion.row.bind(delete.key.number, at: 1)
      if let version = delete.expectedVersion { try deletion.row.bind(version, at: 2) }
      try run(deletion.row, key: delete.key)
      if checksVersion, connection.changes == 0 { conflicts.append(delete.key) }
      for pairs in deletion.pairs {
        try pairs.bind(delete.key.number, at: 1)
        try run(pairs, key: delete.key)
      }
    }
  }

  private func deletion(_ entity: Int, checksVersion: Bool) throws -> Deletion {
    let statements = store.statements.deletes[entity]
    return Deletion(
      entity: entity,
      checksVersion: checksVersion,
      row: try connection.statement(checksVersion ? statements.checked : statements.unchecked),
      pairs: try statements.pairs.map { try connection.statement($0) }
    )
  }

  /// Marks the files of a row's large values as obsolete, before the row is deleted or the values are
  /// replaced.
  ///
  /// `slots` are the slots whose values are replaced; nil means all slots.
  private func discardFiles(of key: ObjectKey, slots: SlotSet? = nil) throws {
    for column in store.statements.fileColumns[key.entity]
    where slots?.contains(column.slot) ?? true {
      let select = try connection.cached(column.select)
      try select.bind(key.number, at: 1)
      try select.forEach { row in
        // A value that names an external file is 38 bytes long.
        if sqlite3_column_bytes(row, 0) == 38, let value = dataColumn(row, 0) {
          files.discard(value)
        }
      }
    }
  }

  private mutating func check(_ checks: [SaveBatch.Check]) throws {
    for check in checks {
      let select = try connection.statement(store.statements.versions[check.key.entity])
      try select.bind(check.key.number, at: 1)
      let version = try select.integer()
      if version == nil || check.expectedVersion.map({ $0 != version }) ?? false {
        conflicts.append(check.key)
      }
    }
  }

  /// If an update writes a column of a uniqueness constraint, sets that column to NULL first.
  ///
  /// Otherwise two rows could not exchange unique values, because SQLite checks uniqueness after each row.
  private func clearUniqueValues(_ updates: SaveBatch.Updates) throws {
    let constraints = store.statements.constraints
    if constraints.isEmpty || updates.count < 2 { return }
    for update in updates {
      let entity = layout.entities[update.key.entity]
      let slots = constraints.byEntity[update.key.entity].flatMap { constraints.all[$0].slots }
        .filter(update.slots.contains)
      let columns = Set(slots.flatMap { entity.column($0)?.names ?? [] }).sorted()
      if columns.isEmpty { continue }
      let statement = try connection.statement(RowStatement.clear(columns, entity))
      try statement.bind(update.key.number, at: 1)
      try statement.run()
    }
  }

  private mutating func update(_ updates: SaveBatch.Updates) throws {
    // The statements of all shapes except `last`.
    var prepared: [UpdateStatements.Shape: RowBinding] = [:]
    var last: (shape: UpdateStatements.Shape, binding: RowBinding)?
    for update in updates {
      let shape = UpdateStatements.Shape(
        entity: update.key.entity,
        slots: update.slots,
        checksVersion: update.expectedVersion != nil
      )
      if last?.shape != shape {
        if let last { prepared[last.shape] = last.binding }
        last = (shape, try prepared[shape] ?? prepare(shape))
      }
      guard let binding = last?.binding else { continue }
      try discardFiles(of: update.key, slots: update.slots)
      try binding.bind(update.chunk, update.row, first: 1, references: self)
      var next = binding.count + 1
      try binding.statement.bind(update.key.number, at: next)
      next += 1
      if let version = update.expectedVersion { try binding.statement.bind(version, at: next) }
      try run(binding.statement, key: update.key)
      if connection.changes > 0 { continue }
      if update.needsRow { conflicts.append(update.key) } else { missing.insert(update.key) }
    }
  }

  private func prepare(_ shape: UpdateStatements.Shape) throws -> RowBinding {
    if let known = connection.writing.update, known.shape == shape {
      try connection.noteStart(known.binding.statement.text)
      return known.binding
    }
    let rows = store.statements.updates.statement(shape, in: layout)
    let made = RowBinding(
      try connection.statement(rows.statement),
      rows,
      numbers: store.statements.numbers
    )
    connection.writing.update = (shape, made)
    return made
  }

  func insert(_ inserts: [SaveBatch.Insert], keys: [ObjectKey]) throws {
    // The statements of all entities except `entity`.
    var prepared: [Int: RowBinding] = [:]
    var entity = -1
    var binding: RowBinding?
    for (position, (insert, key)) in zip(inserts, keys).enumerated() {
      if key.entity != entity {
        if let binding { prepared[entity] = binding }
        entity = key.entity
        if store.model.entities[entity].isAbstract {
          throw StoreError(
            .invalidRequest,
            "the entity \(store.model.entities[entity].name) is abstract and cannot have objects; insert an "
              + "object of a subentity",
            path: store.options.path,
            keys: [key]
          )
        }
        binding = try prepared[entity] ?? connection.insertion(entity, in: store.statements)
      }
      guard let binding else { continue }
      try binding.statement.bind(key.number, at: 1)
      try binding.bind(insert.chunk, insert.row, first: 2, references: self)
      do {
        try run(binding.statement, key: insert.key)
      } catch let error as StoreError where error.code == .constraint && !insert.key.isTemporary {
        throw try insertedAgain(inserts[position...]) ?? error
      }
    }
  }

  /// Returns a conflict error if rows with the inserts' permanent keys already exist; nil if no such row
  /// exists.
  ///
  /// Such rows exist if this save and another save both insert a deleted object again.
  private func insertedAgain(_ inserts: ArraySlice<SaveBatch.Insert>) throws -> StoreError? {
    let present = try inserts.map(\.key).filter { key in
      if key.isTemporary { return false }
      let presence = RowStatement.presence(layout.entities[key.entity])
      let select = try connection.statement(presence)
      try select.bind(key.number, at: 1)
      return try select.integer() != nil
    }
    if present.isEmpty { return nil }
    return StoreError(
      .conflict,
      "another save has already inserted \(described(present)) that this save inserts again after a "
        + "deletion; refresh the objects, or set a merge policy, and save again",
      path: store.options.path,
      keys: present
    )
  }

  private func run(_ statement: PreparedStatement, key: ObjectKey) throws {
    let code = sqlite3_step(statement.handle)
    if code != SQLITE_DONE, code != SQLITE_ROW {
      var error = statement.failure(code)
      if error.code == .constraint { error.keys = [key] }
      throw error
    }
    sqlite3_reset(statement.handle)
  }

  // MARK: To-many relationships

  private func members(of owner: ObjectKey, slot: Int) throws -> MemberLayout {
    guard let members = layout.entities[owner.entity].members[slot] else {
      let entity = store.model.entities[owner.entity]
      throw StoreError(
        .invalidRequest,
        "the save changes \(entity.name).\(entity.properties[slot].name), which is not a stored to-many "
          + "relationship",
        path: store.options.path,
        keys: [owner]
      )
    }
    return members
  }

  /// The key of the prepared statement that inserts or removes pairs of a to-many.
  private struct PairShape: Hashable {
    let entity: Int
    let slot: Int
    let isInserted: Bool
  }

  private func write(_ links: [SaveBatch.LinkChange]) throws {
    var prepared: [PairShape: PreparedStatement] = [:]
    for link in links {
      let members = try members(of: link.owner, slot: link.slot)
      let owner = try resolved(link.owner).number
      // An object that was inserted and deleted before this save has no pairs to remove.
      let removed = link.removed.filter { !$0.isTemporary || permanent[$0.raw] != nil }
      for (isInserted, keys) in [(false, removed), (true, link.added)] where !keys.isEmpty {
        let shape = PairShape(
          entity: link.owner.entity,
          slot: link.slot,
          isInserted: isInserted
        )
        let pair = isInserted ? members.insertPair : members.deletePair
        let statement = try prepared[shape] ?? connection.statement(pair)
        prepared[shape] = statement
        for key in keys {
          try statement.bind(owner, at: 1)
          try statement.bind(try resolved(key).number, at: 2)
          try statement.run()
        }
      }
    }
  }

  private func write(_ order: SaveBatch.OrderChange) throws {
    let layout = try members(of: order.owner, slot: order.slot)
    guard let select = layout.selectPositions, let update = layout.updatePosition else { return }
    let owner = try resolved(order.owner).number
    let members = try order.members.map { try resolved($0).number }
    var stored: [Int64: Int64] = [:]
    let places = try connection.statement(select)
    try places.bind(owner, at: 1)
    try places.forEach { row in
      if sqlite3_column_type(row, 1) != SQLITE_NULL {
        stored[sqlite3_column_int64(row, 0)] = sqlite3_column_int64(row, 1)
      }
    }
    let changes = OrderPositions.changes(members, stored: stored)
    let statement = try connection.statement(update)
    for (member, place) in zip(members, changes) {
      guard let place else { continue }
      try statement.bind([.integer(place), .integer(owner), .integer(member)])
      try statement.run()
    }
  }
}
