// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// One model's configurations over two stores: notes on both sides, places in one.
private final class Configured {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("configured-\(UUID().uuidString)")
  let model: NSManagedObjectModel
  let coordinator: NSPersistentStoreCoordinator
  let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
  let local: NSPersistentStore
  let cloud: NSPersistentStore

  static let contents = """
    <model>
      <entity name="Note">
        <attribute name="text" optional="YES" attributeType="String"/>
        <relationship name="place" optional="YES" maxCount="1" deletionRule="Nullify"
            destinationEntity="Place" inverseName="notes" inverseEntity="Place"/>
        <relationship name="related" optional="YES" toMany="YES" deletionRule="Nullify"
            destinationEntity="Note" inverseName="related" inverseEntity="Note"/>
      </entity>
      <entity name="Place">
        <attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="notes" optional="YES" toMany="YES" deletionRule="Nullify"
            destinationEntity="Note" inverseName="place" inverseEntity="Note"/>
      </entity>
      <entity name="Draft">
        <attribute name="text" optional="YES" attributeType="String"/>
      </entity>
      <configuration name="Local">
        <memberEntity name="Note"/><memberEntity name="Draft"/>
      </configuration>
      <configuration name="Cloud">
        <memberEntity name="Note"/><memberEntity name="Place"/>
      </configuration>
    </model>
    """

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let source = folder.appendingPathComponent("contents")
    try Data(Self.contents.utf8).write(to: source)
    let model = try #require(NSManagedObjectModel(contentsOf: source))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let folder = folder
    func add(_ name: String) throws -> NSPersistentStore {
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType,
        configurationName: name,
        at: folder.appendingPathComponent(name + ".sqlite")
      )
    }
    (local, cloud) = (try add("Local"), try add("Cloud"))
    self.model = model
    self.coordinator = coordinator
    context.persistentStoreCoordinator = coordinator
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func make(
    _ entity: String,
    _ values: [String: Any],
    in store: NSPersistentStore? = nil
  ) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    if let store { context.assign(object, to: store) }
    object.setValuesForKeys(values)
    return object
  }

  func rows(_ name: String, _ table: String) throws -> Int {
    try SQLFile(url: folder.appendingPathComponent(name + ".sqlite"))
      .count("SELECT COUNT(*) FROM \(table)")
  }

  func texts(_ request: NSFetchRequest<NSManagedObject>) throws -> [String] {
    request.sortDescriptors = [NSSortDescriptor(key: "text", ascending: true)]
    return try context.fetch(request).compactMap { $0.text("text") }
  }
}

