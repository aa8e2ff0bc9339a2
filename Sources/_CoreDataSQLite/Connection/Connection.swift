// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import _CoreDataSQL
import _CoreDataStore

/// One connection to a database, with its compiled statements; used by one thread at a time.
final class Connection: @unchecked Sendable {
  // Unchecked: `ConnectionPool` hands a connection to one caller at a time.
  private let handle: OpaquePointer
  /// The file's path; `:memory:` for a database in memory.
  let path: String
  private let observer: StatementObserver?
  private let tracer: StatementTracer?
  /// The collector of the rows whose derived attributes were computed by triggers.
  let derived = DerivedValues()
  private let waiting: BusyWait
  /// The receiver of the rows of statements that pass their rows to an aggregate (`SQL.Traits.collectsRows`).
  let collector = RowCollector()
  @exclusivity(unchecked) private var statements: [String: PreparedStatement] = [:]
  /// The compiled row statements by index, so that a statement is found without comparing its text.
  @exclusivity(unchecked) private var rowStatements: [PreparedStatement?] = []
  /// The kind of reads for which a connection is used: look-ups of rows by key, or all other reads.
  enum Purpose { case scan, lookUp }
  let purpose: Purpose
  @exclusivity(unchecked) var moment: KeptMoment
  /// The check that the file still has the store's model; nil if this connection makes no such check.
  @exclusivity(unchecked) var migrationCheck: (any MigrationCheck)? {
    // The next write transaction must run the new check.
    didSet { writing.version = nil }
  }
  let compilations = CompilationNotice()
  @exclusivity(unchecked) var writing = WriteState()
  @exclusivity(unchecked) private var contentStatement: PreparedStatement?
  /// Whether `SQLiteStoreOptions.pragmas` sets the size of the page cache.
  private let hasOwnCacheSize: Bool
  /// The maximum number of cached statements, apart from row statements; a full cache is emptied before a
  /// statement is added.
  private static let statementLimit = 512

  /// Opens a connection to the file of a store.
  ///
  /// - Throws: `StoreError.cannotOpen` if the file cannot be opened, or if it is writable and the engine
  ///   opened it for reading only.
  init(_ options: SQLiteStoreOptions, isReader: Bool, purpose: Purpose = .scan) throws {
    self.purpose = purpose
    var flags = SQLITE_OPEN_NOMUTEX
    flags |=
      options.isReadOnly || isReader
      ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    path = options.isInMemory ? ":memory:" : options.path
    observer = options.observer
    hasOwnCacheSize = options.pragmas.keys.contains { $0.lowercased() == "cache_size" }
    tracer = options.log.map(StatementTracer.init)
    if !options.isInMemory {
      try DatabaseFile.requireRegular(path)
      if flags & SQLITE_OPEN_READWRITE != 0 { DatabaseFile.makeSideFilesWritable(path) }
    }
    let untouched = options.leavesNoTrace ? UntouchedFile(path: path) : nil
    if untouched != nil { flags |= SQLITE_OPEN_URI }
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(untouched?.uri ?? path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let obstacle = options.isInMemory ? nil : DatabaseFile.obstacle(path)
      let error = StoreError(
        .cannotOpen,
        (opened.map(Self.message) ?? "out of memory") + (obstacle.map { ": \($0)" } ?? ""),
        engineCode: opened.map(sqlite3_extended_errcode) ?? code,
        path: path
      )
      sqlite3_close_v2(opened)
      throw error
    }
    do {
      if flags & SQLITE_OPEN_READWRITE != 0 { try DatabaseFile.requireWritable(opened, path) }
    } catch {
      sqlite3_close_v2(opened)
      throw error
    }
    handle = opened
    moment = KeptMoment(
      opened,
      isAllowed: purpose == .lookUp && options.log == nil && !options.leavesNoTrace
    )
    sqlite3_extended_result_codes(handle, 1)
    waiting = BusyWait(timeout: options.timeout)
    waiting.install(on: handle)
    TextFunctions.register(on: handle)
    derived.register(on: handle)
    collector.register(on: handle)
    if isReader { compilations.install(on: handle) }
    tracer?.install(on: handle)
    if untouched?.needsPrivateIndex == true { try set("locking_mode = EXCLUSIVE") }
  }

  deinit {
    migrationCheck = nil
    writing = WriteState()
    contentStatement = nil
    statements = [:]
    rowStatements = []
    sqlite3_close_v2(handle)
  }

  // MARK: Statements

  /// Returns the compiled form of a statement, from the cache if possible, and binds the statement's own
  /// values.
  ///
  /// The statement's start is reported to the observer.
  func statement(_ statement: Statement) throws -> PreparedStatement {
    try noteStart(statement.text)
    return try cached(statement)
  }

