// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("Incremental stores beside SQLite stores")
struct MixedStoresTests {
  /// Books in an SQLite store, and tags in a table store, in one coordinator.
  private final class Mixed {
    let folder: URL
    let coordinator: NSPersistentStoreCoordinator
    let server: TableServer
    let context = NSManagedObjectContext(.privateQueue)

    init() throws {
      folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("mixed-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let model = NSManagedObjectModel()
      let entities = ["Note", "Link"].map { name in
        let entity = NSEntityDescription()
        entity.name = name
        let text = NSAttributeDescription()
        text.name = "text"
        text.attributeType = .stringAttributeType
        entity.properties = [text]
        return entity
      }
      model.entities = entities
      model.setEntities([entities[0]], forConfigurationName: "Local")
      model.setEntities([entities[1]], forConfigurationName: "Remote")
      coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      let (url, server) = TableStore.newServer()
      self.server = server
      try coordinator.addPersistentStore(
        type: .sqlite,
        configuration: "Local",
        at: folder.appendingPathComponent("Local.sqlite")
      )
      try coordinator.addPersistentStore(
        type: .init(rawValue: TableStore.type),
        configuration: "Remote",
        at: url
      )
      context.persistentStoreCoordinator = coordinator
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func insert() {
      for name in ["Note", "Link"] {
        NSEntityDescription.insertNewObject(forEntityName: name, into: context)
          .setValue(name, forKey: "text")
      }
    }

    func count(_ name: String) throws -> Int {
      try context.count(for: NSFetchRequest<NSManagedObject>(entityName: name))
    }
  }

  @Test("Each store has the entities of its configuration, and one save writes to both")
  func saving() throws {
    let mixed = try Mixed()
    try mixed.context.performAndWait {
      mixed.insert()
      try mixed.context.save()
      #expect(mixed.server.records.values.map(\.entity) == ["Link"])
      mixed.context.reset()
      #expect(try mixed.count("Note") == 1)
      #expect(try mixed.count("Link") == 1)
    }
  }

  @Test("Where the incremental store refuses its part of a save, no store has committed")
  func failing() throws {
    let mixed = try Mixed()
    try mixed.context.performAndWait {
      mixed.insert()
      mixed.server.failure = NSError(domain: "Server", code: 1)
      let error = #expect(throws: NSError.self) { try mixed.context.save() }
      #expect(error?.domain == "Server")
      mixed.server.failure = nil
      mixed.context.rollback()
      #expect(try mixed.count("Note") == 0)
      #expect(mixed.server.records.isEmpty)
      mixed.insert()
      try mixed.context.save()
      #expect(try mixed.count("Note") == 1)
    }
  }
}
