// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataSQLite
import CoreDataStore
import FixtureStores
import Foundation
import Testing

/// What a new store looks like, against Apple's store of the same model.
@Suite("Schemas of the collection", .enabled(if: FixtureStore.isThere, "no shared folder"))
struct FixtureSchemaTests {
  @Test(
    "A new store has the tables, columns in order, indexes and triggers of Apple's",
    arguments: FixtureStore.chosen
  )
  func schema(fixture: FixtureStore) throws {
    let folder = try StoreFixture.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let theirs = try fixture.copy(to: folder)
    guard let model = try fixture.model(storedAt: theirs) else { return }
    let ours = folder.appendingPathComponent("new.sqlite").path
    try SQLiteStore(model: model, index: 0, options: SQLiteStoreOptions(path: ours)).close()
    let expected = try definitions(theirs)
    let found = try definitions(ours)
    let version = try frameworkVersion(theirs)
    let missing = expected.subtracting(found)
      .filter { !Self.isOfOldFramework($0, version) && !Self.isLeftover($0) }
    let added = found.subtracting(expected)
      .filter { !Self.isNewer($0, version) && !Self.isLeftover($0) }
    #expect(missing.sorted() == [], "Apple's has, framework \(version)")
    #expect(added.sorted() == [], "ours has, framework \(version)")
  }

  // MARK: Known differences

  /// Forms that later frameworks do not write.
  private static func isOfOldFramework(_ text: String, _ version: Int) -> Bool {
    // Indexed attributes were not fetch indexes yet; constraints were clauses of their tables.
    if version < 866, text.hasPrefix("CREATE INDEX"), !text.contains("COLLATE") { return true }
    return version < 640 && text.contains("CONSTRAINT")
  }

  /// What frameworks of that version did not have yet.
  private static func isNewer(_ text: String, _ version: Int) -> Bool {
    if version < 637, text.contains("Z_MODELCACHE") || text.contains("_INDEX ON Z_") { return true }
    if version < 866, text.hasPrefix("CREATE INDEX Z_") { return true }
    return version < 640
      && (text.hasPrefix("CREATE UNIQUE INDEX") || text.hasPrefix("CREATE TABLE ZGEOGRAPHICREGION"))
  }

  /// Indexes that migrations in place left behind.
  private static let leftovers = [
    "Z_BookmarkEntity_isPendingDeletion", "ZADDRESSBOOKENTRY_ZLOCALIDENTIFIER_INDEX",
  ]

  private static func isLeftover(_ text: String) -> Bool {
    leftovers.contains { text.contains($0) }
  }

  // MARK: Files

  private func definitions(_ path: String) throws -> Set<String> {
    try RawRows.read(path) { raw in
      Set(
        try raw.texts(
          "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL "
            + "AND tbl_name NOT IN ('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING')"
        ).map { $0.replacingOccurrences(of: "\"", with: "") }
      )
    }
  }

  private func frameworkVersion(_ path: String) throws -> Int {
    var options = SQLiteStoreOptions(path: path)
    options.isReadOnly = true
    options.ignoresModelVersions = true
    let draft = try StoredModel.read(path: path).draft
    let store = try SQLiteStore(model: ModelDefinition(draft), index: 0, options: options)
    defer { store.close() }
    let version = try store.metadata().values[StoreMetadata.frameworkVersionKey]
    return (version as? NSNumber)?.intValue ?? 0
  }
}
