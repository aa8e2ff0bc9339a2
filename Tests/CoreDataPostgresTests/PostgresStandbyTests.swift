// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import StoreConformance
import Synchronization
import Testing
import _CoreDataModel
import _CoreDataPostgres
import _CoreDataStore

/// The servers of the tests of standby servers, which `scripts/lib/postgres_nodes.py` starts.
enum PostgresNodes {
  /// A URL with all servers.
  static let url = ProcessInfo.processInfo.environment["COREDATA_POSTGRES_NODES_URL"]
  /// The URL of the standby server alone.
  static let standby = ProcessInfo.processInfo.environment["COREDATA_POSTGRES_STANDBY_URL"]

  static func address(_ url: String?, _ schema: String) throws -> PostgresAddress {
    try PostgresAddress(#require(url), schema: schema)
  }
}

// One test at a time: some of them stop the standby server.
@Suite("A store that may read from standby servers", .needsPostgres, .serialized)
struct PostgresStandbyTests {
  private static let needsStandby = ConditionTrait.enabled(
    if: PostgresNodes.url != nil && PostgresNodes.standby != nil,
    "COREDATA_POSTGRES_NODES_URL is not set; run the tests with scripts/lib/postgres_nodes.py"
  )

  @Test(
    "does what every store must, where the primary server is alone",
    arguments: StoreConformance.checks
  )
  func alone(_ check: StoreConformance.Check) throws {
    try PostgresServer.withSchema { address in
      try check.run {
        var options = PostgresStoreOptions(address: address)
        options.readsStandbys = true
        return try DividingStore(PostgresStore(model: $0, index: 3, options: options))
      }
    }
  }

  /// Runs `body` with a store and its schema.
  ///
  /// `waits` is whether commits wait until the standby server shows them.
  private func withStore(
    waits: Bool = false,
    patience: Int = 30_000,
    _ body: (_ store: PostgresStore, _ schema: String) throws -> Void
  ) throws {
    let schema = "standby_" + UUID().uuidString.lowercased()
    let setting = waits ? "&options=-csynchronous_commit%3Dremote_apply" : ""
    let url = try #require(PostgresNodes.url) + "&application_name=\(schema)\(setting)"
    var options = PostgresStoreOptions(address: try PostgresAddress(url, schema: schema))
    options.readsStandbys = true
    options.patience = patience
    let store = try PostgresStore(model: ConformanceModel.make(), index: 1, options: options)
    defer {
      store.close()
      #expect(throws: Never.self) { try PostgresStore.destroy(options) }
    }
    try body(store, schema)
  }

