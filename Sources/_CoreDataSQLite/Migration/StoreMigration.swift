// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

/// Migrates a file to another model with an inferred mapping, in place and in one transaction.
///
///     let mapping = try ModelMapping(inferredFrom: old, to: new)
///     let outcome = try StoreMigration(mapping, options: options).run()
///
/// If the migration fails or the process ends, the file is either unchanged or migrated completely.
package struct StoreMigration {
  package enum Outcome: Sendable {
    case migrated(MigrationPlan)
    /// Another process migrated the file before this migration got the write lock.
    case wasDone
  }

  private let mapping: ModelMapping
  private let options: SQLiteStoreOptions
  private let shared: MigrationResources?

  /// `shared` contains the resources that the migration shares with the store that is opened before and after
  /// the migration; nil if the migration shares no resources.
  package init(
    _ mapping: ModelMapping,
    options: SQLiteStoreOptions,
    shared: MigrationResources? = nil
  ) {
    self.mapping = mapping
    self.options = options
    self.shared = shared
  }

  /// Returns the plan that `run()` would carry out, without changing the file.
  ///
  /// - Throws: `StoreError`, for example `.incompatibleModel` if the file does not match the old model.
  package func plan() throws -> MigrationPlan {
    var options = options
    options.isReadOnly = true
    options.leavesNoTrace = true
    let connection = try Connection(options, isReader: true)
    return try plan(connection, StoreVersion(connection, path: options.path))
  }

  /// Migrates the file; waits up to the timeout while other connections write.
  ///
  /// - Throws: `StoreError`, for example `.migration` if the file has another model, or contains objects of
  ///   an entity that becomes abstract; `.migrationConstraint` if rows violate a uniqueness constraint;
  ///   `.busy` after the timeout; `.cannotWrite` if the disk is full.
  /// - Complexity: O(rows) for tables whose rows change or are copied; an added column writes no rows.
  package func run() throws -> Outcome {
    let connection = try shared?.connection ?? opened()
    let files = ExternalFiles(options)
    do {
      let outcome = try connection.transaction { try migrate(connection, files) }
      files.committed()
      if !options.locksExclusively { shared?.keepMigrated(connection) }
      return outcome
    } catch {
      files.rolledBack()
      throw error
    }
  }

  private func opened() throws -> Connection {
    let connection = try Connection(options, isReader: false)
    try StoreCatalogue(connection).requireStore()
    try connection.configureWriter(options)
    try connection.checkWritable()
    return connection
  }

  // MARK: Inside the transaction

  private func migrate(_ connection: Connection, _ files: ExternalFiles) throws -> Outcome {
    let version =
      try shared?.currentVersion(connection)
      ?? StoreVersion(connection, path: options.path, shared)
    if version.matches(mapping.destination, entities: options.entities) { return .wasDone }
    guard version.isVersion(mapping.source) else {
      throw StoreError(
        .migration,
        "another program has migrated the store to another model meanwhile; open the store again",
        path: options.path
      )
    }
    let plan = try plan(connection, version)
    try checkAbstracted(plan, connection)
    for statement in plan.obsoleteFiles { try files.discard(connection.statement(statement)) }
    try HistoryMigration(plan, connection, version.schema.columns)?.run()
    for step in plan.steps { try carryOut(step, connection) }
    try finish(plan, connection, version)
    return .migrated(plan)
  }

  private func plan(_ connection: Connection, _ version: StoreVersion) throws -> MigrationPlan {
    let objects = try StoreCatalogue(connection).objects(version.schema)
    return try MigrationPlanner(
      mapping,
      file: objects,
      entities: Set(version.hashes.keys),
      isDeferring: options.defersRemovals
    ).plan()
  }

  private func checkAbstracted(_ plan: MigrationPlan, _ connection: Connection) throws {
    for (entity, count) in plan.abstracted {
      guard let rows = try connection.statement(count).integer(), rows > 0 else { continue }
      throw StoreError(
        .migration,
        "\(entity): the entity is abstract in the new model, but the store has objects of it (\(rows)); "
          + "delete them with the old model, or map them to another entity with a mapping model",
        path: options.path
      )
    }
  }

  private func carryOut(_ step: MigrationStep, _ connection: Connection) throws {
    if case .takeInFiles(let column) = step.action {
      for statement in step.statements {
        try takeIn(column, of: step.table, rows: statement, connection)
      }
      return
    }
    do {
      for statement in step.statements { try connection.execute(statement) }
    } catch let error as StoreError where error.code == .constraint {
      guard let constraint = step.constraint else { throw error }
      throw StoreError(
        .migrationConstraint,
        "the uniqueness constraint \(constraint) is violated: \(error.message); make the values unique with "
          + "the old model, or migrate with a mapping model",
        engineCode: error.engineCode,
        path: options.path,
        statement: error.statement
      )
    }
  }

  /// Writes the content of each large value's file into the row that refers to the file, with the tag of an
  /// inline value.
  private func takeIn(
    _ column: String,
    of table: String,
    rows: Statement,
    _ connection: Connection
  ) throws {
    var names: [(key: Int64, value: Data)] = []
    try connection.statement(rows).forEach { row in
      names.append((sqlite3_column_int64(row, 0), dataColumn(row, 1) ?? Data()))
    }
    for (key, name) in names {
      let content = try name.withUnsafeBytes { try ExternalData.read($0, store: options.path) }
      let value = content.map { Binding.blob([ExternalData.inlineTag] + $0) } ?? .null
      try connection.execute(
        "UPDATE \(name: table) SET \(name: column) = \(bind: value) WHERE Z_PK = \(bind: .integer(key))"
      )
    }
  }

  /// Writes the version hashes and the model cache of the new model.
  ///
  /// The cache's table is always created again. This changes the number of the schema even if no other table
  /// changes, so connections that have the store open with the old model notice the migration.
  private func finish(
    _ plan: MigrationPlan,
    _ connection: Connection,
    _ version: StoreVersion
  ) throws {
    try MetadataTable(connection).replaceModel(
      of: version.content,
      by: mapping.destination,
      entities: options.entities,
      isUnfinished: plan.leavesSomething
    )
    try connection.execute("DROP TABLE IF EXISTS Z_MODELCACHE")
    try connection.execute("CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)")
    try StoredModel.writeCache(of: mapping.destination, connection)
  }
}
