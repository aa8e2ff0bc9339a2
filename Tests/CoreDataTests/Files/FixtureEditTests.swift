// SPDX-License-Identifier: Apache-2.0

import CoreData
import FixtureStores
import Testing

/// Stores of other people's apps, edited: only what should change does.
@Suite("Stores of the collection, edited", .enabled(if: FixtureStore.isThere, "no shared folder"))
struct FixtureEditTests {
  @Test(
    "Inserts, updates, relations and deletes change their rows alone",
    arguments: FixtureStore.chosen
  )
  func edited(fixture: FixtureStore) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try fixture.copy(to: folder)
    let url = URL(fileURLWithPath: path)
    guard let model = try model(of: fixture, at: url) else { return }
    let container = NSPersistentContainer(name: "Fixture", managedObjectModel: model)
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    let before = try FileImage(path)
    let context = container.newBackgroundContext()
    let edits = try context.performAndWait { () throws -> FixtureEdits in
      var edits = FixtureEdits(context: context, model: model)
      try edits.run()
      return edits
    }
    let after = try FileImage(path)
    #expect(edits.steps > 0, "nothing could be edited")
    for change in before.changes(to: after) where !edits.allows(change) {
      Issue.record("\(change) should not have changed")
    }
    #expect(before.definitions == after.definitions)
    #expect(before.tables["Z_METADATA"] == after.tables["Z_METADATA"])
    let integrity = try RawRows.read(path) { try $0.texts("PRAGMA integrity_check") }
    #expect(integrity == ["ok"])
    for store in container.persistentStoreCoordinator.persistentStores {
      try container.persistentStoreCoordinator.remove(store)
    }
    // What was written is there for a stack that knows nothing of it.
    let again = NSPersistentStoreCoordinator(managedObjectModel: model)
    try again.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    let reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    reader.persistentStoreCoordinator = again
    try reader.performAndWait { () throws -> Void in
      for (entity, expected) in edits.expectedCounts {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        let found = try reader.count(for: request)
        #expect(found == expected, "\(entity)")
      }
    }
  }

  /// From its source, else what the store keeps; nil where there is neither.
  private func model(of fixture: FixtureStore, at url: URL) throws -> NSManagedObjectModel? {
    if let file = fixture.modelFile {
      return NSManagedObjectModel(
        contentsOf: FixtureStore.folder.appendingPathComponent("models/\(file)")
      )
    }
    let stored = try NSManagedObjectModel(storedAt: url)
    return stored.isReconstructed ? nil : stored
  }
}

/// Edits of a store that nothing is known of, and what they may change in its file.
struct FixtureEdits {
  let context: NSManagedObjectContext
  let model: NSManagedObjectModel
  private(set) var steps = 0
  private(set) var expectedCounts: [String: Int] = [:]
  /// Objects by what happened to them: root table and number.
  private var inserted: Set<String> = []
  private var updated: [String: Set<String>] = [:]
  private var deleted: Set<String> = []
  private var insertedRoots: Set<String> = []

  init(context: NSManagedObjectContext, model: NSManagedObjectModel) {
    self.context = context
    self.model = model
  }

  mutating func run() throws {
    for name in model.entitiesByName.keys.sorted() {
      guard let entity = model.entitiesByName[name], !entity.isAbstract else { continue }
      try insert(entity)
      try update(entity)
      try delete(entity)
      if steps >= 9 { break }
    }
    for name in model.entitiesByName.keys.sorted() {
      let request = NSFetchRequest<NSManagedObject>(entityName: name)
      expectedCounts[name] = try context.count(for: request)
    }
  }

  // MARK: Edits

  /// A new object with what it must have, related to an object that is there.
  private mutating func insert(_ entity: NSEntityDescription) throws {
    let object = NSManagedObject(entity: entity, insertInto: context)
    for (name, attribute) in entity.attributesByName
    where !attribute.isOptional && !attribute.isTransient && object.value(forKey: name) == nil {
      object.setValue(sample(attribute), forKey: name)
    }
    for (name, relationship) in entity.relationshipsByName
    where relationship.inverseRelationship != nil && !relationship.isTransient {
      guard let other = try first(relationship.destinationEntity) else { continue }
      if relationship.isToMany {
        if relationship.isOrdered { continue }
        object.mutableSetValue(forKey: name).add(other)
      } else if relationship.inverseRelationship?.isToMany ?? false || !relationship.isOptional {
        object.setValue(other, forKey: name)
      }
    }
    try save()
  }

