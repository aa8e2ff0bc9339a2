// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQLite
import _CoreDataStore

@Suite("SQLite store and bad input")
struct BadInputTests {
  private func opening(
    _ content: Data?,
    readOnly: Bool = false
  ) throws -> StoreError? {
    let folder = try StoreFixture.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("Store.sqlite")
    try content?.write(to: file)
    var options = SQLiteStoreOptions(path: file.path)
    options.isReadOnly = readOnly
    do {
      _ = try SQLiteStore(model: ModelDefinition(Models.league), index: 0, options: options)
      return nil
    } catch let error as StoreError {
      return error
    }
  }

  @Test("A file that is no database is corrupt")
  func noDatabase() throws {
    let error = try opening(Data(String(repeating: "no database ", count: 100).utf8))
    #expect(error?.code == .corrupt)
    #expect(error?.path?.hasSuffix("Store.sqlite") == true)
  }

  @Test("A missing file cannot be opened read-only")
  func missing() throws { #expect(try opening(nil, readOnly: true)?.code == .cannotOpen) }

  @Test("A folder that does not exist cannot be opened")
  func missingFolder() throws {
    let options = SQLiteStoreOptions(path: "/nonexistent-\(UUID())/Store.sqlite")
    let error = #expect(throws: StoreError.self) {
      try SQLiteStore(model: ModelDefinition(Models.league), index: 0, options: options)
    }
    #expect(error?.code == .cannotOpen)
    #expect(error?.message.contains("the file's folder does not exist") == true)
  }

