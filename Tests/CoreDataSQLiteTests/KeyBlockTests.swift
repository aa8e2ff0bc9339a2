// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// Primary keys that a connection reserves in advance for saves of single objects.
@Suite("Blocks of primary keys")
struct KeyBlockTests {
  private func insertion(_ fixture: StoreFixture) throws -> SaveBatch.Insert {
    try fixture.insertion("Team", ["name": .text(UUID().uuidString)])
  }

  private func insert(_ fixture: StoreFixture, _ count: Int = 1) throws -> [Int64] {
    var batch = SaveBatch()
    for _ in 0..<count { batch.inserts.append(try insertion(fixture)) }
    return try fixture.store.save(batch).insertedKeys.map(\.number)
  }

  private func lastKey(_ fixture: StoreFixture) throws -> String? {
    try RawDatabase.texts(
      fixture.path,
      "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Team'"
    ).first
  }

  @Test("After eight saves of single objects, the file is told of keys once in 64 saves")
  func blocks() throws {
    let fixture = try StoreFixture(Models.league)
    var keys: [Int64] = []
    for _ in 0..<8 { keys += try insert(fixture) }
    #expect(try lastKey(fixture) == "8")
    let updates = Mutex(0)
    fixture.observer.setOnStart {
      if $0.hasPrefix("UPDATE Z_PRIMARYKEY") { updates.withLock { $0 += 1 } }
    }
    for _ in 0..<192 { keys += try insert(fixture) }
    fixture.observer.setOnStart(nil)
    #expect(keys == Array(1...200))
    #expect(updates.withLock { $0 } == 3)
    #expect(try lastKey(fixture) == "200")
    // A save of more objects than the block has keys for continues the block.
    #expect(try insert(fixture) == [201])
    #expect(try insert(fixture, 100) == Array(202...301))
    #expect(try insert(fixture) == [302])
  }

  @Test("A save that fails gives its keys back to the block")
  func failure() throws {
    struct Failure: Error {}
    let fixture = try StoreFixture(Models.league)
    for _ in 0..<20 { _ = try insert(fixture) }
    var batch = SaveBatch()
    batch.inserts.append(try insertion(fixture))
    #expect(throws: Failure.self) {
      try fixture.store.save(batch, beforeCommit: { throw Failure() })
    }
    #expect(try insert(fixture) == [21])
  }

  @Test("A save that fails after another connection has inserted rows drops the block")
  func failureBehindOtherChanges() throws {
    struct Failure: Error {}
    let fixture = try StoreFixture(Models.league)
    for _ in 0..<20 { _ = try insert(fixture) }
    _ = try RawDatabase.texts(
      fixture.path,
      "INSERT INTO ZTEAM(Z_PK, Z_ENT, Z_OPT) SELECT 21, Z_ENT, 1 FROM ZTEAM WHERE Z_PK = 1"
    )
    var batch = SaveBatch()
    batch.inserts.append(try insertion(fixture))
    #expect(throws: Failure.self) {
      try fixture.store.save(batch, beforeCommit: { throw Failure() })
    }
    // The row was inserted before the failed save, so the next save finds no change.
    let key = try #require(try insert(fixture).first)
    #expect(key > 21)
    #expect(try lastKey(fixture) == "\(key)")
  }

  @Test("Blocks of several hierarchies are independent, also if a save with both fails")
  func hierarchies() throws {
    struct Failure: Error {}
    let fixture = try StoreFixture(Models.league)
    func batch() throws -> SaveBatch {
      var batch = SaveBatch()
      batch.inserts = [
        try insertion(fixture), try fixture.insertion("Player", [:]), try insertion(fixture),
      ]
      return batch
    }
    for round in 0..<20 {
      let keys = try fixture.store.save(batch()).insertedKeys.map(\.number)
      let first = Int64(2 * round + 1)
      #expect(keys == [first, Int64(round + 1), first + 1])
    }
    #expect(throws: Failure.self) {
      try fixture.store.save(batch(), beforeCommit: { throw Failure() })
    }
    #expect(try fixture.store.save(batch()).insertedKeys.map(\.number) == [41, 21, 42])
  }

  @Test("Keys of two stores on one file never meet, in whatever order they save")
  func twoStores() throws {
    let fixture = try StoreFixture(Models.league)
    let other = try fixture.reopened()
    defer { other.close() }
    var keys: [Int64] = []
    for number in 0..<120 {
      if number % 30 < 10 {
        var batch = SaveBatch()
        batch.inserts.append(try insertion(fixture))
        keys += try other.save(batch).insertedKeys.map(\.number)
      } else {
        keys += try insert(fixture)
      }
    }
    #expect(Set(keys).count == 120)
    #expect(keys == keys.sorted())
  }

  @Test(
    "A block is dropped if another program inserts rows without a reservation, or decreases Z_MAX"
  )
  func changedFile() throws {
    let fixture = try StoreFixture(Models.league)
    for _ in 0..<20 { _ = try insert(fixture) }
    _ = try RawDatabase.texts(
      fixture.path,
      "INSERT INTO ZTEAM(Z_PK, Z_ENT, Z_OPT) SELECT 21, Z_ENT, 1 FROM ZTEAM WHERE Z_PK = 1"
    )
    _ = try RawDatabase.texts(
      fixture.path,
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_NAME = 'Team'"
    )
    #expect(try insert(fixture) == [22])
    #expect(try lastKey(fixture) == "22")
  }
}
