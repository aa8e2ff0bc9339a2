// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Migrations with a mapping model of a store that has only the entities of one configuration.
@Suite("Mapping models for a store of one configuration")
struct MappingConfigurationTests {
  private static func model(title: String) throws -> NSManagedObjectModel {
    let text = #"optional="YES" attributeType="String""#
    return .tools(
      try InferredMigrationTests.draft(
        """
        <entity name="Note"><attribute name="\(title)" \(text)/></entity>
        <entity name="Place"><attribute name="name" \(text)/></entity>
        <configuration name="Local"><memberEntity name="Note"/></configuration>
        <configuration name="Cloud"><memberEntity name="Place"/></configuration>
        """
      )
    )
  }

  /// Both stores in one coordinator, with a context.
  private static func open(
    _ file: MigratedFile,
    _ model: NSManagedObjectModel,
    _ options: [AnyHashable: Any] = [:]
  ) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    for name in ["Local", "Cloud"] {
      try coordinator.addPersistentStore(
        type: .sqlite,
        configuration: name,
        at: file.folder.appendingPathComponent(name + ".sqlite"),
        options: options
      )
    }
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  private static func names(
    _ entity: String,
    _ key: String,
    _ context: NSManagedObjectContext
  )
    throws -> [String?]
  {
    try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
      .map { $0.value(forKey: key) as? String }
  }

  @Test("The mappings of its entities are carried out, and the other store stays as it is")
  func migrates() throws {
    let file = try MigratedFile()
    let (old, new) = (try Self.model(title: "title"), try Self.model(title: "headline"))
    do {
      let context = try Self.open(file, old)
      for (entity, key) in [("Note", "title"), ("Place", "name")] {
        NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
          .setValue("first", forKey: key)
      }
      try context.save()
    }
    let mapping = NSMappingModel()
    mapping.entityMappings = [
      NotesMigration.mapping("NoteToNote", "Note", "Note", ["headline": "$source.title"]),
      NotesMigration.mapping("PlaceToPlace", "Place", "Place", ["name": "$source.name"]),
    ]
    let cloud = SQLFile(url: file.folder.appendingPathComponent("Cloud.sqlite"))
    let before = try cloud.content()
    let options: [AnyHashable: Any] = [
      NSMigratePersistentStoresAutomaticallyOption: true, StoreOpener.mappingModelOption: mapping,
    ]
    do {
      let context = try Self.open(file, new, options)
      #expect(try Self.names("Note", "headline", context) == ["first"])
      #expect(try Self.names("Place", "name", context) == ["first"])
    }
    #expect(try cloud.content() == before)
    let local = SQLFile(url: file.folder.appendingPathComponent("Local.sqlite"))
    #expect(try local.texts("PRAGMA integrity_check") == ["ok"])
    #expect(
      try local.texts("SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT < 16000") == ["Note", "Place"]
    )
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      type: .sqlite,
      at: local.url
    )
    let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
    #expect(hashes?["Note"] == new.entityVersionHashesByName["Note"] && hashes?.count == 1)

    let context = try Self.open(file, new)
    NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      .setValue("second", forKey: "headline")
    try context.save()
    #expect(try Set(Self.names("Note", "headline", context)) == ["first", "second"])
  }
}
