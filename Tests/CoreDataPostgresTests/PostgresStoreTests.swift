// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Dispatch
import Foundation
import StoreConformance
import Synchronization
import Testing
import _CoreDataModel
import _CoreDataPostgres
import _CoreDataPredicate
import _CoreDataStore

@Suite("A store in a PostgreSQL database", .needsPostgres)
struct PostgresStoreTests {
  @Test("does what every store must", arguments: StoreConformance.checks)
  func conformance(_ check: StoreConformance.Check) throws {
    try PostgresServer.withSchema { address in
      try check.run {
        try DividingStore(
          PostgresStore(model: $0, index: 3, options: PostgresStoreOptions(address: address))
        )
      }
    }
  }

  @Test("and does so with a history", arguments: StoreConformance.checks)
  func conformanceWithHistory(_ check: StoreConformance.Check) throws {
    try PostgresServer.withSchema { address in
      try check.run {
        var options = PostgresStoreOptions(address: address)
        options.tracksHistory = true
        return try DividingStore(PostgresStore(model: $0, index: 3, options: options))
      }
    }
  }

  private func withStore(_ body: (PostgresStore, PostgresConnection) throws -> Void) throws {
    try PostgresServer.withSchema { address in
      let store = try PostgresStore(
        model: ConformanceModel.make(),
        index: 1,
        options: PostgresStoreOptions(address: address)
      )
      defer { store.close() }
      try body(store, PostgresConnection(address))
    }
  }

  private func teams(_ store: PostgresStore, _ count: Int) throws -> SaveBatch {
    let team = try #require(store.model.entity(named: "Team"))
    let slot = try #require(team.slotByName["name"])
    let chunk = RowChunk(layout: team.rowLayout, capacity: count)
    var batch = SaveBatch()
    for number in 0..<count {
      let row = chunk.appendRow()
      chunk.setText(row, slot, "Team \(number)")
      let key = ObjectKey.temporary(entity: team.index, number: Int64(number + 1))
      batch.inserts.append(SaveBatch.Insert(key: key, chunk: chunk, row: row))
    }
    return batch
  }

  @Test("A save of many rows takes few round trips, however many rows there are")
  func roundTrips() throws {
    try withStore { store, _ in
      // The first saves prepare the statements and reserve the keys.
      for count in [1, 100] { _ = try store.save(teams(store, count)) }
      func trips(_ batch: SaveBatch) throws -> Int {
        let before = store.traffic.roundTrips
        _ = try store.save(batch)
        return store.traffic.roundTrips - before
      }
      #expect(try trips(teams(store, 1)) == 2)
      #expect(try trips(teams(store, 10)) == 2)
      // One for the keys, one for the transaction's begin, two for COPY and the end, one for the commit.
      #expect(try trips(teams(store, 5_000)) <= 6)
    }
  }

  @Test("A fetch of all rows takes one round trip, and one more for preparing its statement")
  func fetchedRows() throws {
    try withStore { store, _ in
      let team = try #require(store.model.entity(named: "Team"))
      let slot = try #require(team.slotByName["name"])
      func fetched() throws -> (names: Set<String>, trips: Int) {
        let before = store.traffic.roundTrips
        guard case .rows(let rows) = try store.fetch(FetchDescription(entity: team.index)) else {
          throw StoreError(.corrupt, "no rows")
        }
        var names: Set<String> = []
        rows.forEach { _, chunk, row in names.insert(chunk.text(row, slot)) }
        return (names, store.traffic.roundTrips - before)
      }
      _ = try store.save(teams(store, 2_000))
      let names = Set((0..<2_000).map { "Team \($0)" })
      for trips in [2, 1, 1] {
        let found = try fetched()
        #expect(found.names == names)
        #expect(found.trips == trips)
      }
    }
  }

