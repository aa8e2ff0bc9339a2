// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import Synchronization
import Testing
import _CoreDataModel
import _CoreDataPostgres
import _CoreDataStore

@Suite("A server that hangs without losing its connections", .needsPostgres)
struct PostgresHangTests {
  private static func model() throws -> ModelDefinition {
    var counter = EntityDraft(name: "Counter")
    counter.properties = [
      PropertyDraft(name: "value", kind: .attribute(AttributeDefinition(type: .integer64)))
    ]
    var draft = ModelDraft()
    draft.entities = [counter]
    return try ModelDefinition(draft)
  }

  /// Runs `body` with a store that waits for one second, behind a proxy.
  private func withStore(
    statementTimeout: Int = 0,
    _ body: (PostgresStore, CuttingProxy) throws -> Void
  ) throws {
    try PostgresServer.withSchema { address in
      let proxy = try CuttingProxy(to: PostgresServer.port())
      defer { proxy.close() }
      var options = PostgresStoreOptions(address: try PostgresServer.address(address, by: proxy))
      options.patience = 1_000
      options.statementTimeout = statementTimeout
      let store = try PostgresStore(model: Self.model(), index: 0, options: options)
      defer { store.close() }
      try body(store, proxy)
    }
  }

  private func count(_ store: PostgresStore, _ control: FetchControl? = nil) throws {
    var request = FetchDescription(entity: 0)
    request.shape = .count
    request.control = control
    _ = try store.fetch(request)
  }

  private func insertion(_ store: PostgresStore) -> SaveBatch {
    let (chunk, row) = RowChunk.single(store.model.entities[0].rowLayout)
    chunk.setInteger(row, 0, 1)
    var batch = SaveBatch()
    batch.inserts = [
      SaveBatch.Insert(key: .temporary(entity: 0, number: 1), chunk: chunk, row: row)
    ]
    return batch
  }

  @Test("A fetch ends after the timeout, with an error that names the server and the option")
  func fetch() throws {
    try withStore { store, proxy in
      try count(store)
      proxy.stall()
      let start = ContinuousClock.now
      let error = #expect(throws: StoreError.self) { try count(store) }
      #expect(ContinuousClock.now - start < .seconds(15))
      #expect(error?.code == .busy)
      let text = "\(error as Any)"
      #expect(text.contains("127.0.0.1"), "\(text)")
      #expect(text.contains("NSPersistentStoreTimeoutOption"), "\(text)")
    }
  }

  @Test("A save ends after the timeout")
  func save() throws {
    try withStore { store, proxy in
      _ = try store.save(insertion(store))
      proxy.stall()
      let error = #expect(throws: StoreError.self) { try store.save(insertion(store)) }
      #expect(error?.code == .busy, "\(error as Any)")
    }
  }

  @Test("A server that does not end a statement whose time is over is not waited for")
  func statementTimeout() throws {
    try withStore(statementTimeout: 100) { store, proxy in
      try count(store)
      proxy.stall()
      let error = #expect(throws: StoreError.self) { try count(store) }
      let text = "\(error as Any)"
      #expect(text.contains("PostgreSQLStatementTimeoutOption"), "\(text)")
    }
  }

  @Test("A fetch that waits can be cancelled, although the server does not end it")
  func cancelled() throws {
    try PostgresServer.withSchema { address in
      let proxy = try CuttingProxy(to: PostgresServer.port())
      defer { proxy.close() }
      let store = try PostgresStore(
        model: Self.model(),
        index: 0,
        options: PostgresStoreOptions(address: PostgresServer.address(address, by: proxy))
      )
      defer { store.close() }
      try count(store)
      proxy.stall()
      let checks = Atomic(0)
      let control = FetchControl(isCancelledElsewhere: {
        checks.add(1, ordering: .relaxed).newValue > 5
      })
      let start = ContinuousClock.now
      let error = #expect(throws: StoreError.self) { try count(store, control) }
      #expect(error?.code == .cancelled, "\(error as Any)")
      #expect(ContinuousClock.now - start < .seconds(15))
    }
  }

  /// Runs `body` with a connection that waits for one second, and the process that serves it.
  private func withProcess(_ body: (PostgresConnection, pid_t) throws -> Void) throws {
    try PostgresServer.withSchema { address in
      var settings = PostgresSettings()
      settings.patience = 1_000
      let connection = try PostgresConnection(address, settings: settings)
      let process = try connection.run("SELECT pg_backend_pid()").integer(0, 0)
      try body(connection, pid_t(process))
    }
  }

  @Test(
    "A process of the server that is stopped is noticed, also while a large value is sent to it",
    arguments: [1, 30_000_000]
  )
  func stopped(_ bytes: Int) throws {
    try withProcess { connection, process in
      let value = PostgresFields([.text(String(repeating: "x", count: bytes))])
      #expect(try connection.run("SELECT length($1)", value).integer(0, 0) == Int64(bytes))
      try #require(kill(process, SIGSTOP) == 0)
      defer { kill(process, SIGCONT) }
      let error = #expect(throws: StoreError.self) {
        try connection.run("SELECT length($1)", value)
      }
      #expect("\(error as Any)".contains("does not work on the statement"), "\(error as Any)")
      #expect(!connection.isOpen)
    }
  }

  @Test("A statement on which the server works may take longer than the timeout")
  func slowStatement() throws {
    try withProcess { connection, _ in
      let answer = try connection.run("SELECT pg_sleep(2.5) IS NOT NULL")
      #expect(answer.rowCount == 1)
    }
  }

  @Test("The creation of a store that no standby server confirms ends after the timeout")
  func creation() throws {
    // Only sessions with synchronous_commit wait for a standby server; those of the other tests do without.
    let owner = try PostgresConnection(PostgresAddress(#require(PostgresServer.url)))
    func set(_ statement: String, _ value: String) throws {
      try owner.execute("ALTER SYSTEM \(statement)")
      var shown: String?
      while shown != value {
        try owner.execute("SELECT pg_reload_conf()")
        shown = try owner.run("SHOW synchronous_standby_names").text(0, 0)
      }
    }
    try PostgresServer.withSchema { address in
      try set("SET synchronous_standby_names = 'no_server'", "no_server")
      defer {
        #expect(throws: Never.self) { try set("RESET synchronous_standby_names", "") }
      }
      let url = try #require(PostgresServer.url) + "?options=-c%20synchronous_commit%3Don"
      var options = PostgresStoreOptions(address: try PostgresAddress(url, schema: address.schema))
      options.patience = 1_000
      let error = #expect(throws: StoreError.self) {
        try PostgresStore(model: Self.model(), index: 0, options: options)
      }
      let text = "\(error as Any)"
      #expect(text.contains("synchronous_standby_names"), "\(text)")
      #expect(text.contains("NSPersistentStoreTimeoutOption"), "\(text)")
    }
  }
}
#endif