  private func team(_ store: PostgresStore, _ name: String) throws -> SaveBatch {
    let team = try #require(store.model.entity(named: "Team"))
    let (chunk, row) = RowChunk.single(team.rowLayout)
    chunk.setText(row, try #require(team.slotByName["name"]), name)
    var batch = SaveBatch()
    batch.inserts = [
      SaveBatch.Insert(key: .temporary(entity: team.index, number: 1), chunk: chunk, row: row)
    ]
    return batch
  }

  private func count(_ store: PostgresStore) throws -> Int {
    var request = FetchDescription(entity: try #require(store.model.entity(named: "Team")).index)
    request.shape = .count
    guard case .count(let count) = try store.fetch(request) else { return -1 }
    return count
  }

  @Test("Each read sees the store's own saves, and a standby server answers reads", needsStandby)
  func ownSaves() throws {
    try withStore { store, _ in
      for number in 1...200 {
        _ = try store.save(team(store, "Team \(number)"))
        #expect(try count(store) == number)
      }
      #expect(store.standbyReads > 0)
    }
  }

  /// Runs `body` while the standby server receives commits and does not show them.
  private func withPausedStandby(_ body: (_ primary: PostgresConnection) throws -> Void) throws {
    let standby = try PostgresConnection(PostgresNodes.address(PostgresNodes.standby, "public"))
    try standby.execute("SELECT pg_wal_replay_pause()")
    defer {
      #expect(throws: Never.self) { try standby.execute("SELECT pg_wal_replay_resume()") }
    }
    while try standby.run("SELECT pg_get_wal_replay_pause_state()").text(0, 0) != "paused" {
      sched_yield()
    }
    try body(PostgresConnection(PostgresNodes.address(PostgresNodes.url, "public")))
  }

  @Test(
    "A commit that no standby server confirms in time is an error that names the transaction",
    needsStandby
  )
  func unconfirmed() throws {
    try withStore(waits: true, patience: 500) { store, _ in
      _ = try store.save(team(store, "Ajax"))
      try withPausedStandby { _ in
        let error = #expect(throws: StoreError.self) { try store.save(team(store, "PSV")) }
        #expect(error?.message.contains("it is not known") == true, "\(String(describing: error))")
      }
      var found = 0
      // The server goes on to wait, and commits when the standby server follows again.
      while found < 2 { found = try count(store) }
      #expect(found == 2)
    }
  }

  @Test(
    "A commit for which the server stops waiting returns when a standby server has it",
    needsStandby
  )
  func cancelledWait() throws {
    try withStore(waits: true) { store, schema in
      _ = try store.save(team(store, "Ajax"))
      let batch = try team(store, "PSV")
      let isSaved = Atomic(false)
      let saving = DispatchGroup()
      try withPausedStandby { primary in
        func waiting() throws -> [Int64] {
          let rows = try primary.run(
            "SELECT pid::bigint FROM pg_stat_activity WHERE wait_event = 'SyncRep' "
              + "AND application_name = '\(schema)'"
          )
          return (0..<rows.rowCount).map { rows.integer($0, 0) }
        }
        DispatchQueue.global().async(group: saving) {
          #expect(throws: Never.self) { try store.save(batch) }
          isSaved.store(true, ordering: .sequentiallyConsistent)
        }
        var first: [Int64] = []
        while first.isEmpty { first = try waiting() }
        try primary.execute("SELECT pg_cancel_backend(\(first[0]))")
        // The question for the transaction waits, too.
        while try waiting().allSatisfy(first.contains) { sched_yield() }
        let isOver = isSaved.load(ordering: .sequentiallyConsistent)
        #expect(!isOver)
      }
      saving.wait()
      #expect(try count(store) == 2)
    }
  }

  @Test("A standby server that does not follow is not asked", needsStandby)
  func pausedStandby() throws {
    try withStore { store, schema in
      _ = try store.save(team(store, "Ajax"))
      #expect(try count(store) == 1)
      var before = 0
      try withPausedStandby { _ in
        _ = try store.save(team(store, "PSV"))
        before = store.standbyReads
        #expect(try count(store) == 2)
        #expect(store.standbyReads == before)
      }
      // Each read waits for the standby server at first.
      while store.standbyReads == before { #expect(try count(store) == 2) }
    }
  }

  @Test("What a notification reports is seen by the reads that follow it", needsStandby)
  func notifications() throws {
    try withStore { store, schema in
      let writer = try PostgresStore(
        model: store.model,
        index: 1,
        options: PostgresStoreOptions(address: PostgresNodes.address(PostgresNodes.url, schema))
      )
      defer { writer.close() }
      let arrivals = DispatchSemaphore(value: 0)
      let watch = try #require(store.watch { arrivals.signal() })
      defer { watch.cancel() }
      var number = 0
      // The watch connects in the background: the first saves may come too early.
      repeat {
        number += 1
        _ = try writer.save(team(writer, "Team \(number)"))
      } while arrivals.wait(timeout: .now() + .milliseconds(20)) == .timedOut
      while arrivals.wait(timeout: .now() + .milliseconds(200)) == .success {}
      for _ in 0..<50 {
        number += 1
        _ = try writer.save(team(writer, "Team \(number)"))
        try #require(arrivals.wait(timeout: .now() + .seconds(30)) == .success)
        #expect(try count(store) == number)
      }
    }
  }

  @Test("After a conflict, reads see the save with which it was", needsStandby)
  func conflict() throws {
    try withStore { store, schema in
      let key = try store.save(team(store, "Ajax")).insertedKeys[0]
      let other = try PostgresStore(
        model: store.model,
        index: 1,
        options: PostgresStoreOptions(address: PostgresNodes.address(PostgresNodes.url, schema))
      )
      defer { other.close() }
      for _ in 0..<50 {
        let run = try #require(try store.rows(for: [key]).runs.first)
        let version = run.chunk.version(run.first)
        _ = try other.save(update(other, key, version))
        let error = #expect(throws: StoreError.self) { try store.save(update(store, key, version)) }
        #expect(error?.code == .conflict)
        let newest = try #require(try store.rows(for: [key]).runs.first)
        #expect(newest.chunk.version(newest.first) == version + 1)
      }
    }
  }

  private func update(
    _ store: PostgresStore,
    _ key: ObjectKey,
    _ version: Int64
  ) throws -> SaveBatch {
    let team = try #require(store.model.entity(named: "Team"))
    let slot = try #require(team.slotByName["name"])
    let (chunk, row) = RowChunk.single(team.rowLayout)
    chunk.setText(row, slot, "Version \(version)")
    var batch = SaveBatch()
    batch.updates = [
      SaveBatch.Update(
        key: key,
        chunk: chunk,
        row: row,
        slots: SlotSet([slot]),
        expectedVersion: version
      )
    ]
    return batch
  }
}
#endif
