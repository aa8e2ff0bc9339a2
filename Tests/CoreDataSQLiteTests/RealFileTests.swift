// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import SharedFolder
import Testing
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataSQLite
import _CoreDataStore

@Suite("Apple's files", .enabled(if: Shared.isThere, "the shared folder is absent"))
struct RealFileTests {
  struct Pair: Sendable, CustomStringConvertible {
    let store: String
    let model: String
    /// Definitions that an earlier model version left in the file.
    var leftovers: Set<String> = []
    var description: String { store }
  }

  private static let wire = "wireapp__wire-ios-data-model__"
  private static let wireLeftover =
    "CREATE INDEX ZADDRESSBOOKENTRY_ZLOCALIDENTIFIER_INDEX ON ZADDRESSBOOKENTRY (ZLOCALIDENTIFIER)"

  static let pairs: [Pair] = [
    Pair(
      store: "alemar11__CoreDataPlus__SampleModel_V2.sqlite",
      model: "alemar11__CoreDataPlus__SampleModel__SampleModel2.contents"
    ),
    Pair(
      store: "duckduckgo__BrowserServicesKit__Bookmarks_V1.sqlite",
      model: "duckduckgo__BrowserServicesKit__BookmarksModel.contents"
    ),
    Pair(
      store: "alemar11__CoreDataPlus__SampleModel3_V1.sqlite",
      model: "alemar11__CoreDataPlus__SampleModel3.contents"
    ),
    Pair(
      store: wire + "store2-62-0.wiredatabase",
      model: wire + "zmessaging__zmessaging2.62.0.contents",
      leftovers: [wireLeftover]
    ),
    Pair(
      store: wire + "store2-80-0.wiredatabase",
      model: wire + "zmessaging__zmessaging2.80.0.contents",
      leftovers: [wireLeftover]
    ),
  ]

  @Test("A new store has the tables, columns and indexes that Apple's file has", arguments: pairs)
  func schema(pair: Pair) throws {
    let model = try ModelDefinition(ModelFile.draft(at: Shared.model(pair.model)))
    let folder = try StoreFixture.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let ours = folder.appendingPathComponent("new.sqlite").path
    try SQLiteStore(model: model, index: 0, options: SQLiteStoreOptions(path: ours)).close()
    let theirs = try copy(pair.store, to: folder)
    let expected = try definitions(theirs).subtracting(pair.leftovers)
    #expect(try definitions(ours) == expected)
  }

  @Test(
    "Apple's file opens with its model, reads whole, takes a new row, and stays sound",
    arguments: pairs
  )
  func opens(pair: Pair) throws {
    let model = try ModelDefinition(ModelFile.draft(at: Shared.model(pair.model)))
    let folder = try StoreFixture.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try copy(pair.store, to: folder)
    let store = try SQLiteStore(model: model, index: 0, options: SQLiteStoreOptions(path: path))
    for entity in model.entities {
      guard case .rows(let rows) = try store.fetch(FetchDescription(entity: entity.index)) else {
        Issue.record("no rows")
        continue
      }
      let family = entity.family.map { String(store.layout.entities[$0].number) }
      let counted = try texts(
        path,
        "SELECT COUNT(*) FROM \(store.layout.entities[entity.index].table) "
          + "WHERE Z_ENT IN (\(family.joined(separator: ",")))"
      )
      #expect(counted == [String(rows.keys.count)])
    }
    let entity = try #require(model.entities.first { !$0.isAbstract })
    let chunk = RowChunk(layout: entity.rowLayout, capacity: 1)
    var batch = SaveBatch()
    batch.inserts = [
      .init(key: .temporary(entity: entity.index, number: 1), chunk: chunk, row: chunk.appendRow())
    ]
    let key = try store.save(batch).insertedKeys[0]
    #expect(try store.rows(for: [key]).keys == [key])
    store.close()
    #expect(try texts(path, "PRAGMA integrity_check") == ["ok"])
  }

  @Test("A model that differs is refused, naming the entities")
  func incompatible() throws {
    let folder = try StoreFixture.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try copy(Self.pairs[0].store, to: folder)
    let model = try ModelDefinition(ModelFile.draft(at: Shared.model(Self.pairs[1].model)))
    let error = #expect(throws: StoreError.self) {
      try SQLiteStore(model: model, index: 0, options: SQLiteStoreOptions(path: path))
    }
    #expect(error?.code == .incompatibleModel)
    #expect(error?.message.contains("SportCar") == true)
  }

  // MARK: Files

  /// Copies a store and its log, readable and writable.
  private func copy(_ store: String, to folder: URL) throws -> String {
    let target = folder.appendingPathComponent("apple.sqlite")
    try Data(contentsOf: Shared.store(store)).write(to: target)
    if let log = try? Data(contentsOf: Shared.store(store + "-wal")) {
      try log.write(to: URL(fileURLWithPath: target.path + "-wal"))
    }
    return target.path
  }

  private func definitions(_ path: String) throws -> Set<String> {
    Set(
      try texts(
        path,
        "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND type != 'trigger' "
          + "AND tbl_name NOT IN ('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING')"
      ).map { $0.replacingOccurrences(of: "\"", with: "") }
    )
  }

  private func texts(_ path: String, _ sql: String) throws -> [String] {
    try RawDatabase.texts(path, sql)
  }
}
