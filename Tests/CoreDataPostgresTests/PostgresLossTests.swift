// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Dispatch
import Foundation
import Synchronization
import Testing
import _CoreDataModel
import _CoreDataPostgres
import _CoreDataStore

@Suite("A store whose connection is cut", .needsPostgres)
struct PostgresLossTests {
  private static func model() throws -> ModelDefinition {
    var counter = EntityDraft(name: "Counter")
    counter.properties = [
      PropertyDraft(name: "value", kind: .attribute(AttributeDefinition(type: .integer64)))
    ]
    var draft = ModelDraft()
    draft.entities = [counter]
    return try ModelDefinition(draft)
  }

  /// Runs `body` with a store that is connected through a proxy, and with one that is connected directly.
  private func withProxy(
    _ body: (_ store: PostgresStore, _ direct: PostgresStore, _ proxy: CuttingProxy) throws -> Void
  ) throws {
    try PostgresServer.withSchema { address in
      let proxy = try CuttingProxy(to: PostgresServer.port())
      defer { proxy.close() }
      let far = try PostgresServer.address(address, by: proxy)
      let model = try Self.model()
      let direct = try PostgresStore(
        model: model,
        index: 0,
        options: PostgresStoreOptions(address: address)
      )
      defer { direct.close() }
      let store = try PostgresStore(
        model: model,
        index: 0,
        options: PostgresStoreOptions(address: far)
      )
      defer { store.close() }
      try body(store, direct, proxy)
    }
  }

  private func insertion(_ store: PostgresStore, _ value: Int64) -> SaveBatch {
    let (chunk, row) = RowChunk.single(store.model.entities[0].rowLayout)
    chunk.setInteger(row, 0, value)
    var batch = SaveBatch()
    batch.inserts = [
      SaveBatch.Insert(key: .temporary(entity: 0, number: 1), chunk: chunk, row: row)
    ]
    return batch
  }

  private func count(_ store: PostgresStore) throws -> Int {
    var request = FetchDescription(entity: 0)
    request.shape = .count
    guard case .count(let count) = try store.fetch(request) else { return -1 }
    return count
  }

  @Test("A commit whose answer is lost is found out to stand, and is not repeated")
  func lostAnswer() throws {
    try withProxy { store, direct, proxy in
      for round in 1...10 {
        proxy.cutNext(.afterCommit)
        let outcome = try store.save(insertion(store, Int64(round)))
        #expect(proxy.cuts == round)
        #expect(try direct.rows(for: outcome.insertedKeys).keys == outcome.insertedKeys)
        #expect(try count(direct) == round)
      }
    }
  }

  @Test("A commit that the server did not get is repeated, and the code before the commit is not")
  func lostCommit() throws {
    try withProxy { store, direct, proxy in
      for round in 1...5 {
        proxy.cutNext(.beforeCommit)
        var calls = 0
        _ = try store.save(insertion(store, Int64(round))) { calls += 1 }
        #expect(proxy.cuts == round)
        #expect(calls == 1)
        #expect(try count(direct) == round)
      }
    }
  }

  @Test("A transaction whose loss the server does not notice is ended and repeated")
  func unnoticedLoss() throws {
    try withProxy { store, direct, proxy in
      let key = try direct.save(insertion(direct, 0)).insertedKeys[0]
      proxy.cutNext(.silently)
      let start = ContinuousClock.now
      #expect(try increment(key, store))
      #expect(proxy.cuts == 1)
      // Without an end by this library, the server would keep the transaction for a minute.
      #expect(ContinuousClock.now - start < .seconds(20))
      #expect(try increment(key, direct))
      let run = try #require(try direct.rows(for: [key]).runs.first)
      #expect(run.chunk.integer(run.first, 0) == 2)
    }
  }

