// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// A store of an old model that is opened and migrated on the same connection.
@Suite("A connection that opens a store and migrates it")
struct MigrationResourcesTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    UUID().uuidString
  )
  private var path: String { folder.appendingPathComponent("store.sqlite").path }

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let options = SQLiteStoreOptions(path: path)
    try SQLiteStore(model: Self.model([]), index: 0, options: options).close()
  }

  private static func model(_ attributes: [String]) throws -> ModelDefinition {
    let own = (["name"] + attributes).map {
      #"<attribute name="\#($0)" optional="YES" attributeType="String"/>"#
    }
    let xml = #"<model><entity name="Team">\#(own.joined())</entity></model>"#
    return try ModelDefinition(ModelFile.draft(xml: Data(xml.utf8), file: "m.contents"))
  }

  private static func mapping(_ attributes: [String]) throws -> ModelMapping {
    try ModelMapping(inferredFrom: model([]), to: model(attributes))
  }

  /// Opens the store, and adds attributes on the same connection after another connection has added `others`.
  private func migrate(
    adding attributes: [String],
    after others: [String]? = nil
  ) throws -> (outcome: StoreMigration.Outcome, resources: MigrationResources) {
    var options = SQLiteStoreOptions(path: path)
    let resources = MigrationResources()
    let observer = StatementObserver()
    options.observer = observer
    let error = #expect(throws: StoreError.self) {
      try SQLiteStore(model: Self.model(attributes), index: 0, options: options, shared: resources)
    }
    #expect(error?.code == .incompatibleModel)
    if let others {
      let (other, mapping) = (SQLiteStoreOptions(path: path), try Self.mapping(others))
      observer.setOnStart { text in
        if text != "BEGIN IMMEDIATE" { return }
        observer.setOnStart(nil)
        guard case .migrated = try StoreMigration(mapping, options: other).run() else {
          throw StoreError(.migration, "the other connection has not migrated the store")
        }
      }
    }
    let mapping = try Self.mapping(attributes)
    let migration = StoreMigration(mapping, options: options, shared: resources)
    return (try migration.run(), resources)
  }

  @Test("The connection is that of the migrated store, so it is not configured again")
  func connection() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (outcome, resources) = try migrate(adding: ["motto"])
    guard case .migrated = outcome else {
      Issue.record("the store was not migrated")
      return
    }
    #expect(resources.version == nil)
    func compiled(_ resources: MigrationResources?) throws -> Int {
      var options = SQLiteStoreOptions(path: path)
      let observer = StatementObserver()
      options.observer = observer
      let model = try Self.model(["motto"])
      try SQLiteStore(model: model, index: 0, options: options, shared: resources).close()
      return observer.counts.prepared
    }
    // The shared connection reports to the observer with which it was opened.
    #expect(try compiled(resources) == 0)
    resources.close()
    #expect(try compiled(resources) > 5)
  }

  @Test("A store that another connection has migrated since it was opened is read again")
  func migratedMeanwhile() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    guard case .wasDone = try migrate(adding: ["motto"], after: ["motto"]).outcome else {
      Issue.record("the store was migrated twice")
      return
    }
  }

  @Test("A store that another connection has migrated to a third model is not changed")
  func migratedElsewhere() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let error = #expect(throws: StoreError.self) {
      try migrate(adding: ["motto"], after: ["other"])
    }
    #expect(error?.code == .migration)
    #expect(error?.message.contains("another program has migrated the store") == true)
    try SQLiteStore(model: Self.model(["other"]), index: 0, options: SQLiteStoreOptions(path: path))
      .close()
  }
}
