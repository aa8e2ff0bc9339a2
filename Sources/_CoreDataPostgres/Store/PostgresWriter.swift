// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// Writes one save batch inside a transaction.
struct PostgresWriter {
  let store: PostgresStore
  let connection: PostgresConnection
  /// Whether many rows may be written by COPY or by one UPDATE, which is faster but does not tell which row is
  /// not unique.
  let writesMany: Bool
  private(set) var encoder: PostgresRowEncoder
  private let keys: [ObjectKey]

  /// The number of new rows of an entity from which COPY is used.
  static let manyRows = 32

  private var layout: Layout { store.layout }
  var statements: PostgresStatements { store.statements }

  /// `keys` are the permanent keys of the batch's inserts.
  init(
    _ store: PostgresStore,
    _ connection: PostgresConnection,
    _ batch: SaveBatch,
    keys: [ObjectKey],
    writesMany: Bool
  ) {
    self.store = store
    self.connection = connection
    self.writesMany = writesMany
    self.keys = keys
    encoder = PostgresRowEncoder(layout: store.layout, path: store.path)
    for (insert, key) in zip(batch.inserts, keys) where insert.key.isTemporary {
      encoder.permanent[insert.key.raw] = key
    }
  }

  /// What a transaction has written.
  struct Written {
    /// The mark by which the server is asked for the transaction.
    let mark: PostgresMark
    /// The number in the history; nil if the store has no history, or if nothing was recorded.
    var number: Int64?
    /// The rows whose derived attributes have new values.
    var derivedKeys: [ObjectKey] = []
  }

  /// Begins a transaction and writes the batch; only the commit is left.
  ///
  /// - Throws: `StoreError`; `.conflict` with the keys of rows that another save has changed, deleted or
  ///   inserted; `.constraint` with the key of an object whose values are not unique, if it is known.
  func write(_ batch: SaveBatch) throws -> Written {
    var written = Written(mark: connection.marks.next())
    var conflicts: [ObjectKey] = []
    var history = store.hasHistory ? PostgresHistoryWriter(layout) : nil
    let isBegun = try recordDeletions(batch.deletes, &history, written.mark)
    history?.record(batch, keys)
    let copied = writesMany ? largeEntities(batch) : []
    let derivation = PostgresDerivation(self, batch, keys)
    let isWhole = copied.isEmpty && batch.orders.isEmpty && derivation == nil
    do {
      try connection.pipelined { pipeline in
        if !isBegun { try begin(pipeline, written.mark) }
        // Deletes come first, so that updates and inserts can reuse the unique values of the deleted rows.
        try delete(batch.deletes, pipeline) { conflicts.append($0) }
        try clearUniqueValues(batch.updates, pipeline)
        try update(batch.updates, pipeline) { conflicts.append($0) }
        try check(batch.checks, pipeline) { conflicts.append($0) }
        // Where rows are in conflict, the error names these rows, and not what the new rows collide with.
        if !batch.inserts.isEmpty,
          !batch.updates.isEmpty || !batch.deletes.isEmpty || !batch.checks.isEmpty
        {
          try pipeline.synchronize()
          if !conflicts.isEmpty { return }
        }
        try insert(batch.inserts, pipeline, besides: copied)
        if copied.isEmpty { try write(batch.links, pipeline) }
        if isWhole { try finish(batch, history, pipeline) { written.number = $0 } }
      }
    } catch {
      throw conflicts.isEmpty ? error : conflict(conflicts)
    }
    if !conflicts.isEmpty { throw conflict(conflicts) }
    if isWhole { return written }
    for entity in copied { try copy(batch.inserts, of: entity) }
    if !copied.isEmpty, !batch.links.isEmpty {
      try connection.pipelined { try write(batch.links, $0) }
    }
    for order in batch.orders { try write(order) }
    written.derivedKeys = try derivation?.finish() ?? []
    try connection.pipelined { pipeline in
      try finish(batch, history, pipeline) { written.number = $0 }
    }
    return written
  }