  private mutating func update(_ entity: NSEntityDescription) throws {
    guard let object = try first(entity) else { return }
    for (name, attribute) in entity.attributesByName.sorted(by: { $0.key < $1.key })
    where !attribute.isTransient && !(attribute is NSDerivedAttributeDescription)
      && attribute.attributeType == .stringAttributeType
    {
      object.setValue("Größe \(steps)", forKey: name)
      return try save()
    }
  }

  private mutating func delete(_ entity: NSEntityDescription) throws {
    guard let object = try first(entity, offset: 1) else { return }
    context.delete(object)
    try save()
  }

  /// Saves, and notes what that may change; what the model forbids is taken back.
  private mutating func save() throws {
    context.processPendingChanges()
    let new = context.insertedObjects
    let changed = context.updatedObjects.map { ($0, Set($0.changedValues().keys)) }
    let gone = context.deletedObjects.map(Self.place)
    do {
      try context.save()
    } catch let error as NSError where Self.isRefusal(error) {
      return context.rollback()
    }
    steps += 1
    for object in new {
      inserted.insert(Self.place(object))
      insertedRoots.insert(Self.root(object.entity).name ?? "")
    }
    for (object, keys) in changed { updated[Self.place(object), default: []].formUnion(keys) }
    deleted.formUnion(gone)
  }

  private static func isRefusal(_ error: NSError) -> Bool {
    error.code == NSValidationMultipleErrorsError || (1550...1700).contains(error.code)
      || error.code == NSManagedObjectConstraintMergeError
      || error.code == NSManagedObjectMergeError
      || error.code == NSManagedObjectConstraintValidationError
  }

  private func first(
    _ entity: NSEntityDescription?,
    offset: Int = 0
  ) throws -> NSManagedObject? {
    guard let entity else { return nil }
    let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
    request.fetchLimit = 1
    request.fetchOffset = offset
    return try context.fetch(request).first { !$0.objectID.isTemporaryID }
  }

  private func sample(_ attribute: NSAttributeDescription) -> Any? {
    switch attribute.attributeType {
    case .stringAttributeType: "sample \(steps)"
    case .dateAttributeType: Date(timeIntervalSinceReferenceDate: 600_000_000)
    case .UUIDAttributeType: UUID()
    case .URIAttributeType: URL(string: "https://a.example/\(steps)")
    case .binaryDataAttributeType: Data([1, 2, 3])
    case .transformableAttributeType: ["a"]
    case .decimalAttributeType: NSDecimalNumber(value: 12)
    case .booleanAttributeType: true
    case .undefinedAttributeType, .objectIDAttributeType, .compositeAttributeType: nil
    default: 7 + steps
    }
  }

  // MARK: What may change

  func allows(_ change: FileImage.Change) -> Bool {
    let place = "\(change.table) \(change.key)"
    switch change.kind {
    case .inserted where inserted.contains(place): return true
    case .deleted where deleted.contains(place): return true
    case .updated(let columns) where change.table == "Z_PRIMARYKEY":
      return columns == ["Z_MAX"]
    case .updated(let columns):
      // A member's new owner is in its own row; an ordered one moves its neighbours' places.
      if columns.isSubset(of: derivedColumns) { return true }
      guard let keys = updated[place] else { return isJoin(change.table) }
      return columns.allSatisfy { column in
        column == "Z_OPT" || derivedColumns.contains(column)
          || keys.contains { Self.is(column, of: $0) }
      }
    default: return isJoin(change.table)
    }
  }

  /// What triggers compute.
  private var derivedColumns: Set<String> {
    Set(
      model.entities.flatMap { $0.properties }.filter { $0 is NSDerivedAttributeDescription }
        .map { "Z" + $0.name.uppercased() }
    )
  }

  /// Join tables change with the objects of their pairs.
  private func isJoin(_ table: String) -> Bool {
    table.range(of: "^Z_[0-9]+", options: .regularExpression) != nil
  }

  private static func `is`(_ column: String, of key: String) -> Bool {
    let name = key.uppercased()
    return column.range(of: "^(Z|Z[0-9]+_|Z_FOK_)\(name)[0-9]*$", options: .regularExpression)
      != nil
  }

  private static func root(_ entity: NSEntityDescription) -> NSEntityDescription {
    entity.superentity.map(root) ?? entity
  }

  private static func place(_ object: NSManagedObject) -> String {
    let number = object.objectID.uriRepresentation().lastPathComponent.dropFirst()
    return "Z\((root(object.entity).name ?? "").uppercased()) \(number)"
  }
}