@Suite("Configurations over several stores")
struct ConfigurationTests {
  @Test("Objects go to the store that has their entity, the first or the assigned of several")
  func divided() throws {
    let world = try Configured()
    let note = world.make("Note", ["text": "b"])
    let draft = world.make("Draft", ["text": "d"])
    let place = world.make("Place", ["name": "Ulm"])
    let shared = world.make("Note", ["text": "a", "place": place], in: world.cloud)
    try world.context.save()
    #expect(note.objectID.persistentStore === world.local)
    #expect(draft.objectID.persistentStore === world.local)
    #expect(place.objectID.persistentStore === world.cloud)
    #expect(shared.objectID.persistentStore === world.cloud)
    #expect(try world.rows("Local", "ZNOTE") == 1)
    #expect(try world.rows("Cloud", "ZNOTE") == 1)
    // Every file has tables for the whole model (observed).
    #expect(try world.rows("Local", "ZPLACE") == 0)
    #expect(try world.rows("Cloud", "ZDRAFT") == 0)
    #expect(world.local.configurationName == "Local")

    world.context.reset()
    let notes = NSFetchRequest<NSManagedObject>(entityName: "Note")
    #expect(try world.texts(notes) == ["a", "b"])
    notes.predicate = NSPredicate(format: "place.name == 'Ulm'")
    #expect(try world.texts(notes) == ["a"])
    notes.predicate = nil
    notes.fetchLimit = 1
    notes.fetchOffset = 1
    #expect(try world.texts(notes) == ["b"])
    #expect(try world.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note")) == 2)
    #expect(try world.texts(NSFetchRequest<NSManagedObject>(entityName: "Draft")) == ["d"])

    for object in try world.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")) {
      object.setValue("x" + (object.text("text") ?? ""), forKey: "text")
    }
    try world.context.save()
    #expect(try world.rows("Local", "ZNOTE WHERE ZTEXT = 'xb'") == 1)
    #expect(try world.rows("Cloud", "ZNOTE WHERE ZTEXT = 'xa'") == 1)
  }

  @Test(
    "A relationship to an object of another store fails the save with 133010, and nothing is stored"
  )
  func crossings() throws {
    let world = try Configured()
    let place = world.make("Place", ["name": "Ulm"])
    let note = world.make("Note", ["text": "a"])
    let other = world.make("Note", ["text": "b"], in: world.cloud)
    // New to new, by the to-one.
    note.setValue(place, forKey: "place")
    let error = #expect(throws: NSError.self) { try world.context.save() }
    #expect(error?.code == NSManagedObjectExternalRelationshipError)
    // Either side is named.
    let key = error?.userInfo[NSValidationKeyErrorKey] as? String
    #expect(key == "place" || key == "notes")
    let reason = error?.localizedFailureReason ?? ""
    #expect(reason.contains("Local.sqlite") && reason.contains("Cloud.sqlite"))
    #expect(try world.rows("Local", "ZNOTE") == 0 && world.rows("Cloud", "ZPLACE") == 0)
    #expect(world.context.insertedObjects.count == 3)
    note.setValue(nil, forKey: "place")
    other.setValue(place, forKey: "place")
    try world.context.save()
    // Stored to stored, by the other side, and many to many.
    place.mutableSetValue(forKey: "notes").add(note)
    #expect(throws: NSError.self) { try world.context.save() }
    world.context.rollback()
    note.mutableSetValue(forKey: "related").add(other)
    let many = #expect(throws: NSError.self) { try world.context.save() }
    #expect(many?.code == NSManagedObjectExternalRelationshipError)
    world.context.rollback()
    note.setValue("changed", forKey: "text")
    try world.context.save()
    #expect(other.value(forKey: "place") as? NSManagedObject === place)
  }

  @Test("A destination whose entity no store contains fails the save with 134070")
  func homelessDestination() throws {
    let world = try Configured()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: world.model)
    for name in ["One", "Two"] {
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType,
        configurationName: "Local",
        at: world.folder.appendingPathComponent(name + ".sqlite")
      )
    }
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
    let place = NSEntityDescription.insertNewObject(forEntityName: "Place", into: context)
    note.setValue(place, forKey: "place")
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSPersistentStoreOperationError)
    #expect(error?.localizedDescription.contains("“Place”") == true)
  }

  @Test("A store says which configuration it fits, and an unknown one is refused")
  func compatibility() throws {
    let world = try Configured()
    for store in [world.local, world.cloud] {
      let metadata = world.coordinator.metadata(for: store)
      let fits = ["Local", "Cloud"].filter {
        world.model.isConfiguration(withName: $0, compatibleWithStoreMetadata: metadata)
      }
      #expect(fits == [store.configurationName])
    }
    #expect(throws: NSError.self) {
      try world.coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType,
        configurationName: "Nowhere",
        at: nil
      )
    }
  }

  @Test("A store of a configuration opens with a model that has new entities outside of it")
  func grown() throws {
    let world = try Configured()
    let place = world.make("Place", ["name": "Ulm"])
    world.make("Note", ["text": "a", "place": place], in: world.cloud)
      .setValue("a", forKey: "text")
    try world.context.save()
    let url = try #require(world.cloud.url)
    for store in [world.local, world.cloud] { try world.coordinator.remove(store) }

    // A new entity, one below an old one with a column, one that leads to an old one.
    let grown = Configured.contents.replacingOccurrences(
      of: "<configuration name=\"Local\">",
      with: """
        <entity name="Album">
          <attribute name="title" optional="YES" attributeType="String"/>
          <relationship name="notes" optional="YES" toMany="YES" deletionRule="Nullify"
              destinationEntity="Note"/>
        </entity>
        <entity name="RichNote" parentEntity="Note">
          <attribute name="color" optional="YES" attributeType="String"/>
        </entity>
        <configuration name="Local">
        """
    )
    let source = world.folder.appendingPathComponent("grown")
    try Data(grown.utf8).write(to: source)
    let model = try #require(NSManagedObjectModel(contentsOf: source))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let whole = #expect(throws: NSError.self) {
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType,
        configurationName: nil,
        at: url
      )
    }
    #expect(whole?.code == NSPersistentStoreIncompatibleVersionHashError)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: "Cloud",
      at: url
    )
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let notes = NSFetchRequest<NSManagedObject>(entityName: "Note")
    notes.sortDescriptors = [NSSortDescriptor(key: "text", ascending: true)]
    notes.predicate = NSPredicate(format: "place.name == 'Ulm'")
    let note = try #require(try context.fetch(notes).first)
    #expect(note.text("text") == "a")
    let other = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
    other.setValue("b", forKey: "text")
    other.setValue(note.value(forKey: "place"), forKey: "place")
    other.mutableSetValue(forKey: "related").add(note)
    try context.save()
    context.delete(note)
    try context.save()
    context.reset()
    #expect(try context.fetch(notes).map { $0.text("text") } == ["b"])
    for absent in ["Album", "RichNote"] {
      #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: absent)) == 0)
    }
    // Nothing of it can be saved there.
    _ = NSEntityDescription.insertNewObject(forEntityName: "Album", into: context)
    #expect(throws: NSError.self) { try context.save() }
  }
}
