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
      let url = try #require(PostgresServer.url)
      let port = try #require(URLComponents(string: url)?.port)
      let proxy = try CuttingProxy(to: UInt16(port))
      defer { proxy.close() }
      let far = try PostgresAddress(
        url.replacing(":\(port)/", with: ":\(proxy.port)/"),
        schema: address.schema
      )
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

  @Test("A commit that the server did not get is an error, and nothing is written")
  func lostCommit() throws {
    try withProxy { store, direct, proxy in
      proxy.cutNext(.beforeCommit)
      var calls = 0
      let error = #expect(throws: StoreError.self) {
        try store.save(insertion(store, 1)) { calls += 1 }
      }
      #expect(error?.code == .busy)
      #expect(calls == 1)
      #expect(try count(direct) == 0)
      // The next save makes a new connection.
      _ = try store.save(insertion(store, 2))
      #expect(try count(store) == 1)
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
