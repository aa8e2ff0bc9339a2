// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQLite
import _CoreDataStore

@Suite("SQLite store, several at once")
struct ConcurrencyTests {
  @Test("Two stores on one file write at the same time and lose nothing")
  func twoWriters() throws {
    let fixture = try StoreFixture(Models.league)
    let other = try fixture.reopened()
    let stores = [fixture.store, other]
    let entity = try fixture.index("Team")
    let layout = fixture.model.entities[entity].rowLayout
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { worker in
      for index in 0..<50 {
        let chunk = RowChunk(layout: layout, capacity: 1)
        var batch = SaveBatch()
        batch.inserts = [
          .init(
            key: .temporary(entity: entity, number: Int64(worker * 1000 + index)),
            chunk: chunk,
            row: chunk.appendRow()
          )
        ]
        do {
          _ = try stores[worker % 2].save(batch)
          _ = try stores[worker % 2].fetch(FetchDescription(entity: entity))
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
    }
    #expect(failures.withLock(\.self) == [])
    let keys = try fixture.keys("Team")
    #expect(keys.count == 400 && Set(keys).count == 400)
  }

  @Test("A lock that is held longer than the timeout is a busy error")
  func busy() throws {
    let fixture = try StoreFixture(Models.league)
    let holder = try RawConnection(fixture.path)
    try holder.run("BEGIN IMMEDIATE")
    var options = SQLiteStoreOptions(path: fixture.path)
    options.timeout = 0.05
    let store = try SQLiteStore(model: fixture.model, index: 0, options: options)
    var batch = SaveBatch()
    batch.inserts = [try fixture.insertion("Team", [:])]
    #expect(#expect(throws: StoreError.self) { try store.save(batch) }?.code == .busy)
    try holder.run("COMMIT")
    _ = try store.save(batch)
    #expect(try fixture.keys("Team") == [1])
  }

  @Test("A file that is left in the middle of a transaction opens as it was before")
  func interrupted() throws {
    let fixture = try StoreFixture(Models.league)
    try fixture.insert("Team", ["name": .text("kept")])
    // A copy of file and log during a transaction is what a killed process leaves behind.
    let writer = try RawConnection(fixture.path)
    try writer.run("PRAGMA cache_size = 2")
    try writer.run("BEGIN IMMEDIATE")
    try writer.run(
      "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) "
        + "INSERT INTO ZTEAM(Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT i, 5, 1, 'lost' || i FROM n"
    )
    let folder = try StoreFixture.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let copy = folder.appendingPathComponent("Store.sqlite").path
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: fixture.path + suffix, toPath: copy + suffix)
    }
    try writer.run("ROLLBACK")
    let store = try SQLiteStore(
      model: fixture.model,
      index: 0,
      options: SQLiteStoreOptions(path: copy)
    )
    var description = try fixture.description("Team")
    description.shape = .keys
    guard case .keys(let keys) = try store.fetch(description) else { return }
    #expect(keys.map(\.number) == [1])
    #expect(try RawDatabase.texts(copy, "PRAGMA integrity_check") == ["ok"])
  }

  @Test("Whichever statement of a save fails, nothing of the save is stored")
  func everyStatementFails() throws {
    // Triggers that fail stand for a driver that does, at each kind of write.
    for table in ["ZTEAM", "ZPERSON", "Z_4TEAMS", "Z_PRIMARYKEY"] {
      for event in ["INSERT", "UPDATE", "DELETE"] {
        let fixture = try StoreFixture(Models.league)
        let team = try fixture.insert("Team", ["name": .text("a")])
        let gone = try fixture.insert("Team", ["name": .text("b")])
        let names = try RawDatabase.texts(
          fixture.path,
          "SELECT name FROM sqlite_master WHERE type = 'table'"
        )
        let target = names.contains(table) ? table : names.first { $0.hasPrefix("Z_4") } ?? table
        _ = try RawDatabase.texts(
          fixture.path,
          "CREATE TRIGGER fails BEFORE \(event) ON \(target) BEGIN SELECT RAISE(ABORT, 'no'); END"
        )
        var batch = SaveBatch()
        let tag = try fixture.insertion("Tag", ["label": .text("t")])
        batch.inserts = [tag, try fixture.insertion("Player", ["name": .text("p")])]
        batch.updates = [try fixture.update(team, "Team", ["wins": .int(1)], version: 1)]
        batch.deletes = [.init(key: gone, expectedVersion: 1)]
        batch.links = [
          .init(owner: team, slot: try fixture.slot("Team", "tags"), added: [tag.key], removed: [])
        ]
        let saved = (try? fixture.store.save(batch)) != nil
        let state = [try fixture.keys("Tag").count, try fixture.keys("Team").count]
        #expect(state == (saved ? [1, 1] : [0, 2]), "\(table) \(event)")
        _ = try RawDatabase.texts(fixture.path, "DROP TRIGGER fails")
        if !saved { _ = try fixture.store.save(batch) }
        #expect(try fixture.keys("Tag").count == 1)
      }
    }
  }
}