  private func begin(_ pipeline: PostgresPipeline, _ mark: PostgresMark) throws {
    try pipeline.send("BEGIN")
    try pipeline.send(PostgresMarks.write, mark.values)
    if !statements.derivations.isEmpty {
      try pipeline.send(ServerDerivations.begin)
      try pipeline.send("SELECT set_config('\(ServerDerivations.reporting)', 'on', true)")
    }
    // The notification is sent with the commit.
    try pipeline.send(PostgresStore.notify, PostgresFields([.text(store.writer)]))
  }

  /// Checks the foreign keys now, because only the commit may fail afterwards, and writes the history.
  private func finish(
    _ batch: SaveBatch,
    _ history: PostgresHistoryWriter?,
    _ pipeline: PostgresPipeline,
    number: @escaping (Int64) -> Void
  ) throws {
    try pipeline.send("SET CONSTRAINTS ALL IMMEDIATE")
    try history?.write(batch.author, pipeline, number: number)
  }

  /// Adds the deletions to the history, with the values that it preserves; returns whether the transaction was
  /// begun to read these values.
  private func recordDeletions(
    _ deletes: [SaveBatch.Delete],
    _ history: inout PostgresHistoryWriter?,
    _ mark: PostgresMark
  ) throws -> Bool {
    if history == nil || deletes.isEmpty { return false }
    let keys = deletes.map(\.key)
    let keeping = keys.filter {
      !PostgresHistoryWriter.keptSlots(store.model.entities[$0.entity]).isEmpty
    }
    if keeping.isEmpty {
      history?.deletions(keys, kept: FetchedRows())
      return false
    }
    try connection.pipelined { try begin($0, mark) }
    history?.deletions(keys, kept: try store.reads(connection).rows(for: keeping))
    return true
  }

  func conflict(_ keys: [ObjectKey]) -> StoreError {
    let names = Set(keys.map { store.model.entities[$0.entity].name }).sorted(by: utf8Less)
    return StoreError(
      .conflict,
      "another save has changed, deleted or inserted \(CellText.objects(Set(keys).count)) "
        + "(\(names.joined(separator: ", "))) of this save; refresh the objects, or set a merge policy, and "
        + "save again",
      path: store.path,
      keys: keys
    )
  }

  // MARK: Rows

  private func delete(
    _ deletes: [SaveBatch.Delete],
    _ pipeline: PostgresPipeline,
    conflict: @escaping (ObjectKey) -> Void
  ) throws {
    for delete in deletes {
      var values = PostgresFields([.integer(delete.key.number)])
      if let version = delete.expectedVersion { values.append(version) }
      let text = statements.delete(delete.key.entity, checksVersion: delete.expectedVersion != nil)
      try pipeline.send(text, values, failingFor: [delete.key]) { result in
        if delete.expectedVersion != nil, result.changes == 0 { conflict(delete.key) }
      }
    }
  }

  private func check(
    _ checks: [SaveBatch.Check],
    _ pipeline: PostgresPipeline,
    conflict: @escaping (ObjectKey) -> Void
  ) throws {
    for check in checks {
      let values = PostgresFields([.integer(check.key.number)])
      try pipeline.send(statements.version(check.key.entity), values) { result in
        if result.rowCount == 0
          || check.expectedVersion.map({ $0 != result.integer(0, 0) }) ?? false
        {
          conflict(check.key)
        }
      }
    }
  }

  /// Sets the columns of uniqueness constraints that updates write to null first.
  ///
  /// Otherwise two rows could not exchange unique values, because each statement is checked by itself.
  private func clearUniqueValues(
    _ updates: SaveBatch.Updates,
    _ pipeline: PostgresPipeline
  ) throws {
    if statements.constraints.isEmpty || updates.count < 2 { return }
    for update in updates {
      guard let text = statements.clear(update.key.entity, slots: update.slots) else { continue }
      try pipeline.send(text, PostgresFields([.integer(update.key.number)]))
    }
  }

