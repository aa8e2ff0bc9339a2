// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Two stores of one coordinator, each with an entity of its own.
private final class TwoStores {
  let folder: URL
  let coordinator: NSPersistentStoreCoordinator
  let context: NSManagedObjectContext
  /// The store whose commit comes first, and the one whose commit comes last.
  let first: NSPersistentStore
  let last: NSPersistentStore

  init() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("stores-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let model = NSManagedObjectModel()
    model.entities = ["Left", "Right"].map { (name: String) in
      let entity = NSEntityDescription()
      entity.name = name
      let attribute = NSAttributeDescription()
      attribute.name = "name"
      attribute.attributeType = .stringAttributeType
      let derived = NSDerivedAttributeDescription()
      derived.name = "loudName"
      derived.attributeType = .stringAttributeType
      derived.derivationExpression = NSExpression(format: "uppercase:(name)")
      entity.properties = [attribute, derived]
      entity.uniquenessConstraints = [["name"]]
      return entity
    }
    for entity in model.entities {
      model.setEntities([entity], forConfigurationName: entity.name ?? "")
    }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    self.folder = folder
    self.coordinator = coordinator
    let stores = try ["Left", "Right"].map { (name: String) in
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType,
        configurationName: name,
        at: folder.appendingPathComponent("\(name).sqlite"),
        options: [NSSQLitePragmasOption: ["foreign_keys": "1"]]
      )
    }
    // Transactions are opened in the order of the UUIDs and committed in the opposite one.
    let ordered = stores.sorted { $0.identifier < $1.identifier }
    first = ordered[1]
    last = ordered[0]
    context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func make(_ entity: String, _ name: String) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    object.setValue(name, forKey: "name")
    return object
  }

  func names(_ entity: String) throws -> [String] {
    let reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    reader.persistentStoreCoordinator = coordinator
    return try reader.fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
      .compactMap { $0.text("name") }.sorted()
  }

  /// Makes the next insert into the store fail when it is committed, not before.
  func sabotageCommit(_ store: NSPersistentStore) throws {
    let table = "Z\(store.configurationName.uppercased())"
    try SQLFile(url: try #require(store.url)).run(
      """
      CREATE TABLE GOOD (ID INTEGER PRIMARY KEY);
      CREATE TABLE BAD (REF INTEGER REFERENCES GOOD(ID) DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER STOP AFTER INSERT ON \(table) BEGIN INSERT INTO BAD VALUES (9); END;
      """
    )
  }

  func repair(_ store: NSPersistentStore) throws {
    try SQLFile(url: try #require(store.url)).run("DROP TRIGGER STOP")
  }
}

@Suite("Saves to several stores")
struct ManyStoreTests {
  @Test("A store that cannot take its part keeps the others from theirs")
  func together() throws {
    let world = try TwoStores()
    _ = world.make("Left", "a")
    _ = world.make("Right", "b")
    try world.context.save()
    for (good, bad, taken) in [("Left", "Right", "b"), ("Right", "Left", "a")] {
      let fine = world.make(good, "fine \(good)")
      let broken = world.make(bad, taken)
      let error = #expect(throws: NSError.self) { try world.context.save() }
      #expect(error?.code == NSManagedObjectConstraintMergeError)
      #expect(world.context.insertedObjects == [fine, broken])
      #expect(fine.objectID.isTemporaryID)
      #expect(try world.names(good).contains("fine \(good)") == false)
      broken.setValue("free \(bad)", forKey: "name")
      try world.context.save()
    }
    #expect(try world.names("Left") == ["a", "fine Left", "free Left"])
    #expect(try world.names("Right") == ["b", "fine Right", "free Right"])
  }

  @Test("A first commit that fails leaves all stores as they were")
  func firstCommit() throws {
    let world = try TwoStores()
    try world.sabotageCommit(world.first)
    _ = world.make("Left", "a")
    _ = world.make("Right", "b")
    let error = #expect(throws: NSError.self) { try world.context.save() }
    #expect(error?.code != NSPersistentStoreIncompleteSaveError)
    #expect(try world.names("Left") + world.names("Right") == [])
    #expect(world.context.insertedObjects.count == 2)
    try world.repair(world.first)
    try world.context.save()
    #expect(try world.names("Left") + world.names("Right") == ["a", "b"])
  }

  @Test("SAVE-8 a later commit that fails is 134040 with the stores and objects that are not saved")
  func laterCommit() throws {
    let world = try TwoStores()
    try world.sabotageCommit(world.last)
    let objects = ["Left": world.make("Left", "a"), "Right": world.make("Right", "b")]
    let kept = try #require(objects[world.first.configurationName])
    let lost = try #require(objects[world.last.configurationName])
    let error = #expect(throws: NSError.self) { try world.context.save() }
    #expect(error?.code == NSPersistentStoreIncompleteSaveError)
    #expect(error?.userInfo[NSAffectedStoresErrorKey] as? [NSPersistentStore] == [world.last])
    #expect(error?.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject] == [lost])
    #expect(error?.userInfo[NSUnderlyingErrorKey] is NSError)
    let path = try #require(world.last.url?.path)
    let reason = try #require(error?.localizedFailureReason)
    #expect(reason.contains("but not the store at \(path), because of this error: "))
    #expect(!kept.isInserted && !kept.objectID.isTemporaryID && lost.isInserted)
    // The part that was written is committed as a whole save is, with the values that the store derived.
    #expect(kept.text("loudName") == kept.text("name")?.uppercased() && !kept.hasChanges)
    // Saving again writes what is missing, and nothing twice.
    try world.repair(world.last)
    kept.setValue("changed", forKey: "name")
    try world.context.save()
    #expect(try world.names(world.first.configurationName) == ["changed"])
    #expect(try world.names(world.last.configurationName).count == 1)
  }

  @Test("SAVE-9 a save that touches a read-only store fails with 513; one that does not is fine")
  func readOnly() throws {
    let world = try TwoStores()
    let (left, right) = (world.make("Left", "a"), world.make("Right", "b"))
    try world.context.save()
    let store = try #require(right.objectID.persistentStore)
    let url = try #require(store.url)
    let ids = [left, right].map { $0.objectID.uriRepresentation() }
    try world.coordinator.remove(store)
    try world.coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: "Right",
      at: url,
      options: [NSReadOnlyPersistentStoreOption: true]
    )
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = world.coordinator
    let objects = try ids.map {
      context.object(
        with: try #require(world.coordinator.managedObjectID(forURIRepresentation: $0))
      )
    }
    objects[0].setValue("changed", forKey: "name")
    #expect(objects[1].text("name") == "b")
    try context.save()
    objects[0].setValue("lost", forKey: "name")
    objects[1].setValue("refused", forKey: "name")
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == CocoaError.fileWriteNoPermission.rawValue)
    #expect(try world.names("Left") == ["changed"] && world.names("Right") == ["b"])
    context.rollback()
    context.delete(objects[1])
    #expect(throws: NSError.self) { try context.save() }
  }
}
