// SPDX-License-Identifier: Apache-2.0

import FixtureStores
import Foundation
import Testing
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

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
    guard let model = try model(of: fixture, theirs) else { return }
    let ours = folder.appendingPathComponent("new.sqlite").path
    try SQLiteStore(model: model, index: 0, options: SQLiteStoreOptions(path: ours)).close()
    let version = try frameworkVersion(theirs)
    let known = KnownDifferences(version: version, theirs: try definitions(theirs))
    let expected = known.comparable(try definitions(theirs))
    let found = known.comparable(try definitions(ours))
    let missing = expected.subtracting(found).filter { !known.isOldForm($0, besides: found) }
    let added = found.subtracting(expected).filter { !known.isNewForm($0) }
    #expect(missing.sorted() == [], "Apple's has, framework \(version)")
    #expect(added.sorted() == [], "ours has, framework \(version)")
  }

  /// The copy that the file keeps: what has no part in the hashes, such as indexes, can differ from the
  /// source.
  private func model(of fixture: FixtureStore, _ path: String) throws -> ModelDefinition? {
    let stored = try StoredModel.read(path: path)
    return stored.source == .cache
      ? try ModelDefinition(stored.draft) : try fixture.model(storedAt: path)
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

/// Why Apple's file may look otherwise than a new one of ours.
private struct KnownDifferences {
  let version: Int
  /// Tables that a migration in place has added columns to: `ALTER TABLE` puts them last, and ends the
  /// text as no other statement does.
  private let altered: Set<String>

  init(version: Int, theirs: Set<String>) {
    self.version = version
    altered = Set(
      theirs.filter { $0.hasPrefix("CREATE TABLE Z") && !$0.contains("Z_PRIMARYKEY") }
        .filter { !$0.hasPrefix("CREATE TABLE Z_M") && !$0.hasSuffix(" )") }.map(Self.table)
    )
  }

  /// The definitions, without those that only one side can have.
  func comparable(_ texts: Set<String>) -> Set<String> {
    Set(texts.compactMap(comparable))
  }

  private func comparable(_ text: String) -> String? {
    guard text.hasPrefix("CREATE TABLE") else { return isOfRenamedPairs(text) ? nil : text }
    // Constraints were clauses of their tables.
    let clauses = text.matches(of: /, CONSTRAINT \w+ UNIQUE \([^)]*\)/).map { String($0.output) }
    let plain = clauses.reduce(text) { $0.replacingOccurrences(of: $1, with: "") }
    if altered.contains(Self.table(plain)) { return sorted(plain) }
    return Self.pairsOfOneEntity(plain) ?? plain
  }

  private static func table(_ text: String) -> String {
    String(text.split(separator: " ")[2])
  }

  /// Columns of a table in the order of their names.
  private func sorted(_ text: String) -> String {
    let columns = text.drop { $0 != "(" }.dropFirst().dropLast().split(separator: ",")
      .map { $0.trimmingCharacters(in: .whitespaces) }.sorted()
    return "\(Self.table(text)): \(columns.joined(separator: ", "))"
  }

  /// A many-to-many inside one entity: which side names the table is not known (203 of 224 files have
  /// the later name).
  private static func pairsOfOneEntity(_ text: String) -> String? {
    guard let match = text.firstMatch(of: /\( Z_(\d+)(\w+) INTEGER, Z_(\d+)(\w+) INTEGER, PRIMARY/),
      match.1 == match.3
    else { return nil }
    return "pairs of \(match.1): \([match.2, match.4].map { String($0) }.sorted())"
  }

  /// An index on pairs keeps the names that its table had before a migration in place, beside a new one.
  private func isOfRenamedPairs(_ text: String) -> Bool {
    guard let match = text.firstMatch(of: /^CREATE INDEX (\w+)_INDEX ON (Z_\d\w+) \((\w+), (\w+)\)/)
    else { return false }
    let isOfOneEntity =
      match.3.prefix { !$0.isLetter || $0 == "Z" } == match.4.prefix { !$0.isLetter || $0 == "Z" }
    return match.1 != "\(match.2)_\(match.3)" || isOfOneEntity
  }

  /// What later frameworks do not write, and what they left in files that they migrated.
  func isOldForm(_ text: String, besides found: Set<String>) -> Bool {
    // Framework 865 gave each sub-entity a copy of the indexes it inherits.
    if let copy = text.firstMatch(of: /^CREATE INDEX Z_[A-Za-z]+_(\w+ ON \w+ \(.*)/),
      found.contains(where: { $0.hasPrefix("CREATE INDEX Z_") && $0.hasSuffix("_\(copy.1)") })
    {
      return true
    }
    if Self.leftovers.contains(where: text.contains) { return true }
    return version < 866 && text.hasPrefix("CREATE INDEX") && !text.contains("COLLATE")
  }

  private static let leftovers = [
    "Z_BookmarkEntity_isPendingDeletion", "ZADDRESSBOOKENTRY_ZLOCALIDENTIFIER_INDEX",
  ]

  /// What frameworks of that version did not have yet.
  func isNewForm(_ text: String) -> Bool {
    if version < 637, text.contains("Z_MODELCACHE") || text.contains("_INDEX ON Z_") { return true }
    if version < 866, text.hasPrefix("CREATE INDEX Z_") { return true }
    return version < 640 && text.hasPrefix("CREATE UNIQUE INDEX")
  }
}
