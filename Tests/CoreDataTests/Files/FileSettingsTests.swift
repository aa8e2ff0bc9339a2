// SPDX-License-Identifier: Apache-2.0

import CoreData
import FixtureStores
import Testing

/// Page size, auto-vacuum and the like, as the collection's files have them.
@Suite("Settings of files")
struct FileSettingsTests {
  private static var apple: [String: RawRows.Cell] {
    [
      "page_size": .integer(4096), "auto_vacuum": .integer(2), "encoding": .text("UTF-8"),
      "user_version": .integer(0), "application_id": .integer(0),
    ]
  }

  @Test(
    "Every store of the collection has them",
    .enabled(if: FixtureStore.isThere, "no shared folder"),
    arguments: FixtureStore.chosen
  )
  func collection(fixture: FixtureStore) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(try FileSettings(fixture.copy(to: folder)).values == Self.apple)
  }

  @Test("A new store has them; one that has others keeps them and the application's metadata")
  func kept() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let usual = folder.appendingPathComponent("Usual.sqlite")
    try save(1, at: usual)
    #expect(try FileSettings(usual.path).values == Self.apple)

    let other = folder.appendingPathComponent("Other.sqlite")
    try save(1, at: other)
    try SQLFile(url: other).run(
      "PRAGMA journal_mode = DELETE; PRAGMA page_size = 2048; PRAGMA auto_vacuum = 1; "
        + "PRAGMA user_version = 7; VACUUM"
    )
    let settings = try FileSettings(other.path)
    #expect(settings.values["page_size"] == .integer(2048))
    #expect(settings.values["auto_vacuum"] == .integer(1))
    let metadata =
      ["Author's key": ["a": 1] as NSDictionary, "NSUnknownKey": "kept"] as [String: Any]
    try withStore(other) { coordinator, store in
      var all = coordinator.metadata(for: store)
      for (key, value) in metadata { all[key] = value }
      coordinator.setMetadata(all, for: store)
    }
    try save(2, at: other)
    #expect(try FileSettings(other.path) == settings)
    var found: [String: Any] = [:]
    try withStore(other) { found = $0.metadata(for: $1) }
    #expect(found["NSUnknownKey"] as? String == "kept")
    #expect((found["Author's key"] as? NSDictionary)?["a"] as? Int == 1)
    #expect(found["_NSAutoVacuumLevel"] as? String == "2")
  }

  private func withStore(
    _ file: URL,
    _ body: (NSPersistentStoreCoordinator, NSPersistentStore) throws -> Void
  ) throws {
    let number = NSAttributeDescription()
    number.name = "number"
    number.attributeType = .integer64AttributeType
    let item = NSEntityDescription()
    item.name = "Item"
    item.properties = [number]
    let model = NSManagedObjectModel()
    model.entities = [item]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: file
    )
    try body(coordinator, store)
    try coordinator.remove(store)
  }

  private func save(_ number: Int, at file: URL) throws {
    try withStore(file) { coordinator, _ in
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      try context.performAndWait { () throws -> Void in
        NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
          .setValue(number, forKey: "number")
        try context.save()
      }
    }
  }
}