  @Test("A commit after which no server answers is an error that names the transaction")
  func unknownCommit() throws {
    try PostgresServer.withSchema { address in
      let proxy = try CuttingProxy(to: PostgresServer.port())
      defer { proxy.close() }
      var options = PostgresStoreOptions(address: try PostgresServer.address(address, by: proxy))
      options.patience = 300
      let store = try PostgresStore(model: Self.model(), index: 0, options: options)
      defer { store.close() }
      _ = try store.save(insertion(store, 1))
      let error = #expect(throws: StoreError.self) {
        try store.save(insertion(store, 2)) {
          proxy.cutNext(.afterCommit)
          proxy.refuseNext(.max)
        }
      }
      #expect(error?.code == .busy)
      #expect(error?.message.contains("z_commits") == true, "\(String(describing: error))")
      proxy.refuseNext(0)
      #expect(try count(store) == 2)
    }
  }

  @Test("Each committed transaction leaves its number in the row of its connection")
  func marks() throws {
    try PostgresServer.withSchema { address in
      let store = try PostgresStore(
        model: Self.model(),
        index: 0,
        options: PostgresStoreOptions(address: address)
      )
      defer { store.close() }
      let program = try PostgresConnection(address)
      func numbers() throws -> [Int64] {
        let rows = try program.run("SELECT z_number FROM z_commits")
        return (0..<rows.rowCount).map { rows.integer($0, 0) }
      }
      for number in 1...3 { _ = try store.save(insertion(store, Int64(number))) }
      #expect(try numbers() == [3])
      struct Refusal: Error {}
      #expect(throws: Refusal.self) { try store.save(insertion(store, 4)) { throw Refusal() } }
      #expect(try numbers() == [3])
      _ = try store.save(insertion(store, 5))
      #expect(try numbers() == [5])
    }
  }

  @Test("A connection that was cut between two requests is made again")
  func cutBetween() throws {
    try withProxy { store, _, proxy in
      _ = try store.save(insertion(store, 1))
      proxy.cutAll()
      #expect(try count(store) == 1)
      proxy.cutAll()
      _ = try store.save(insertion(store, 2))
      #expect(try count(store) == 2)
    }
  }

  @Test("Reads and saves wait for a server that cannot be reached, and go on when it can")
  func awayForAWhile() throws {
    try withProxy { store, direct, proxy in
      proxy.cutAll()
      proxy.refuseNext(4)
      #expect(try count(store) == 0)
      #expect(proxy.refusals == 0)
      proxy.cutAll()
      proxy.refuseNext(4)
      _ = try store.save(insertion(store, 1))
      #expect(proxy.refusals == 0)
      #expect(try count(direct) == 1)
    }
  }

  /// COREDATA_CUT_ROUNDS sets the number of cuts.
  @Test(
    "Connections that are cut at random moments lose no acknowledged save, and apply none twice"
  )
  func randomCuts() throws {
    let rounds =
      ProcessInfo.processInfo.environment["COREDATA_CUT_ROUNDS"].flatMap(Int.init) ?? 20
    try withProxy { store, direct, proxy in
      let key = try direct.save(insertion(direct, 0)).insertedKeys[0]
      let acknowledged = Mutex(0)
      let failures = Mutex<[String]>([])
      let isDone = Atomic(false)
      let writers = DispatchGroup()
      for _ in 0..<3 {
        DispatchQueue.global().async(group: writers) {
          while !isDone.load(ordering: .relaxed) {
            do {
              if try increment(key, store) { acknowledged.withLock { $0 += 1 } }
            } catch let error as StoreError where error.code == .conflict || error.code == .busy {
              // Nothing was written; the counter shows whether that is true.
            } catch {
              failures.withLock { $0.append("\(error)") }
            }
          }
        }
      }
      var random = SystemRandomNumberGenerator()
      for round in 0..<rounds {
        // The cut comes after a random number of further saves.
        let target = acknowledged.withLock { $0 } + Int.random(in: 0..<4, using: &random)
        while acknowledged.withLock({ $0 }) < target, failures.withLock(\.isEmpty) {
          sched_yield()
        }
        switch round % 4 {
        case 0: proxy.cutNext(.afterCommit)
        case 1: proxy.cutNext(.beforeCommit)
        default: proxy.cutAll()
        }
      }
      isDone.store(true, ordering: .relaxed)
      writers.wait()
      #expect(failures.withLock { $0 } == [])
      let rows = try direct.rows(for: [key])
      let run = try #require(rows.runs.first)
      #expect(run.chunk.integer(run.first, 0) == Int64(acknowledged.withLock { $0 }))
    }
  }

  /// Adds one to a counter; returns whether the save was acknowledged.
  private func increment(_ key: ObjectKey, _ store: PostgresStore) throws -> Bool {
    let rows = try store.rows(for: [key])
    guard let run = rows.runs.first else { return false }
    let (chunk, row) = RowChunk.single(store.model.entities[0].rowLayout)
    chunk.setInteger(row, 0, run.chunk.integer(run.first, 0) + 1)
    var batch = SaveBatch()
    batch.updates = [
      SaveBatch.Update(
        key: key,
        chunk: chunk,
        row: row,
        slots: SlotSet([0]),
        expectedVersion: run.chunk.version(run.first)
      )
    ]
    _ = try store.save(batch)
    return true
  }
}
#endif
