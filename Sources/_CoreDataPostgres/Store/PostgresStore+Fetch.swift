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
    let control = description.control
    switch plan.reading {
    case .count:
      return .count(Int(try connection.run(plan.statement, control: control).integer(0, 0)))
    case .keys(let source):
      let keys = try store.reader.keys(connection.run(plan.statement, control: control), source)
      control?.reportRows(keys.count)
      return .keys(keys)
    case .rows(let source):
      let rows = try store.reader.rows(
        of: plan.statement.text,
        PostgresFields(plan.statement.bindings),
        from: connection,
        source,
        control: control
      )
      return .rows(plan.sorter?.sorted(rows) ?? rows)
    case .dictionaries(let columns):
      let result = try connection.run(plan.statement, control: control)
      control?.reportRows(result.rowCount)
      let reader = PostgresDictionaryReader(reader: store.reader, columns: columns)
      return .dictionaries(try reader.read(result))
    }
  }
}
#endif
