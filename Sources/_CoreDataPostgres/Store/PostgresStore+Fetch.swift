// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

extension PostgresStore {
  package func fetch(_ description: FetchDescription) throws -> FetchResult {
    try read(description.control) { try reads($0).fetch(description) }
  }

  package func divided(_ description: FetchDescription) throws -> DividedFetch {
    try planner.divided(description)
  }

  package func rows(for keys: [ObjectKey]) throws -> FetchedRows {
    try read { try reads($0).rows(for: keys) }
  }

  package func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]] {
    try read { try reads($0).members(of: owners, slot: slot) }
  }

  package func memberRows(of owner: ObjectKey, slot: Int) throws -> FetchedRows? {
    try read { try reads($0).memberRows(of: [owner], slot: slot) }
  }

  package func related(to owners: [ObjectKey], slot: Int) throws -> RelatedRows {
    let related: RelatedRows? = try read { try reads($0).related(to: owners, slot: slot) }
    return try related ?? relatedByMembers(to: owners, slot: slot)
  }

  /// Runs `body`, which only reads, with a connection to a server that has all that the store has seen and
  /// written.
  ///
  /// - Throws: as `PostgresPool.read(_:_:)`.
  func read<T>(_ control: FetchControl? = nil, _ body: (PostgresConnection) throws -> T) throws -> T
  {
    try standbys?.read(control, body) ?? pool.read(control, body)
  }

  /// Runs `body` with a connection to the primary server; later reads do not see less than it has seen.
  ///
  /// - Throws: as `PostgresPool.read(_:_:)`.
  func readNewest<T>(_ body: (PostgresConnection) throws -> T) throws -> T {
    try pool.read { connection in
      let result = try body(connection)
      try standbys?.see(connection)
      return result
    }
  }

  func reads(_ connection: PostgresConnection) -> PostgresReads {
    PostgresReads(store: self, connection: connection)
  }
}

extension PostgresReads {
  func fetch(_ description: FetchDescription) throws -> FetchResult {
    let plan = try store.planner.plan(description)
    if case .rows(let source) = plan.reading, let rows = try copied(plan, source, description) {
      return .rows(plan.sorter?.sorted(rows) ?? rows)
    }
    let result = try connection.run(plan.statement, control: description.control)
    switch plan.reading {
    case .count: return .count(Int(result.integer(0, 0)))
    case .keys(let source):
      let keys = try store.reader.keys(result, source)
      description.control?.reportRows(keys.count)
      return .keys(keys)
    case .rows(let source):
      var rows = FetchedRows()
      try store.reader.read(result, source, control: description.control, into: &rows)
      if plan.statement.bindings.isEmpty {
        store.resultSizes.record(plan.statement.text, rows.keys.count)
      }
      return .rows(plan.sorter?.sorted(rows) ?? rows)
    case .dictionaries(let columns):
      let reader = PostgresDictionaryReader(reader: store.reader, columns: columns)
      description.control?.reportRows(result.rowCount)
      return .dictionaries(try reader.read(result))
    }
  }

  /// Returns the rows of a plan, read by COPY; nil if the plan has values or its statement returns few rows.
  private func copied(
    _ plan: FetchPlan,
    _ source: RowSource,
    _ description: FetchDescription
  ) throws -> FetchedRows? {
    let text = plan.statement.text
    guard plan.statement.bindings.isEmpty, store.resultSizes.prefersCopy(text),
      store.reader.canCopy(source)
    else { return nil }
    var rows = FetchedRows()
    do {
      try store.reader.copy(
        text,
        from: connection,
        source,
        // With a control, the wait for the first row notices a server that hangs.
        control: description.control ?? FetchControl(),
        into: &rows
      )
    } catch let error as StoreError where error.isUnknownStatement && !connection.isInTransaction {
      // Other engines with PostgreSQL's protocol do not all have this form of COPY.
      store.resultSizes.giveUpCopy()
      return nil
    }
    store.resultSizes.record(text, rows.keys.count)
    return rows
  }
}
#endif
