// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataSQLite
import _CoreDataStore

@Suite("SQLite store")
struct StoreTests {
  @Test("Every attribute type comes back as it was saved")
  func roundTrip() throws {
    let fixture = try StoreFixture(Models.types)
    let uuid = UUID()
    let values: [String: Value] = [
      "int16": .int(-7), "int32": .int(70_000), "int64": .int(.max),
      "decimal": .decimal(Decimal(string: "3.3333333333") ?? 0), "double": .double(-0.5),
      "float": .double(1.5), "string": .text("Zürich 🏔"), "flag": .bool(true), "date": .date(1),
      "data": .data(Data([0, 1, 2])), "tagged": .data(Data([9, 8])), "uuid": .uuid(uuid),
      "url": .url(try #require(URL(string: "https://example.org/a?b=c"))),
      "object": .data(Data("archive".utf8)),
    ]
    try fixture.insert("Thing", values)
    try fixture.insert("Thing", [:])
    try fixture.insert(
      "Thing",
      ["string": .text(""), "data": .data(Data()), "int64": .int(0), "double": .double(0)]
    )
    let reopened = try fixture.reopened()
    guard case .rows(let fetched) = try reopened.fetch(try fixture.description("Thing")) else {
      Issue.record("no rows")
      return
    }
    let rows = fixture.contents(fetched)
    #expect(rows.map(\.key.number) == [1, 2, 3])
    #expect(rows[0].values.mapValues(Constant.init) == values.mapValues(Constant.init))
    #expect(rows[1].values.isEmpty)
    #expect(
      rows[2].values.mapValues(Constant.init) == [
        "string": Constant(.text("")), "data": Constant(.data(Data())), "int64": Constant(.int(0)),
        "double": Constant(.double(0)),
      ]
    )
  }

  @Test("A thousand new objects are one insert statement and one transaction")
  func manyInserts() throws {
    let fixture = try StoreFixture(Models.league)
    var batch = SaveBatch()
    for index in 0..<1000 {
      batch.inserts.append(try fixture.insertion("Team", ["name": .text("t\(index)")]))
    }
    let before = fixture.observer.counts
    let keys = try fixture.store.save(batch).insertedKeys
    let after = fixture.observer.counts
    #expect(keys.map(\.number) == Array(1...1000))
    #expect(after.transactions - before.transactions == 1)
    // The two of the numbering and the insert; BEGIN and COMMIT were compiled for the tables.
    #expect(after.prepared - before.prepared == 3)
    var count = try fixture.description("Team")
    count.shape = .count
    guard case .count(1000) = try fixture.store.fetch(count) else {
      Issue.record("wrong count")
      return
    }
  }

  @Test("An index that a model has twice is made once, one of a to-one alone not at all")
  func doubleIndexes() throws {
    var league = Models.league
    let team = try #require(league.entities.firstIndex { $0.name == "Player" })
    let index = { (name: String, property: String) in
      FetchIndexDefinition(
        name: name,
        elements: [FetchIndexDefinition.Element(property: property)],
        partialPredicate: nil
      )
    }
    league.entities[team].fetchIndexes = [
      index("byName", "name"), index("byName", "name"), index("byTeam", "team"),
    ]
    let fixture = try StoreFixture(league)
    fixture.store.close()
    let names = try RawDatabase.texts(
      fixture.path,
      "SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'Z_Player%'"
    )
    #expect(names == ["Z_Player_byName"])
  }

  @Test("Where Z_MAX is behind the rows, new rows get keys that are free")
  func lateHighestKey() throws {
    let fixture = try StoreFixture(Models.league)
    try fixture.insert("Team", ["name": .text("a")])
    let last = try fixture.insert("Team", ["name": .text("b")])
    _ = try RawDatabase.texts(fixture.path, "UPDATE Z_PRIMARYKEY SET Z_MAX = 0")
    let key = try fixture.insert("Team", ["name": .text("c")])
    #expect(key.number == last.number + 1)
    _ = try RawDatabase.texts(fixture.path, "UPDATE Z_PRIMARYKEY SET Z_MAX = 90")
    #expect(try fixture.insert("Team", ["name": .text("d")]).number == 91)
  }

