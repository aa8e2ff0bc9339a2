// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQLite
import _CoreDataStore

/// Numbers in a file that the framework never writes.
@Suite("Damaged rows and bookkeeping")
struct DamagedRowTests {
  private func fixture() throws -> StoreFixture {
    let fixture = try StoreFixture(Models.league)
    try fixture.insert("Team", ["name": .text("a")])
    try fixture.insert("Player", ["name": .text("p")])
    return fixture
  }

  @Test(
    "A relationship's number that no row can have is damage, as a primary key is",
    arguments: ["-1", "-9223372036854775808", "2199023255552", "9223372036854775807"]
  )
  func foreignKeys(number: String) throws {
    let fixture = try fixture()
    _ = try RawDatabase.texts(fixture.path, "UPDATE ZPERSON SET ZTEAM = \(number)")
    let description = try fixture.description("Player")
    let error = #expect(throws: StoreError.self) { try fixture.store.fetch(description) }
    #expect(error?.code == .corrupt && error?.message.contains(number) == true)
    #expect(error?.path == fixture.path)
    let key = try #require(ObjectKey(store: 0, entity: fixture.index("Player"), number: 1))
    #expect(throws: StoreError.self) { try fixture.store.row(for: key, into: nil) }
    var columns = description
    columns.shape = .dictionaries(
      DictionaryShape(columns: [DictionaryShape.Column(name: "team", term: .keyPath("team"))])
    )
    #expect(throws: StoreError.self) { try fixture.store.fetch(columns) }
  }

  @Test(
    "A damaged primary key or entity number is named with its table and a way to find such rows"
  )
  func rowNumbers() throws {
    let damages = [
      ("UPDATE ZPERSON SET Z_ENT = 99", "Person", "a row of ZPERSON has the entity number 99"),
      ("UPDATE ZPERSON SET Z_PK = -1", "Person", "a row of ZPERSON has the invalid primary key -1"),
      ("UPDATE ZTEAM SET Z_PK = -1", "Team", "a row of ZTEAM has the invalid primary key -1"),
    ]
    for (damage, entity, cause) in damages {
      let fixture = try fixture()
      _ = try RawDatabase.texts(fixture.path, damage)
      let description = try fixture.description(entity)
      let error = #expect(throws: StoreError.self) { try fixture.store.fetch(description) }
      #expect(error?.code == .corrupt && error?.path == fixture.path)
      #expect(error?.message.contains(cause) == true, "\(error?.message ?? "")")
      #expect(error?.message.contains("`coredata doctor`") == true)
    }
  }