  /// Returns the entities of which the batch inserts many rows.
  private func largeEntities(_ batch: SaveBatch) -> [Int] {
    if batch.inserts.count < Self.manyRows { return [] }
    var counts: [Int: Int] = [:]
    for insert in batch.inserts { counts[insert.key.entity, default: 0] += 1 }
    return counts.filter { $0.value >= Self.manyRows }.keys.sorted()
  }

  private func insert(
    _ inserts: [SaveBatch.Insert],
    _ pipeline: PostgresPipeline,
    besides copied: [Int]
  ) throws {
    var values = PostgresFields()
    for (insert, key) in zip(inserts, keys) where !copied.contains(key.entity) {
      try requireConcrete(key)
      let statement = statements.inserts[key.entity]
      values.removeAll()
      values.append(key.number)
      try encoder.append(
        statement.steps,
        of: insert.chunk,
        insert.row,
        key: insert.key,
        to: &values
      )
      try pipeline.send(statement.text, values, failingFor: [insert.key])
    }
  }

  private func copy(_ inserts: [SaveBatch.Insert], of entity: Int) throws {
    let statement = statements.inserts[entity]
    let positions = keys.indices.filter { keys[$0].entity == entity }
    if let first = positions.first { try requireConcrete(keys[first]) }
    let number = Int32(truncatingIfNeeded: layout.entities[entity].number)
    try connection.copy(into: statement.target, rows: positions.count) { row, fields in
      let insert = inserts[positions[row]]
      fields.beginRow(fields: statement.steps.count + 3)
      fields.append(keys[positions[row]].number)
      fields.append(entity: number)
      fields.append(Int64(1))
      try encoder.append(
        statement.steps,
        of: insert.chunk,
        insert.row,
        key: insert.key,
        to: &fields
      )
    }
  }

  private func requireConcrete(_ key: ObjectKey) throws {
    let entity = store.model.entities[key.entity]
    if !entity.isAbstract { return }
    throw StoreError(
      .invalidRequest,
      "the entity \(entity.name) is abstract and cannot have objects; insert an object of a subentity",
      path: store.path,
      keys: [key]
    )
  }

  // MARK: To-many relationships

  private func members(of owner: ObjectKey, slot: Int) throws -> MemberLayout {
    if let members = layout.entities[owner.entity].members[slot] { return members }
    let entity = store.model.entities[owner.entity]
    throw StoreError(
      .invalidRequest,
      "the save changes \(entity.name).\(entity.properties[slot].name), which is not a stored to-many "
        + "relationship",
      path: store.path,
      keys: [owner]
    )
  }

  private func write(_ links: [SaveBatch.LinkChange], _ pipeline: PostgresPipeline) throws {
    for link in links {
      let members = try members(of: link.owner, slot: link.slot)
      let owner = try encoder.resolved(link.owner).number
      // An object that was inserted and deleted before this save has no pairs to remove.
      let removed = link.removed.filter { !$0.isTemporary || encoder.permanent[$0.raw] != nil }
      for (text, keys) in [(members.removePair, removed), (members.addPair, link.added)] {
        for key in keys {
          let member = try encoder.resolved(key).number
          try pipeline.send(text, PostgresFields([.integer(owner), .integer(member)]))
        }
      }
    }
  }

  private func write(_ order: SaveBatch.OrderChange) throws {
    let layout = try members(of: order.owner, slot: order.slot)
    guard let select = layout.positions, let update = layout.setPosition else { return }
    let owner = try encoder.resolved(order.owner).number
    let members = try order.members.map { try encoder.resolved($0).number }
    let places = try connection.run(select, PostgresFields([.integer(owner)]))
    var stored: [Int64: Int64] = [:]
    for row in 0..<places.rowCount where places.binding(row, 1) != .null {
      stored[places.integer(row, 0)] = places.integer(row, 1)
    }
    let changes = OrderPositions.changes(members, stored: stored)
    try connection.pipelined { pipeline in
      for (member, place) in zip(members, changes) {
        guard let place else { continue }
        try pipeline.send(
          update,
          PostgresFields([.integer(place), .integer(owner), .integer(member)])
        )
      }
    }
  }
}
#endif