  @Test("A sorted fetch with a predicate, a limit and an offset is one statement")
  func sortedFetch() throws {
    let fixture = try StoreFixture(Models.league)
    for (name, wins) in [("b", 3), ("a", 3), ("c", 9), ("d", 1)] {
      try fixture.insert("Team", ["name": .text(name), "wins": .int(Int64(wins))])
    }
    var description = try fixture.description(
      "Team",
      .comparison(
        Comparison(.keyPath("wins"), .greaterThan, .constant(Constant(.int(1))))
      )
    )
    description.order = [SortKey("wins", ascending: false), SortKey("name")]
    description.limit = 2
    description.offset = 1
    let before = fixture.observer.counts.started
    let rows = try fixture.rows(description)
    #expect(fixture.observer.counts.started - before == 1)
    #expect(
      rows.map { $0.values["name"].map(Constant.init) } == [
        Constant(.text("a")), Constant(.text("b")),
      ]
    )
  }

  @Test("Relationships come back: to-one with its entity, ordered, many-to-many, without inverse")
  func relationships() throws {
    let fixture = try StoreFixture(Models.league)
    let team = try fixture.insertion("Team", ["name": .text("Reds")])
    let rival = try fixture.insertion("Team", ["name": .text("Blues")])
    let coach = try fixture.insertion("Coach", ["name": .text("Ann"), "team": .key(team.key)])
    let player = try fixture.insertion(
      "Player",
      ["name": .text("Bob"), "team": .key(team.key), "mentor": .key(coach.key)]
    )
    let tag = try fixture.insertion("Tag", ["label": .text("red")])
    let slots = (
      players: try fixture.slot("Team", "players"), tags: try fixture.slot("Team", "tags"),
      rivals: try fixture.slot("Team", "rivals"), teams: try fixture.slot("Tag", "teams")
    )
    var batch = SaveBatch()
    batch.inserts = [team, rival, coach, player, tag]
    batch.links = [
      .init(owner: team.key, slot: slots.tags, added: [tag.key], removed: []),
      .init(owner: team.key, slot: slots.rivals, added: [rival.key], removed: []),
    ]
    batch.orders = [.init(owner: team.key, slot: slots.players, members: [player.key, coach.key])]
    let keys = try fixture.store.save(batch).insertedKeys
    let store = fixture.store
    #expect(try store.members(of: [keys[0]], slot: slots.players) == [[keys[3], keys[2]]])
    #expect(try store.members(of: [keys[0], keys[1]], slot: slots.tags) == [[keys[4]], []])
    #expect(try store.members(of: [keys[4]], slot: slots.teams) == [[keys[0]]])
    #expect(try store.members(of: [keys[0]], slot: slots.rivals) == [[keys[1]]])
    let bob = fixture.contents(try store.rows(for: [keys[3]]))
    #expect(bob.count == 1)
    #expect(bob[0].values["mentor"].map(Constant.init) == Constant(.key(keys[2])))
    #expect(try fixture.keys("Person") == [1, 2])
    #expect(try fixture.keys("Player") == [2])

    var change = SaveBatch()
    change.links = [.init(owner: keys[0], slot: slots.tags, added: [], removed: [keys[4]])]
    change.orders = [.init(owner: keys[0], slot: slots.players, members: [keys[2], keys[3]])]
    change.deletes = [.init(key: keys[1], expectedVersion: 1)]
    _ = try store.save(change)
    #expect(try store.members(of: [keys[0]], slot: slots.players) == [[keys[2], keys[3]]])
    #expect(try store.members(of: [keys[0]], slot: slots.tags) == [[]])
    #expect(try store.members(of: [keys[0]], slot: slots.rivals) == [[]])
  }

  @Test("A save names every row that another save changed, and writes nothing")
  func conflicts() throws {
    let fixture = try StoreFixture(Models.league)
    let keys = try ["a", "b", "c"].map { try fixture.insert("Team", ["name": .text($0)]) }
    var first = SaveBatch()
    first.updates = [try fixture.update(keys[0], "Team", ["wins": .int(1)], version: 1)]
    first.deletes = [.init(key: keys[2], expectedVersion: 1)]
    _ = try fixture.store.save(first)
    var second = SaveBatch()
    second.updates = SaveBatch.Updates(
      try keys.map { try fixture.update($0, "Team", ["wins": .int(5)], version: 1) }
    )
    second.inserts = [try fixture.insertion("Team", ["name": .text("d")])]
    let error = #expect(throws: StoreError.self) { try fixture.store.save(second) }
    #expect(error?.code == .conflict)
    #expect(error?.keys == [keys[0], keys[2]])
    let rows = try fixture.rows(try fixture.description("Team"))
    #expect(rows.map { $0.values["wins"].map(Constant.init) } == [Constant(.int(1)), nil])
  }

  @Test(
    "A store with a rollback journal opens while another process reads it, and stays out of the log"
  )
  func ownJournal() throws {
    let fixture = try StoreFixture(Models.types)
    fixture.store.close()
    var options = SQLiteStoreOptions(path: fixture.path)
    options.pragmas = ["Journal_Mode": "DELETE"]
    options.timeout = 0
    try SQLiteStore(model: fixture.model, index: 0, options: options).close()
    let other = try RawConnection(fixture.path)
    try other.run("BEGIN; SELECT count(*) FROM Z_METADATA")
    try SQLiteStore(model: fixture.model, index: 0, options: options).close()
    // What it writes in bytes 18 and 19 of the file says which journal: 1 a rollback journal, 2 the log.
    let header = try Data(contentsOf: URL(fileURLWithPath: fixture.path)).prefix(20)
    #expect(Array(header.suffix(2)) == [1, 1])
  }

  @Test("A value that is not unique is a constraint error with its key")
  func uniqueness() throws {
    let fixture = try StoreFixture(Models.league)
    try fixture.insert("Team", ["name": .text("a")])
    var batch = SaveBatch()
    batch.inserts = [
      try fixture.insertion("Team", ["name": .text("b")]),
      try fixture.insertion("Team", ["name": .text("a")]),
    ]
    let error = #expect(throws: StoreError.self) { try fixture.store.save(batch) }
    #expect(error?.code == .constraint)
    #expect(error?.keys == [batch.inserts[1].key])
    #expect(try fixture.keys("Team") == [1])
  }

  @Test("Rows may exchange values that must be unique")
  func exchange() throws {
    let fixture = try StoreFixture(Models.league)
    let keys = try ["a", "b"].map { try fixture.insert("Team", ["name": .text($0)]) }
    var batch = SaveBatch()
    batch.updates = [
      try fixture.update(keys[0], "Team", ["name": .text("b")], version: 1),
      try fixture.update(keys[1], "Team", ["name": .text("a")], version: 1),
    ]
    _ = try fixture.store.save(batch)
    let rows = try fixture.rows(try fixture.description("Team"))
    #expect(
      rows.map { $0.values["name"].map(Constant.init) }
        == [Constant(.text("b")), Constant(.text("a"))]
    )
  }

  @Test(
    "A checked row that another save has changed is a conflict, and what runs before the commit can stop it"
  )
  func checks() throws {
    let fixture = try StoreFixture(Models.league)
    let key = try fixture.insert("Team", ["name": .text("a")])
    var batch = SaveBatch()
    batch.checks = [.init(key: key, expectedVersion: 1)]
    batch.inserts = [try fixture.insertion("Team", ["name": .text("b")])]
    struct Stop: Error {}
    #expect(throws: Stop.self) { try fixture.store.save(batch) { throw Stop() } }
    #expect(try fixture.keys("Team") == [1])
    var update = SaveBatch()
    update.updates = [try fixture.update(key, "Team", ["wins": .int(1)], version: 1)]
    _ = try fixture.store.save(update)
    let error = #expect(throws: StoreError.self) { try fixture.store.save(batch) }
    #expect(error?.code == .conflict && error?.keys == [key])
    #expect(try fixture.keys("Team") == [1])
  }
}