  @Test("A database that is no Core Data store is refused and left alone")
  func otherDatabase() throws {
    let folder = try StoreFixture.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("other.sqlite").path
    var options = SQLiteStoreOptions(path: path)
    options.pragmas = ["user_version": "1"]
    _ = try RawDatabase.texts(path, "CREATE TABLE mine(a)")
    let error = #expect(throws: StoreError.self) {
      try SQLiteStore(model: ModelDefinition(Models.league), index: 0, options: options)
    }
    #expect(error?.code == .corrupt)
    #expect(try RawDatabase.texts(path, "SELECT name FROM sqlite_master") == ["mine"])
  }

  @Test("A damaged page is corrupt, not a crash")
  func damaged() throws {
    let fixture = try StoreFixture(Models.league)
    for index in 0..<200 { try fixture.insert("Team", ["name": .text("team \(index)")]) }
    fixture.store.close()
    _ = try RawDatabase.texts(fixture.path, "PRAGMA wal_checkpoint(TRUNCATE)")
    let root = try #require(
      Int(
        try RawDatabase.texts(
          fixture.path,
          "SELECT rootpage FROM sqlite_master WHERE name = 'ZTEAM'"
        )[0]
      )
    )
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: fixture.path))
    try file.seek(toOffset: UInt64(root - 1) * 4096)
    try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
    try file.close()
    let store = try fixture.reopened()
    let error = #expect(throws: StoreError.self) {
      try store.fetch(FetchDescription(entity: try fixture.index("Team")))
    }
    #expect(error?.code == .corrupt)
  }

  @Test(
    "Unknown key paths name the key path and the entity",
    arguments: ["nope", "players.nope", "name.length"]
  )
  func unknownKey(keyPath: String) throws {
    let fixture = try StoreFixture(Models.league)
    let description = try fixture.description(
      "Team",
      .comparison(
        Comparison(
          .keyPath(keyPath),
          .equal,
          .constant(Constant(.int(1))),
          modifier: .any
        )
      )
    )
    let error = #expect(throws: StoreError.self) { try fixture.store.fetch(description) }
    #expect(error?.code == .invalidRequest)
    #expect(error?.message.contains("not found in entity <NSSQLEntity") == true)
  }

  @Test("What SQL cannot say is refused by name")
  func refused() throws {
    let fixture = try StoreFixture(Models.league)
    let opaque = try fixture.description("Team", .opaque(OpaqueCondition { _, _ in true }))
    #expect(throws: StoreError.self) { try fixture.store.fetch(opaque) }
    let toMany = try fixture.description(
      "Team",
      .comparison(Comparison(.keyPath("players"), .equal, .constant(Constant(.null))))
    )
    let error = #expect(throws: StoreError.self) { try fixture.store.fetch(toMany) }
    #expect(error?.message.contains("to-many key not allowed here") == true)
    var sorted = try fixture.description("Team")
    sorted.order = [SortKey("name", comparison: .opaque(OpaqueOrder { _, _ in 0 }))]
    #expect(throws: StoreError.self) { try fixture.store.fetch(sorted) }
    let pattern = try fixture.description(
      "Team",
      .comparison(Comparison(.keyPath("name"), .matches, .constant(Constant(.text("([")))))
    )
    try fixture.insert("Team", ["name": .text("a")])
    #expect(throws: StoreError.self) { try fixture.store.fetch(pattern) }
  }

  @Test("A store that only its history makes read-only names the option that is missing")
  func readOnlyHistory() throws {
    let fixture = try StoreFixture(Models.league)
    var options = SQLiteStoreOptions(path: fixture.path)
    options.tracksHistory = true
    try SQLiteStore(model: fixture.model, index: 0, options: options).close()
    let reader = try fixture.reopened()
    defer { reader.close() }
    let error = #expect(throws: StoreError.self) { try reader.reserveKeys(for: [0]) }
    #expect(error?.code == .readOnly)
    #expect(error?.message.contains("NSPersistentHistoryTrackingKey") == true)
  }

  @Test("A pragma that cannot be written into a statement is refused by name")
  func pragma() throws {
    let fixture = try StoreFixture(Models.league)
    var options = SQLiteStoreOptions(path: fixture.path)
    options.pragmas = ["cache_size": "1; DROP TABLE ZTEAM"]
    let error = #expect(throws: StoreError.self) {
      try SQLiteStore(model: fixture.model, index: 0, options: options)
    }
    #expect(error?.code == .invalidRequest && error?.path == fixture.path)
    #expect(error?.message.contains("“cache_size”") == true)
  }

  @Test("A closed store says so, a read-only store does not write")
  func closedAndReadOnly() throws {
    let fixture = try StoreFixture(Models.league)
    try fixture.insert("Team", ["name": .text("a")])
    let reader = try fixture.reopened(readOnly: true)
    var batch = SaveBatch()
    batch.inserts = [try fixture.insertion("Team", [:])]
    let refused = #expect(throws: StoreError.self) { try reader.save(batch) }
    #expect(refused?.code == .readOnly && refused?.message.contains("for reading only") == true)
    #expect(
      #expect(throws: StoreError.self) { try reader.reserveKeys(for: [0]) }?.code == .readOnly
    )
    #expect(
      try reader.rows(for: [
        try #require(ObjectKey(store: 0, entity: try fixture.index("Team"), number: 1))
      ]).keys.count == 1
    )
    fixture.store.close()
    #expect(#expect(throws: StoreError.self) { try fixture.store.save(batch) }?.code == .closed)
    #expect(#expect(throws: StoreError.self) { try fixture.keys("Team") }?.code == .closed)
  }

  @Test("Metadata of the application are kept beside the framework's")
  func metadata() throws {
    let fixture = try StoreFixture(Models.league)
    try fixture.store.setMetadata(StoreMetadata(["mine": "yes", "NSStoreType": "other"]))
    let values = try fixture.reopened().metadata().values
    #expect(values["mine"] as? String == "yes")
    #expect(values[StoreMetadata.typeKey] as? String == "SQLite")
    #expect(values[StoreMetadata.uuidKey] as? String == fixture.store.identifier)
    #expect((values[StoreMetadata.hashesKey] as? [String: Data])?.count == 5)
  }
}