  @Test("A fetch can be cancelled while its rows arrive, and the connection is used again")
  func cancelledFetch() throws {
    try withStore { store, _ in
      let team = try #require(store.model.entity(named: "Team"))
      _ = try store.save(teams(store, 5_000))
      var description = FetchDescription(entity: team.index)
      let control = FetchControl()
      control.cancel()
      description.control = control
      #expect {
        _ = try store.fetch(description)
      } throws: {
        ($0 as? StoreError)?.code == .cancelled
      }
      description.control = nil
      guard case .rows(let rows) = try store.fetch(description) else {
        throw StoreError(.corrupt, "no rows")
      }
      #expect(rows.keys.count == 5_000)
    }
  }

  @Test("A damaged row among many is named in the error, and the next fetch works")
  func damagedRow() throws {
    try withStore { store, program in
      let team = try #require(store.model.entity(named: "Team"))
      _ = try store.save(teams(store, 5_000))
      let first = "(SELECT min(z_pk) FROM \"Team\")"
      try program.execute("UPDATE \"Team\" SET z_pk = -5 WHERE z_pk = \(first)")
      let description = FetchDescription(entity: team.index)
      for _ in 0..<2 {
        let error = #expect(throws: StoreError.self) { try store.fetch(description) }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains("-5") == true)
      }
      try program.execute("DELETE FROM \"Team\" WHERE z_pk = -5")
      guard case .rows(let rows) = try store.fetch(description) else {
        throw StoreError(.corrupt, "no rows")
      }
      #expect(rows.keys.count == 4_999)
    }
  }

  @Test("A row that another program updates has a new version")
  func foreignUpdate() throws {
    try withStore { store, program in
      let key = try store.save(teams(store, 1)).insertedKeys[0]
      try program.execute("UPDATE \"Team\" SET \"wins\" = 7")
      let run = try #require(try store.rows(for: [key]).runs.first)
      #expect(run.chunk.version(run.first) == 2)
      var batch = SaveBatch()
      batch.deletes = [SaveBatch.Delete(key: key, expectedVersion: 1)]
      let error = #expect(throws: StoreError.self) { try store.save(batch) }
      #expect(error?.code == .conflict)
    }
  }

  @Test("Rows that another program inserts have keys of their own, and are fetched")
  func foreignInsert() throws {
    try withStore { store, program in
      _ = try store.save(teams(store, 3))
      try program.execute("INSERT INTO \"Team\" (\"name\") SELECT 'T' FROM generate_series(1, 200)")
      _ = try store.save(teams(store, 300))
      let teams = try #require(store.model.entity(named: "Team"))
      guard case .rows(let all) = try store.fetch(FetchDescription(entity: teams.index)) else {
        return
      }
      #expect(all.keys.count == 503)
      #expect(Set(all.keys).count == 503)
    }
  }

  @Test("Two stores that create the same schema at the same time create one store")
  func creation() throws {
    try PostgresServer.withSchema { address in
      let identifiers = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        do {
          let store = try PostgresStore(
            model: ConformanceModel.make(),
            index: 0,
            options: PostgresStoreOptions(address: address)
          )
          identifiers.withLock { $0.append(store.identifier) }
          store.close()
        } catch {
          identifiers.withLock { $0.append("\(error)") }
        }
      }
      #expect(Set(identifiers.withLock { $0 }).count == 1, "\(identifiers.withLock { $0 })")
    }
  }

  @Test("A column that another program has dropped is named in the error")
  func changedTable() throws {
    try withStore { store, program in
      let key = try store.save(teams(store, 1)).insertedKeys[0]
      try program.execute("ALTER TABLE \"Team\" DROP COLUMN \"wins\"")
      let error = #expect(throws: StoreError.self) { try store.rows(for: [key]) }
      #expect(error?.code == .corrupt)
      #expect(error?.message.contains("wins") == true)
    }
  }

  /// Prints the median of the times; `COREDATA_WATCH_ROUNDS` sets the number of saves.
  @Test("Each save reaches the watch of another store")
  func watch() throws {
    let rounds =
      ProcessInfo.processInfo.environment["COREDATA_WATCH_ROUNDS"].flatMap(Int.init) ?? 50
    try PostgresServer.withSchema { address in
      let stores = try (0..<2).map { index in
        try PostgresStore(
          model: ConformanceModel.make(),
          index: index,
          options: PostgresStoreOptions(address: address)
        )
      }
      defer { for store in stores { store.close() } }
      let arrivals = DispatchSemaphore(value: 0)
      let watch = try #require(stores[1].watch { arrivals.signal() })
      defer { watch.cancel() }
      // The watch connects in the background: the first saves may come too early.
      repeat {
        _ = try stores[0].save(teams(stores[0], 1))
      } while arrivals.wait(timeout: .now() + .milliseconds(10)) == .timedOut
      // Late notifications of the first saves would be taken for those of the next.
      while arrivals.wait(timeout: .now() + .milliseconds(200)) == .success {}
      var times: [Duration] = []
      for _ in 0..<rounds {
        let batch = try teams(stores[0], 1)
        let start = ContinuousClock.now
        _ = try stores[0].save(batch)
        try #require(arrivals.wait(timeout: .now() + .seconds(30)) == .success)
        times.append(ContinuousClock.now - start)
      }
      print("Save to notification, median of \(rounds): \(times.sorted()[rounds / 2])")
    }
  }

  @Test("The history has the changes of each save in the order of the commits")
  func history() throws {
    try PostgresServer.withSchema { address in
      var options = PostgresStoreOptions(address: address)
      options.tracksHistory = true
      let store = try PostgresStore(model: ConformanceModel.make(), index: 1, options: options)
      defer { store.close() }
      var batch = try teams(store, 40)
      batch.author = HistoryAuthor(author: "me", contextName: "here")
      let first = try store.save(batch)
      #expect(first.transaction == 1)
      var deletion = SaveBatch()
      deletion.deletes = [SaveBatch.Delete(key: first.insertedKeys[0], expectedVersion: 1)]
      #expect(try store.save(deletion).transaction == 2)
      let transactions = try store.historyTransactions(.all)
      #expect(transactions.map(\.number) == [1, 2])
      #expect(transactions[0].author == "me" && transactions[0].contextName == "here")
      let changes = try store.historyChanges(of: [1, 2])
      #expect(changes.map(\.kind) == Array(repeating: .insert, count: 40) + [.delete])
      #expect(changes.prefix(40).map(\.key) == first.insertedKeys)
      #expect(try store.deleteHistory(.before(2)) == 1)
      #expect(try store.historyExtent() == HistoryExtent(first: 2, last: 2))
      var untracked = options
      untracked.tracksHistory = false
      let other = try PostgresStore(model: ConformanceModel.make(), index: 1, options: untracked)
      #expect(other.isReadOnly)
      other.close()
    }
  }
}
#endif
