// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Four versions of a model: a mapping can be inferred for 1→2, 2→3, 3→4 and 2→4, and for neither 1→3 nor
/// 1→4.
///
/// Version 2 adds the attribute `nick` with a default, which is mandatory and has no default from version 3
/// on.
enum StagedModels {
  static func model(_ version: Int) -> NSManagedObjectModel {
    let person = NSEntityDescription()
    person.name = "Person"
    person.properties = [attribute("name")]
    if version > 1 {
      let nick = attribute("nick")
      nick.isOptional = false
      if version == 2 { nick.defaultValue = "none" }
      person.properties.append(nick)
    }
    if version > 2 { person.properties.append(attribute("city")) }
    if version > 3 { person.properties.append(attribute("street")) }
    let model = NSManagedObjectModel()
    model.entities = [person]
    return model
  }

  private static func attribute(_ name: String) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = .stringAttributeType
    return attribute
  }

  static func checksum(_ version: Int) -> String { model(version).versionChecksum }

  static func reference(_ version: Int) -> NSManagedObjectModelReference {
    let model = model(version)
    return NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
  }

  /// `L[…]` of the published table.
  static func lightweight(_ versions: Int...) -> NSMigrationStage {
    NSLightweightMigrationStage(versions.map(checksum))
  }

  /// `C[a→b]` of the published table.
  static func custom(_ from: Int, _ to: Int) -> NSCustomMigrationStage {
    NSCustomMigrationStage(migratingFrom: reference(from), to: reference(to))
  }
}

/// A store of one of the versions, in a folder that is deleted together with this object.
final class StagedStore {
  let folder: URL
  let url: URL

  /// Creates a store of that version with one person for each name.
  init(
    _ version: Int,
    names: [String] = ["Ada", "Bob"],
    folder name: String = UUID().uuidString
  ) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appendingPathComponent("people.sqlite")
    try open(StagedModels.model(version)) { context in
      for name in names {
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue(name, forKey: "name")
        if version > 1 { person.setValue("nick of \(name)", forKey: "nick") }
      }
      try context.save()
    }
  }

  /// The store that another process created in that folder; it is deleted with this object too.
  init(folder name: String) {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(name)
    url = folder.appendingPathComponent("people.sqlite")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Adds the store with a model and options to a new coordinator, and removes it after `body`.
  func open<T>(
    _ model: NSManagedObjectModel,
    options: [AnyHashable: Any]? = nil,
    _ body: (NSManagedObjectContext) throws -> T
  ) throws -> T {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: url,
      options: options
    )
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    defer { try? coordinator.remove(store) }
    return try context.performAndWait { try body(context) }
  }

  /// Adds the store with that version of the model through the stages, and returns its people.
  @discardableResult
  func migrate(
    to version: Int,
    _ stages: [NSMigrationStage]?,
    options: [AnyHashable: Any] = [:]
  ) throws -> [String] {
    var options = options
    options[NSMigratePersistentStoresAutomaticallyOption] = true
    options[NSInferMappingModelAutomaticallyOption] = true
    if let stages {
      options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager(stages)
    }
    return try open(StagedModels.model(version), options: options, Self.people)
  }

  /// The values of all people, `name nick`, sorted by name.
  static func people(_ context: NSManagedObjectContext) throws -> [String] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return try context.fetch(request).map { person in
      let keys = ["name", "nick"].filter { person.entity.attributesByName[$0] != nil }
      return keys.map { "\(person.value(forKey: $0) ?? "nil")" }.joined(separator: " ")
    }
  }

  /// The version of the store by its checksum; nil for another one.
  var version: Int? {
    get throws {
      let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: NSSQLiteStoreType,
        at: url
      )
      let checksum = metadata[NSPersistentStoreModelVersionChecksumKey] as? String
      return (1...4).first { StagedModels.checksum($0) == checksum }
    }
  }
}
