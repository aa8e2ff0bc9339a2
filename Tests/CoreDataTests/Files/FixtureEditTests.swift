// SPDX-License-Identifier: Apache-2.0

import CoreData
import FixtureStores
import Testing
import _CoreDataModel
import _CoreDataSQL
import _CoreDataSQLite
import _CoreDataTools

/// Copies of the collection's stores are edited; a difference of the files shows what that did.
@Suite("Edits of the collection's stores", .enabled(if: FixtureStore.isThere, "no shared folder"))
struct FixtureEditTests {
  @Test(
    "An edited store has the changes that were made and no others, is sound, and opens again",
    arguments: FixtureStore.chosen
  )
  func edited(fixture: FixtureStore) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try fixture.copy(to: folder)
    guard let definition = try fixture.model(storedAt: path) else { return }
    let former = try findings(path, definition)
    let edit = try Edit(fixture, path)
    let before = try FileImage(path)
    let settings = try FileSettings(path)
    try edit.insert()
    try edit.update()
    try edit.delete()
    #expect(edit.complaints == [])
    let left = try edit.state()
    try edit.close()

    let after = try FileImage(path)
    #expect(after.tables["Z_METADATA"] == before.tables["Z_METADATA"])
    #expect(after.tables["Z_MODELCACHE"] == before.tables["Z_MODELCACHE"])
    #expect(after.definitions == before.definitions)
    #expect(try FileSettings(path) == settings)
    #expect(try RawRows.read(path) { try $0.texts("PRAGMA integrity_check") } == ["ok"])
    for finding in try findings(path, definition) {
      let known = former.first { $0.check == finding.check && $0.location == finding.location }
      if finding.count > known?.count ?? 0 { Issue.record("\(finding.text)") }
    }
    let again = try Edit(fixture, path)
    let found = try again.state(of: left)
    for (id, values) in left {
      for (key, value) in values where found[id]?[key] != value {
        Issue.record("\(id) \(key) is \(found[id]?[key] ?? "not there"), not \(value)")
      }
    }
    try again.compareCounts()
    try again.close()
  }

  private func findings(_ path: String, _ model: ModelDefinition) throws -> [Finding] {
    // Files of large values are not in the collection.
    try Doctor(StoreFile(path: path, access: .untouched), model: model).examine()
      .filter { $0.check != .missingFile }
  }
}

/// A store that is open, and what its edits did to the file.
private final class Edit {
  private let path: String
  private let coordinator: NSPersistentStoreCoordinator
  private let store: NSPersistentStore
  private let context: NSManagedObjectContext
  private let layout: Layout
  private var editor: FixtureEditor
  private(set) var complaints: [String] = []
  private var touched: Set<NSManagedObject> = []