  @Test("An insert for which no primary key is left names the entity and Z_MAX")
  func noNumberLeft() throws {
    let fixture = try fixture()
    _ = try RawDatabase.texts(
      fixture.path,
      "UPDATE Z_PRIMARYKEY SET Z_MAX = \(ObjectKey.maximumNumber) WHERE Z_NAME = 'Team'"
    )
    let error = #expect(throws: StoreError.self) {
      try fixture.insert("Team", ["name": .text("b")])
    }
    #expect(error?.code == .corrupt && error?.path == fixture.path)
    #expect(
      error?.message.contains("no primary key is left for new objects of entity Team") == true
    )
  }

  @Test("A relationship's number of zero names no object, as in files of old frameworks")
  func zero() throws {
    let fixture = try fixture()
    _ = try RawDatabase.texts(fixture.path, "UPDATE ZPERSON SET ZTEAM = 0")
    let rows = try fixture.rows(fixture.description("Player"))
    #expect(rows.count == 1 && rows.allSatisfy { $0.values["team"]?.isNull ?? true })
  }

  @Test(
    "A row whose version is missing or beyond counting is saved and checked like others",
    arguments: ["NULL", "9223372036854775807", "-1", "4294967295", "0", "1.5", "'x'"]
  )
  func versions(stored: String) throws {
    let fixture = try fixture()
    _ = try RawDatabase.texts(fixture.path, "UPDATE ZTEAM SET Z_OPT = \(stored)")
    let key = try #require(ObjectKey(store: 0, entity: fixture.index("Team"), number: 1))
    for wins in 1...3 {
      let loaded = try #require(try fixture.store.row(for: key, into: nil))
      let version = loaded.chunk.version(loaded.row)
      var batch = SaveBatch()
      batch.updates.append(
        try fixture.update(key, "Team", ["wins": .int(Int64(wins))], version: version)
      )
      _ = try fixture.store.save(batch)
      // Who has not seen that save is in conflict with it.
      let error = #expect(throws: StoreError.self) { try fixture.store.save(batch) }
      #expect(error?.code == .conflict && error?.message.contains("1 object (Team)") == true)
    }
    let loaded = try #require(try fixture.store.row(for: key, into: nil))
    var check = SaveBatch()
    check.checks = [.init(key: key, expectedVersion: loaded.chunk.version(loaded.row))]
    _ = try fixture.store.save(check)
    var deletion = SaveBatch()
    deletion.deletes = [.init(key: key, expectedVersion: loaded.chunk.version(loaded.row))]
    _ = try fixture.store.save(deletion)
    #expect(try fixture.keys("Team").isEmpty)
  }

  @Test("New rows get numbers from 1 on where the last number is missing", arguments: [1, 3])
  func missingLastNumber(count: Int) throws {
    let fixture = try StoreFixture(Models.league)
    _ = try RawDatabase.texts(fixture.path, "UPDATE Z_PRIMARYKEY SET Z_MAX = NULL")
    var batch = SaveBatch()
    batch.inserts = try (0..<count).map { _ in try fixture.insertion("Team", [:]) }
    let keys = try fixture.store.save(batch).insertedKeys
    #expect(keys.map(\.number) == Array(1...Int64(count)))
    #expect(
      try RawDatabase.texts(fixture.path, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Team'")
        == ["\(count)"]
    )
  }

  @Test(
    "A last number that is a text or a blob is no number: new rows get keys that are free",
    arguments: ["'abc'", "x'00'", "'9x'", "-5"],
    [1, 3]
  )
  func otherLastNumber(value: String, count: Int) throws {
    let fixture = try StoreFixture(Models.league)
    let last = try fixture.insert("Team", ["name": .text("a")])
    _ = try RawDatabase.texts(fixture.path, "UPDATE Z_PRIMARYKEY SET Z_MAX = \(value)")
    var batch = SaveBatch()
    batch.inserts = try (0..<count).map { _ in try fixture.insertion("Team", [:]) }
    let keys = try fixture.store.save(batch).insertedKeys.map(\.number)
    #expect(keys.count == count && keys.allSatisfy { $0 > last.number }, "\(keys)")
    #expect(
      try RawDatabase.texts(fixture.path, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Team'")
        == ["\(keys.last ?? 0)"]
    )
  }

  @Test("A trigger that refuses a save is an error with its words, not a uniqueness conflict")
  func raise() throws {
    let fixture = try fixture()
    _ = try RawDatabase.texts(
      fixture.path,
      "CREATE TRIGGER guard BEFORE INSERT ON ZTAG BEGIN SELECT RAISE(ABORT, 'not today'); END"
    )
    let error = #expect(throws: StoreError.self) { try fixture.insert("Tag", [:]) }
    #expect(error?.code == .engine && error?.message == "not today")
    try fixture.insert("Team", ["name": .text("b")])
    let twin = #expect(throws: StoreError.self) {
      try fixture.insert("Team", ["name": .text("b")])
    }
    #expect(twin?.code == .constraint)
  }

  @Test("What is not a regular file is not opened")
  func specialFiles() async {
    await #expect(processExitsWith: .success) {
      // A read of an empty pipe would wait for good.
      alarm(30)
      for readOnly in [false, true] {
        let folder = try StoreFixture.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("Store.sqlite").path
        #expect(mkfifo(path, 0o600) == 0)
        var options = SQLiteStoreOptions(path: path)
        options.isReadOnly = readOnly
        options.leavesNoTrace = readOnly
        let error = #expect(throws: StoreError.self) {
          try SQLiteStore(model: ModelDefinition(Models.league), index: 0, options: options)
        }
        #expect(error?.code == .cannotOpen && error?.message.contains("regular file") == true)
        #expect(throws: StoreError.self) { try StoreFile(path: path, access: .untouched) }
      }
    }
  }
}