  func statement(_ sql: SQL) throws -> PreparedStatement { try statement(sql.statement) }

  /// Reports the start of a statement to the observer, and writes its plan to the log.
  func noteStart(_ text: String) throws {
    try observer?.started(text)
    tracer?.writePlan(of: text) { text, row in
      try prepare(Statement(text: text), flags: 0).forEach(row)
    }
  }

  /// Returns the same as `statement(_:)`, but does not report the statement's start to the observer.
  func cached(_ statement: Statement) throws -> PreparedStatement {
    let prepared = try lookUp(statement)
    if !statement.bindings.isEmpty { try prepared.bind(statement.bindings) }
    return prepared
  }

  func cached(_ sql: SQL) throws -> PreparedStatement { try cached(sql.statement) }

  private func lookUp(_ statement: Statement) throws -> PreparedStatement {
    if let known = statements[statement.text] { return known }
    let new = try prepare(statement, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
    if statements.count >= Self.statementLimit { statements.removeAll(keepingCapacity: true) }
    statements[statement.text] = new
    return new
  }

  /// Returns the compiled form of the query at `index`.
  ///
  /// Once the query is compiled, it is found by the index alone, and its text is read only for an observer or
  /// a log.
  func rowStatement(_ index: Int, in queries: [RowQuery]) throws -> PreparedStatement {
    if observer != nil || tracer != nil { try noteStart(queries[index].statement.text) }
    if index < rowStatements.count, let known = rowStatements[index] { return known }
    while rowStatements.count <= index { rowStatements.append(nil) }
    let new = try prepare(queries[index].statement, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
    rowStatements[index] = new
    return new
  }

  /// Returns the compiled form of the statement that inserts a row of an entity.
  ///
  /// The statement's start is reported to the observer.
  func insertion(_ entity: Int, in statements: StoreStatements) throws -> RowBinding {
    if observer != nil || tracer != nil {
      try noteStart(statements.inserts[entity].statement.text)
    }
    if let known = writing.insertion(entity) { return known }
    let rows = statements.inserts[entity]
    let made = RowBinding(try cached(rows.statement), rows, numbers: statements.numbers)
    writing.keep(made, entity)
    return made
  }

  private func prepare(_ statement: Statement, flags: UInt32) throws -> PreparedStatement {
    let prepared = try compile(statement, flags: flags)
    observer?.prepared()
    return prepared
  }

  private func compile(_ statement: Statement, flags: UInt32) throws -> PreparedStatement {
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, statement.text, -1, flags, &prepared, nil)
    guard code == SQLITE_OK, let prepared else { throw error(code, statement.text) }
    return PreparedStatement(prepared, statement, connection: self)
  }

  /// Returns a statement that is not in the cache, and is never reported to the observer.
  func unreportedStatement(_ text: String) throws -> PreparedStatement {
    try compile(Statement(text: text), flags: UInt32(SQLITE_PREPARE_PERSISTENT))
  }

  /// Runs `body` without writing its statements to the log.
  func untraced<T>(_ body: () throws -> T) rethrows -> T {
    guard let tracer else { return try body() }
    return try tracer.silently(body)
  }

  /// Executes a statement without caching its compiled form.
  func execute(_ statement: Statement) throws {
    try noteStart(statement.text)
    let prepared = try prepare(statement, flags: 0)
    try prepared.bind(statement.bindings)
    try prepared.run()
  }

  func execute(_ sql: SQL) throws { try execute(sql.statement) }

  /// Runs a pragma without reporting its start to the observer.
  func set(_ pragma: String) throws {
    try prepare(Statement(text: "PRAGMA \(pragma)"), flags: 0).run()
  }

  /// Creates an object that only this connection has, such as a temporary trigger, without reporting the
  /// statement's start to the observer.
  func setUp(_ statement: Statement) throws {
    try prepare(statement, flags: 0).run()
  }

  /// Returns the first column of a statement's rows as texts, without NULLs; the statement's start is not
  /// reported to the observer.
  func texts(_ sql: SQL) throws -> [String] {
    var found: [String] = []
    try rows(of: sql.statement) { row in textColumn(row, 0).map { found.append($0) } }
    return found
  }

  /// Calls `row` for each row of a statement that is used once; the statement's start is not reported to the
  /// observer.
  func rows(of statement: Statement, _ row: (OpaquePointer) throws -> Void) throws {
    let prepared = try prepare(statement, flags: 0)
    try prepared.bind(statement.bindings)
    try prepared.forEach(row)
  }

  /// Makes the engine read the file, its log, and a journal left behind by another process.
  ///
  /// Opening a connection does not read these files.
  func readSchema() throws { _ = try texts("SELECT name FROM sqlite_master LIMIT 1") }

  /// Makes the engine open the files that it would otherwise open for the first statement, such as the log.
  ///
  /// Compiling a statement opens them, because compiling reads the schema. This is no extra work, because the
  /// first statement would have to read the schema anyway.
  /// - Throws: `StoreError.cannotOpen`, and errors from reading the schema.
  func openFiles() throws {
    var statement: OpaquePointer?
    let text = "SELECT 1 FROM sqlite_schema"
    let code = sqlite3_prepare_v2(handle, text, -1, &statement, nil)
    sqlite3_finalize(statement)
    if code != SQLITE_OK { throw error(code, text) }
  }

  /// The number of rows that the last INSERT, UPDATE or DELETE changed.
  var changes: Int { Int(sqlite3_changes(handle)) }

  /// Releases the memory of cached pages; no statement may be running.
  func releaseCache() { sqlite3_db_release_memory(handle) }

  /// Runs `body`; `control` can cancel a statement of `body` between two rows and within a long step.
  ///
  /// - Throws: `StoreError.cancelled` after a cancellation; errors of `body`.
  func controlled<T>(by control: FetchControl?, _ body: () throws -> T) throws -> T {
    guard let control else { return try body() }
    try control.check()
    // The handler does not retain the control; `withExtendedLifetime` keeps it alive while `body` runs.
    sqlite3_progress_handler(
      handle,
      1_000,
      { control in
        guard let control else { return 0 }
        return Unmanaged<FetchControl>.fromOpaque(control).takeUnretainedValue().isCancelled ? 1 : 0
      },
      Unmanaged.passUnretained(control).toOpaque()
    )
    defer { sqlite3_progress_handler(handle, 0, nil, nil) }
    do {
      return try withExtendedLifetime(control) { try body() }
    } catch let error as StoreError where error.engineCode.map({ $0 & 0xFF }) == SQLITE_INTERRUPT {
      throw StoreError(.cancelled, "the fetch was cancelled", path: path)
    }
  }

  // MARK: Transactions

  /// Runs `body` in a transaction, with a page cache of the given size unless the user's pragmas set the
  /// size.
  func transaction<T>(cached cache: WriterCache, _ body: () throws -> T) throws -> T {
    guard cache == .little, !hasOwnCacheSize else { return try transaction(body) }
    try set("cache_size = \(WriterCache.little.rawValue)")
    // Restoring the size fails only if memory runs out. In that case a small cache is appropriate.
    defer { try? set("cache_size = \(WriterCache.much.rawValue)") }
    return try transaction(body)
  }

  /// Runs `body` in a transaction that acquires the write lock first.
  ///
  /// If `body` or the commit throws an error, the transaction is rolled back.
  /// - Throws: `StoreError.migratedMeanwhile` if another connection has migrated the store; errors of `body`.
  func transaction<T>(_ body: () throws -> T) throws -> T {
    observer?.began()
    try noteStart(Self.begin.text)
    try kept(&writing.begin, Self.begin).run()
    var isChecked = false
    do {
      try noteOtherChanges()
      isChecked = true
      let result = try body()
      try noteStart(Self.commit.text)
      try kept(&writing.commit, Self.commit).run()
      writing.keyBlocks.commit()
      writing.version = contentVersion
      return result
    } catch {
      rollBack()
      writing.keyBlocks.rollBack()
      writing.version = isChecked ? contentVersion : nil
      throw error
    }
  }

  private static let begin = Statement(text: "BEGIN IMMEDIATE")
  private static let commit = Statement(text: "COMMIT")

  private func kept(
    _ place: inout PreparedStatement?,
    _ statement: Statement
  ) throws -> PreparedStatement {
    if let place { return place }
    let new = try prepare(statement, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
    place = new
    return new
  }

  /// Checks the file's model and drops reserved keys, unless only this connection has changed the file since
  /// its last transaction; must be called in a write transaction.
  private func noteOtherChanges() throws {
    if let version = writing.version, version == contentVersion { return }
    writing.keyBlocks = KeyBlocks()
    try checkModelVersion()
  }

  /// A number that changes with each change of the file, by this connection or another one; nil if the engine
  /// does not return it.
  ///
  /// The engine notices changes of other connections when a transaction begins. Unlike the result of
  /// `contentNumber()`, the number also changes with the connection's own commits, but reading it takes a
  /// tenth of the time.
  ///
  /// Source: SQLite, “SQLITE_FCNTL_DATA_VERSION”.
  private var contentVersion: UInt32? {
    var version: UInt32 = 0
    let code = sqlite3_file_control(handle, nil, SQLITE_FCNTL_DATA_VERSION, &version)
    return code == SQLITE_OK ? version : nil
  }

  /// Rolls back the transaction, unless the engine has already rolled it back after an error.
  func rollBack() {
    if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
  }

  /// Returns a number that changes when another connection changes the file.
  ///
  /// Source: SQLite, “PRAGMA data_version”.
  func contentNumber() throws -> Int64 {
    let statement = try contentStatement ?? unreportedStatement("PRAGMA data_version")
    contentStatement = statement
    return try untraced { try statement.integer() ?? 0 }
  }

  // MARK: The database as a whole

  /// Acquires and releases the write lock without waiting, to find out whether the database can be written
  /// to.
  ///
  /// - Throws: `StoreError.cannotOpen` if the file is writable but the engine can only read it.
  func checkWritable() throws {
    try waiting.suspended { try DatabaseFile.checkWritable(handle, path) }
  }

  /// Removes all content of the database, even if it is damaged; waits for locks of other connections.
  ///
  /// A database without tables remains.
  /// - Throws: `StoreError`, such as `.busy` after the timeout and `.cannotWrite` if the disk fails.
  func reset() throws {
    do {
      // The engine must have read the file before it is emptied.
      try readSchema()
    } catch let error as StoreError where error.code == .corrupt {
      // A damaged file can be emptied too. Other errors are thrown, because emptying would fail for the same
      // reason.
    }
    _ = coredata_sqlite3_reset(handle, 1)
    defer { _ = coredata_sqlite3_reset(handle, 0) }
    try execute("VACUUM")
  }

  /// Replaces the content of the database with that of `source`, including the content of the log of
  /// `source`.
  ///
  /// Waits for locks of other connections.
  /// - Throws: `StoreError`, such as `.busy` after the timeout and `.corrupt` if one of the two files is not
  ///   a database.
  func replaceAll(by source: Connection) throws {
    guard let copy = sqlite3_backup_init(handle, "main", source.handle, "main") else {
      throw error(sqlite3_errcode(handle), nil)
    }
    let code = sqlite3_backup_step(copy, -1)
    let end = sqlite3_backup_finish(copy)
    if code != SQLITE_DONE { throw error(end == SQLITE_OK ? code : end, nil) }
  }

  // MARK: Errors

  func error(_ code: Int32, _ statement: String?) -> StoreError {
    let extended = sqlite3_extended_errcode(handle)
    let full = extended & 0xFF == code & 0xFF ? extended : code
    if full & 0xFF == SQLITE_BUSY, let failure = waiting.removeFailure() {
      return StoreError(
        .cannotWrite,
        "the database's locks cannot be set, because the file system fails: "
          + POSIXError(failure).localizedDescription,
        engineCode: full,
        path: path,
        statement: statement
      )
    }
    return StoreError(
      StoreError.Code(engineCode: full),
      full == StoreError.needsRollback
        ? StoreError.unfinishedTransaction(path) : Self.message(handle),
      engineCode: full,
      path: path,
      statement: statement
    )
  }

  /// Returns the engine's text for its last error, with advice if the process ran out of file descriptors.
  private static func message(_ handle: OpaquePointer) -> String {
    let text = String(cString: sqlite3_errmsg(handle))
    let reason = POSIXErrorCode(rawValue: sqlite3_system_errno(handle))
    guard sqlite3_errcode(handle) & 0xFF == SQLITE_CANTOPEN,
      let lack = POSIXError.lackOfDescriptors(reason)
    else { return text }
    return "\(text): \(lack)"
  }
}

extension StoreError.Code {
  /// Creates the error code for an extended result code of SQLite.
  init(engineCode: Int32) {
    if engineCode == TextCall.failure {
      self = .invalidRequest
      return
    }
    switch engineCode & 0xFF {
    case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: self = .cannotOpen
    case SQLITE_CORRUPT, SQLITE_NOTADB: self = .corrupt
    // Only a violation of uniqueness is a conflict that a caller can resolve. A RAISE in a trigger, and a
    // CHECK or NOT NULL constraint in a table created by other software, are errors of the engine.
    case SQLITE_CONSTRAINT: self = Self.isUniqueness(engineCode) ? .constraint : .engine
    case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
    case SQLITE_READONLY: self = engineCode == StoreError.needsRollback ? .cannotOpen : .readOnly
    case SQLITE_FULL, SQLITE_IOERR: self = .cannotWrite
    default: self = .engine
    }
  }

  /// Returns whether the result code of a violated constraint is that of a unique index, a primary key or a
  /// row ID, or does not specify the kind of constraint.
  ///
  /// Source: SQLite, “Result and Error Codes”; the names of extended codes are not imported into Swift.
  private static func isUniqueness(_ engineCode: Int32) -> Bool {
    let (plain, primaryKey, unique, rowID): (Int32, Int32, Int32, Int32) = (0, 6, 8, 10)
    return [plain, primaryKey, unique, rowID].contains(engineCode >> 8)
  }
}