  init(_ fixture: FixtureStore, _ path: String) throws {
    self.path = path
    let url = URL(fileURLWithPath: path)
    let model: NSManagedObjectModel
    if let file = fixture.modelFile {
      let source = FixtureStore.folder.appendingPathComponent("models/\(file)")
      model = try #require(NSManagedObjectModel(contentsOf: source))
    } else {
      model = try NSManagedObjectModel(storedAt: url)
    }
    if let definition = try fixture.model(storedAt: path) {
      FixtureTransformers.register(for: definition)
    }
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    // Without the option a store with a history is for reading only.
    let hasHistory = try RawRows.read(path) {
      try !$0.texts("SELECT name FROM sqlite_master WHERE name = 'ACHANGE'").isEmpty
    }
    store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: url,
      options: hasHistory ? [NSPersistentHistoryTrackingKey: true] : nil
    )
    context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    layout = try #require(store.rows as? SQLiteStore).layout
    editor = FixtureEditor(context, layout.model)
  }

  func close() throws {
    context.performAndWait { context.reset() }
    try coordinator.remove(store)
  }

  // MARK: Steps

  /// One of each concrete entity.
  func insert() throws {
    try step("insert") { try self.editor.insertAll() }
  }

  /// The first object of each entity that has rows and is valid.
  func update() throws {
    for entity in layout.model.entities where !entity.isAbstract {
      try step("update \(entity.name)") {
        for object in try self.stored(entity, ascending: true)
        where (try? object.validateForUpdate()) != nil {
          try self.editor.update(object)
          return
        }
      }
    }
  }

  /// The last object of each entity that has rows and may be deleted.
  func delete() throws {
    for entity in layout.model.entities where !entity.isAbstract {
      try step("delete \(entity.name)", refusable: true) {
        for object in try self.stored(entity, ascending: false)
        where try !self.isNamedOneWay(object, entity) {
          return self.context.delete(object)
        }
      }
    }
  }

  /// Whether a to-one without inverse leads there: it would go on naming what is deleted.
  private func isNamedOneWay(_ object: NSManagedObject, _ entity: EntityDefinition) throws -> Bool {
    for owner in layout.model.entities {
      for slot in owner.toOneSlots {
        let property = owner.properties[slot]
        guard let relationship = property.relationship, relationship.inverse == nil,
          property.isStored, property.declaringEntity == owner.index,
          entity.isKind(of: layout.model.entities[relationship.destination])
        else { continue }
        let request = NSFetchRequest<NSManagedObject>(entityName: owner.name)
        request.predicate = NSPredicate(format: "%K == %@", property.name, object)
        if try context.count(for: request) > 0 { return true }
      }
    }
    return false
  }

  /// Up to four of the entity's own objects, no faults: values that were never read are not checked.
  private func stored(
    _ entity: EntityDefinition,
    ascending: Bool
  ) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
    request.includesSubentities = false
    request.sortDescriptors = [NSSortDescriptor(key: "objectID", ascending: ascending)]
    request.fetchLimit = 4
    request.returnsObjectsAsFaults = false
    return try context.fetch(request)
  }

  private func step(
    _ name: String,
    refusable: Bool = false,
    _ body: @escaping () throws -> Void
  ) throws {
    try context.performAndWait {
      try body()
      let expected = try ExpectedChanges(context, editor, layout)
      let changed = context.insertedObjects.union(context.updatedObjects)
      if !context.hasChanges { return }
      let before = try FileImage(path)
      do {
        try context.save()
      } catch let error as NSError where refusable && (1550..<1700).contains(error.code) {
        context.rollback()
        if try !before.changes(to: FileImage(path)).isEmpty || context.hasChanges {
          complaints.append("\(name): a refused save left something")
        }
        return
      }
      touched.formUnion(changed)
      complaints += expected.complaints(from: before, to: try FileImage(path))
        .map { "\(name): \($0)" }
    }
  }

  // MARK: State

  /// ID → key → value, of the objects that were made or changed and are still there.
  func state() throws -> [String: [String: String]] {
    try context.performAndWait {
      let living = touched.filter { !$0.isDeleted && $0.managedObjectContext != nil }
      return try Dictionary(uniqueKeysWithValues: living.map { (Self.id($0), try state(of: $0)) })
    }
  }

  /// The same of a context that has read nothing yet.
  func state(of ids: [String: [String: String]]) throws -> [String: [String: String]] {
    try context.performAndWait {
      var states: [String: [String: String]] = [:]
      for id in ids.keys {
        guard let url = URL(string: id),
          let found = coordinator.managedObjectID(forURIRepresentation: url)
        else { continue }
        states[id] = try state(of: context.existingObject(with: found))
      }
      return states
    }
  }

  private func state(of object: NSManagedObject) throws -> [String: String] {
    var state: [String: String] = [:]
    for property in try editor.definition(object).properties
    where !property.isTransient && !property.isFetched {
      if property.isToMany {
        // Nobody takes a deleted object out of a relationship that has no inverse.
        let ids = editor.members(object, property)
          .filter { (try? context.existingObject(with: $0.objectID)) != nil }.map(Self.id)
        let isOrdered = property.relationship?.isOrdered == true
        state[property.name] = "\(isOrdered ? ids : ids.sorted())"
      } else {
        state[property.name] = Self.text(object.value(forKey: property.name))
      }
    }
    return state
  }

  private static func text(_ value: Any?) -> String {
    switch value {
    case nil: "nil"
    case let object as NSManagedObject: id(object)
    case let data as Data: data.base64EncodedString()
    case let dictionary as [String: Any]:
      "\(dictionary.sorted { $0.key < $1.key }.map { "\($0.key): \(text($0.value))" })"
    case let array as [Any]: "\(array.map(text))"
    case let value?: "\(value)"
    }
  }

  private static func id(_ object: NSManagedObject) -> String {
    object.objectID.uriRepresentation().absoluteString
  }

  /// Each entity's objects are as many as the table has rows of it.
  func compareCounts() throws {
    try context.performAndWait {
      for entity in layout.model.entities {
        let location = layout.entities[entity.index]
        let numbers = entity.family.map { "\(layout.entities[$0].number)" }.joined(separator: ",")
        let rows = try RawRows.read(path) { raw in
          try raw.rows(
            "SELECT COUNT(*) AS n FROM \(location.table)"
              + (location.sharesTable ? " WHERE Z_ENT IN (\(numbers))" : "")
          )
        }
        let count = try context.count(
          for: NSFetchRequest<NSManagedObject>(entityName: entity.name)
        )
        #expect(rows.first?["n"]?.number == Int64(count), "\(entity.name)")
      }
    }
  }
}
