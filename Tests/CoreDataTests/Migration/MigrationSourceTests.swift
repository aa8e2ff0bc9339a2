// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataModel
import _CoreDataSQLite

/// Where a migration finds the model that a store was made with, and what two migrations at once do.
@Suite struct MigrationSourceTests {
  private static let old = InferredMigrationTests.team
  private static let new = InferredMigrationTests.team + #"<entity name="Cup"/>"#

  /// A store of the old model without its copy of the model.
  private func storeWithoutCache() throws -> MigratedFile {
    let file = try MigratedFile()
    try file.open(InferredMigrationTests.draft(Self.old)) { context, _ in
      NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
        .setValue("A", forKey: "name")
      try context.save()
    }
    try SQLFile(url: file.url).run("DELETE FROM Z_MODELCACHE")
    return file
  }

  @Test("A store whose model is nowhere is refused with what differs")
  func missing() throws {
    let file = try storeWithoutCache()
    let error = #expect(throws: NSError.self) {
      try file.migrate(to: InferredMigrationTests.draft(Self.new))
    }
    #expect(error?.code == NSMigrationMissingSourceModelError)
    #expect(error?.localizedFailureReason?.contains("Cup") == true)
  }

  /// Adds the store with the current version of a model of two versions.
  private func load(
    _ file: MigratedFile,
    versions first: String,
    _ second: String
  ) throws -> (
    container: NSPersistentContainer, error: NSError?
  ) {
    let model = file.folder.appendingPathComponent("Cups.xcdatamodeld")
    for (name, body) in [("Cups", first), ("Cups 2", second)] {
      let folder = model.appendingPathComponent("\(name).xcdatamodel")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data("<model>\(body)</model>".utf8).write(to: folder.appendingPathComponent("contents"))
    }
    let current = try PropertyListSerialization.data(
      fromPropertyList: ["_XCCurrentVersionName": "Cups 2.xcdatamodel"],
      format: .xml,
      options: 0
    )
    try current.write(to: model.appendingPathComponent(".xccurrentversion"))
    let container = NSPersistentContainer(
      name: "Cups",
      managedObjectModel: try #require(NSManagedObjectModel(contentsOf: model))
    )
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: file.url)]
    var failure: NSError?
    container.loadPersistentStores { _, error in failure = error as NSError? }
    return (container, failure)
  }

  @Test("The versions beside the coordinator's model are searched")
  func versions() throws {
    let (container, error) = try load(storeWithoutCache(), versions: Self.old, Self.new)
    #expect(error == nil)
    let teams = try container.viewContext.fetch(NSFetchRequest<NSManagedObject>(entityName: "Team"))
    #expect(teams.map { $0.value(forKey: "name") as? String } == ["A"])
  }

  @Test("A store of an edited version names the nearest version and the properties that differ")
  func edited() throws {
    let file = try storeWithoutCache()
    let before = try SQLFile(url: file.url).content()
    let edited = Self.old.replacing(
      "</entity>",
      with: #"<attribute name="city" optional="YES" attributeType="String"/></entity>"#
    )
    let (_, error) = try load(file, versions: edited, edited + #"<entity name="Cup"/>"#)
    #expect(error?.code == NSMigrationMissingSourceModelError)
    let reason = error?.localizedFailureReason ?? ""
    #expect(reason.contains("the nearest known version, “Cups”, differs from the store: "))
    #expect(reason.contains("Team.city: added (the store has no column ZCITY)"), "\(reason)")
    #expect(reason.contains("A version must not change") || reason.contains("must not change"))
    #expect(try SQLFile(url: file.url).content() == before)
  }

  @Test("A store of an edited version is migrated from its own copy of its model")
  func editedWithCopy() throws {
    let file = try MigratedFile()
    try file.open(InferredMigrationTests.draft(Self.old)) { context, _ in
      NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
        .setValue("A", forKey: "name")
      try context.save()
    }
    let edited = Self.old.replacing(
      "</entity>",
      with: #"<attribute name="city" optional="YES" attributeType="String"/></entity>"#
    )
    let (container, error) = try load(file, versions: edited, edited + #"<entity name="Cup"/>"#)
    #expect(error == nil)
    let teams = try container.viewContext.fetch(NSFetchRequest<NSManagedObject>(entityName: "Team"))
    #expect(teams.map { $0.value(forKey: "name") as? String } == ["A"])
  }

  @Test("A store that another process has migrated meanwhile is left as it is")
  func twice() throws {
    let file = try storeWithoutCache()
    let mapping = try ModelMapping(
      inferredFrom: ModelDefinition(InferredMigrationTests.draft(Self.old)),
      to: ModelDefinition(InferredMigrationTests.draft(Self.new))
    )
    let migration = StoreMigration(mapping, options: SQLiteStoreOptions(path: file.url.path))
    guard case .migrated = try migration.run() else {
      Issue.record("the first migration does it")
      return
    }
    let content = try SQLFile(url: file.url).content()
    guard case .wasDone = try migration.run() else {
      Issue.record("the second migration finds it done")
      return
    }
    #expect(try SQLFile(url: file.url).content() == content)
  }

  @Test("The identity and the application's own metadata of a store stay")
  func metadata() throws {
    let file = try MigratedFile()
    let identifier = try file.open(InferredMigrationTests.draft(Self.old)) { _, store in
      store.persistentStoreCoordinator?.setMetadata(["mine": "yes"], for: store)
      return store.identifier
    }
    try file.migrate(to: InferredMigrationTests.draft(Self.new))
    try file.open(InferredMigrationTests.draft(Self.new)) { _, store in
      #expect(store.identifier == identifier)
      #expect(store.metadata["mine"] as? String == "yes")
      let hashes = store.metadata[NSStoreModelVersionHashesKey] as? [String: Data]
      #expect(hashes?.keys.sorted() == ["Cup", "Team"])
    }
    // The store's copy of its model is the new one.
    let stored = try NSManagedObjectModel(storedAt: file.url)
    #expect(stored.entitiesByName.keys.sorted() == ["Cup", "Team"])
  }

  @Test("An inferred mapping model says what becomes of each entity and property")
  func mappingModel() throws {
    let source = NSManagedObjectModel(draft: try InferredMigrationTests.draft(Self.old))
    let destination = NSManagedObjectModel(
      draft: try InferredMigrationTests.draft(
        Self.new.replacing(#"name="wins""#, with: #"name="won" elementID="wins""#)
      )
    )
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: source,
      destinationModel: destination
    )
    #expect(mapping.entityMappings.map(\.name) == ["IEM_Add_Cup", "IEM_Transform_Team"])
    let team = try #require(mapping.entityMappingsByName["IEM_Transform_Team"])
    #expect(team.mappingType == .transformEntityMappingType)
    #expect(team.sourceEntityVersionHash == source.entityVersionHashesByName["Team"])
    #expect(team.attributeMappings?.map(\.name) == ["name", "won"])
    #expect(team.attributeMappings?.last?.valueExpression?.description == "$source.wins")
    let typed = NSManagedObjectModel(
      draft: try InferredMigrationTests.draft(Self.old.replacing("Integer 16", with: "Date"))
    )
    let error = #expect(throws: NSError.self) {
      try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: typed)
    }
    #expect(error?.code == NSInferredMappingModelError)
    #expect(error?.localizedFailureReason?.contains("Team.wins") == true)
    #expect(error?.userInfo["property"] as? String == "wins")
  }
}
