// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

@Suite("SQLite store, rows by key")
struct LookUpTests {
  private func name(_ fixture: StoreFixture, _ loaded: LoadedRow?) throws -> String? {
    let slot = try fixture.slot("Team", "name")
    return loaded.map { $0.chunk.text($0.row, slot) }
  }

  @Test("A look-up sees every commit of others, however many look-ups came before it")
  func commitsAreSeen() throws {
    let fixture = try StoreFixture(Models.league)
    let key = try fixture.insert("Team", ["name": .text("0")])
    let other = try RawConnection(fixture.path)
    for round in 1...60 {
      // Moments are kept after some look-ups without a commit between them.
      for _ in 0..<(round % 3 == 0 ? 50 : round % 7) {
        let before = try fixture.store.row(for: key, into: nil)
        try #require(try name(fixture, before) == "\(round - 1)")
      }
      if round.isMultiple(of: 2) {
        try other.run("UPDATE ZTEAM SET ZNAME = '\(round)', Z_OPT = Z_OPT + 1")
      } else {
        var batch = SaveBatch()
        batch.updates = [
          try fixture.update(key, "Team", ["name": .text("\(round)")], version: nil)
        ]
        _ = try fixture.store.save(batch)
      }
      let after = try fixture.store.row(for: key, into: nil)
      try #require(try name(fixture, after) == "\(round)")
    }
  }

  @Test("Commits of others are seen while several threads look up")
  func threads() throws {
    let fixture = try StoreFixture(Models.league)
    let key = try fixture.insert("Team", ["name": .text("0")])
    let other = try RawConnection(fixture.path)
    let store = fixture.store
    for round in 1...20 {
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        for _ in 0..<40 { _ = try? store.row(for: key, into: nil) }
      }
      try other.run("UPDATE ZTEAM SET ZNAME = '\(round)', Z_OPT = Z_OPT + 1")
      let after = try fixture.store.row(for: key, into: nil)
      try #require(try name(fixture, after) == "\(round)")
    }
  }

  @Test("A fetch on the one connection that look-ups keep a moment on sees the newest commit")
  func scanAfterLookUps() throws {
    let fixture = try StoreFixture(Models.league)
    let key = try fixture.insert("Team", ["name": .text("a")])
    let store = try fixture.reopened(readers: 1)
    for _ in 0..<100 { _ = try store.row(for: key, into: nil) }
    let other = try RawConnection(fixture.path)
    try other.run(
      "INSERT INTO ZTEAM (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT 1000, Z_ENT, 1, 'b' FROM ZTEAM"
    )
    var description = try fixture.description("Team")
    description.shape = .keys
    guard case .keys(let keys) = try store.fetch(description) else {
      Issue.record("no keys came")
      return
    }
    #expect(keys.count == 2)
  }

  @Test("Others can start the log anew after a burst of look-ups")
  func checkpoint() throws {
    let fixture = try StoreFixture(Models.league)
    let key = try fixture.insert("Team", ["name": .text("a")])
    for _ in 0..<100 { _ = try fixture.store.row(for: key, into: nil) }
    let other = try RawConnection(fixture.path)
    try other.run("UPDATE ZTEAM SET ZNAME = 'b'")
    for _ in 0..<100 { _ = try fixture.store.row(for: key, into: nil) }
    // Waits for the reader, which gives its moment up by itself.
    try other.run("PRAGMA busy_timeout = 60000")
    try other.run("PRAGMA wal_checkpoint(TRUNCATE)")
    let log = try Data(contentsOf: URL(fileURLWithPath: fixture.path + "-wal"))
    #expect(log.isEmpty)
    #expect(try name(fixture, try fixture.store.row(for: key, into: nil)) == "b")
  }

  @Test("Rows that come one by one share chunks, and none of them moves")
  func chunks() throws {
    let fixture = try StoreFixture(Models.league)
    let slot = try fixture.slot("Tag", "label")
    let keys = try (0..<200).map { index in
      let text = String(repeating: "x", count: index.isMultiple(of: 50) ? 4_000 : index % 30)
      return try fixture.insert("Tag", ["label": .text(text)])
    }
    var open: RowChunk?
    var chunks: Set<ObjectIdentifier> = []
    var places: [(loaded: LoadedRow, start: UnsafeRawPointer?, count: Int)] = []
    for key in keys {
      guard let loaded = try fixture.store.row(for: key, into: open) else { continue }
      open = loaded.chunk
      chunks.insert(ObjectIdentifier(loaded.chunk))
      let bytes = loaded.chunk.bytes(loaded.row, slot)
      places.append((loaded, bytes.baseAddress, bytes.count))
    }
    #expect(places.count == 200)
    #expect(chunks.count < 20)
    for (loaded, start, count) in places {
      let bytes = loaded.chunk.bytes(loaded.row, slot)
      #expect(bytes.baseAddress == start && bytes.count == count)
    }
  }

  @Test("A missing row is none; a row of a sub-entity leaves the chunk of the entity alone")
  func otherRows() throws {
    let fixture = try StoreFixture(Models.league)
    let key = try fixture.insert("Player", ["name": .text("a"), "number": .int(7)])
    let missing = try #require(
      ObjectKey(store: key.store, entity: key.entity, number: key.number + 1)
    )
    let person = try fixture.index("Person")
    let open = RowChunk(layout: fixture.model.entities[person].rowLayout, capacity: 4)
    let none = try fixture.store.row(for: missing, into: nil)
    #expect(none.map(\.key) == nil)
    let loaded = try #require(try fixture.store.row(for: key.with(entity: person), into: open))
    #expect(loaded.key == key && loaded.chunk !== open && open.count == 0)
    #expect(loaded.chunk.integer(loaded.row, try fixture.slot("Player", "number")) == 7)
  }

  @Test("Members come with their rows by one statement, in the order that their keys have")
  func memberRows() throws {
    let fixture = try StoreFixture(Models.league)
    let teams = try (0..<3).map { try fixture.insert("Team", ["name": .text("\($0)")]) }
    let players = try fixture.slot("Team", "players")
    let team = try fixture.slot("Player", "team")
    for number in 0..<30 {
      try fixture.insert("Player", ["name": .text("\(number)"), "team": .key(teams[number % 3])])
    }
    for owner in teams {
      let before = fixture.observer.counts.started
      let rows = try #require(try fixture.store.memberRows(of: owner, slot: players))
      #expect(fixture.observer.counts.started == before + 1)
      #expect(try fixture.store.members(of: [owner], slot: players) == [rows.keys])
      rows.forEach { _, chunk, row in #expect(chunk.key(row, team) == owner) }
    }
    let tags = try fixture.slot("Team", "tags")
    let joined = try fixture.store.memberRows(of: teams[0], slot: tags)
    #expect(joined.map(\.keys) == nil)
  }

  @Test("A row with a value that can be in a file is read into a chunk without room for more rows")
  func taggedRows() throws {
    let fixture = try StoreFixture(Models.types)
    var open: RowChunk?
    for number in 0..<20 {
      let size = number % 2 == 0 ? 50_000 : 10
      let key = try fixture.insert("Thing", ["tagged": .data(Data(count: size))])
      let loaded = try #require(try fixture.store.row(for: key, into: open))
      open = loaded.chunk
      #expect(loaded.chunk.capacity == 1 && loaded.chunk.arenaRoom <= 50_000)
    }
  }
}
