// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import StoreConformance
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

@Suite("A store that may read from standby servers", .needsPostgres)
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

  private func withStore(
    _ body: (_ store: PostgresStore, _ schema: String) throws -> Void
  ) throws {
    let schema = "standby_" + UUID().uuidString.lowercased()
    let address = try PostgresNodes.address(PostgresNodes.url, schema)
    var options = PostgresStoreOptions(address: address)
    options.readsStandbys = true
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

  @Test("A standby server that does not follow is not asked", needsStandby)
  func pausedStandby() throws {
    try withStore { store, schema in
      _ = try store.save(team(store, "Ajax"))
      #expect(try count(store) == 1)
      let standby = try PostgresConnection(
        PostgresNodes.address(PostgresNodes.standby, "public"),
        settings: PostgresSettings()
      )
      try standby.execute("SELECT pg_wal_replay_pause()")
      defer {
        #expect(throws: Never.self) { try standby.execute("SELECT pg_wal_replay_resume()") }
      }
      while try standby.run("SELECT pg_get_wal_replay_pause_state()").text(0, 0) != "paused" {
        sched_yield()
      }
      _ = try store.save(team(store, "PSV"))
      let before = store.standbyReads
      #expect(try count(store) == 2)
      #expect(store.standbyReads == before)
      try standby.execute("SELECT pg_wal_replay_resume()")
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
