// SPDX-License-Identifier: Apache-2.0

import CoreData
import FixtureStores
import Testing
import _CoreDataModel
import _CoreDataPredicate

/// Adding a store when the program has a mapping model for the store's model and the coordinator's.
@Suite(
  "Automatic migration with mapping models",
  .enabled(if: FixtureStore.isThere, "no shared folder")
)
struct AutomaticMappingTests {
  private func prepared() throws -> MappingFixture { try MappingFixture.groceries() }
  private func mappingFile(_ fixture: MappingFixture) -> URL { fixture.mappingFile }

  private func open(
    _ fixture: MappingFixture,
    _ options: [String: Any] = [:]
  ) throws -> NSManagedObjectContext {
    try MappingFixture.add(in: fixture.folder, options)
  }

  private func names(_ entity: String, _ context: NSManagedObjectContext) throws -> [String?] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return try context.fetch(request).map { $0["name"] as? String }
  }

  @Test("The mapping model beside the model is carried out, in the store's place")
  func carriedOut() throws {
    let fixture = try prepared()
    try NSPersistentStoreCoordinator.setMetadata(
      ["author": "Ann"],
      type: .sqlite,
      at: fixture.sourceURL
    )
    let before = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      type: .sqlite,
      at: fixture.sourceURL
    )
    let context = try open(fixture)
    #expect(try names("Unit", context) == ["kg", "litre"])
    #expect(try names("Item", context) == ["Milk"])
    let stores = context.persistentStoreCoordinator?.persistentStores
    let after = try #require(stores?.first?.metadata)
    #expect(after[NSStoreUUIDKey] as? String == before[NSStoreUUIDKey] as? String)
    #expect(after["author"] as? String == "Ann")
    let files = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
    #expect(files.allSatisfy { !$0.contains("migration") }, "\(files)")
    #expect(try names("Unit", open(fixture)) == ["kg", "litre"])
  }

  @Test("It is carried out although nothing may be inferred")
  func withoutInference() throws {
    let fixture = try prepared()
    let context = try open(fixture, [NSInferMappingModelAutomaticallyOption: false])
    #expect(try names("Unit", context) == ["kg", "litre"])
  }

  @Test("STG-3: a mapping model for a step makes staged migration fail before any handler runs")
  func staged() throws {
    let fixture = try prepared()
    let store = try Data(contentsOf: fixture.sourceURL)
    let references = [fixture.sourceModel, fixture.destinationModel].map { draft in
      let model = fixture.model(draft)
      return NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
    }
    let custom = NSCustomMigrationStage(migratingFrom: references[0], to: references[1])
    custom.willMigrateHandler = { _, _ in Issue.record("a handler ran") }
    custom.didMigrateHandler = { _, _ in Issue.record("a handler ran") }
    let lightweight = NSLightweightMigrationStage(references.map(\.versionChecksum))
    for stage in [custom, lightweight] {
      let stages = NSStagedMigrationManager([stage])
      let error = #expect(throws: NSError.self) {
        try open(fixture, [NSPersistentStoreStagedMigrationManagerOptionKey: stages])
      }
      #expect(error?.code == NSMigrationError)
      #expect(error?.localizedDescription == "Staged migration cannot use a mapping model.")
      #expect(try Data(contentsOf: fixture.sourceURL) == store)
    }
    // The way out that the error names.
    try FileManager.default.removeItem(at: mappingFile(fixture).deletingLastPathComponent())
    let context = try open(
      fixture,
      [NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([lightweight])]
    )
    #expect(try names("Item", context) == ["Milk"])
  }

  @Test("A damaged mapping file is named, and the store stays as it was")
  func damaged() throws {
    let fixture = try prepared()
    let store = try Data(contentsOf: fixture.sourceURL)
    let text = try Data(contentsOf: mappingFile(fixture))
    for damage in [text.prefix(text.count / 2), Data("<model/>".utf8), Data()] {
      try damage.write(to: mappingFile(fixture))
      let error = #expect(throws: NSError.self) { try open(fixture) }
      #expect(error?.code == NSMigrationError)
      #expect(error?.localizedFailureReason?.contains("Model4to5") == true)
      #expect(try Data(contentsOf: fixture.sourceURL) == store)
    }
  }

  @Test("A policy that is not there is named, and the store stays as it was")
  func missingPolicy() throws {
    let fixture = try prepared()
    let store = try Data(contentsOf: fixture.sourceURL)
    var text = try String(contentsOf: mappingFile(fixture), encoding: .utf8)
    let name = "<attribute name=\"sourcename\" type=\"string\">Amount</attribute>"
    let policy =
      "<attribute name=\"migrationpolicyclassname\" type=\"string\">App.GonePolicy</attribute>"
    #expect(text.contains(name))
    text = text.replacingOccurrences(of: name, with: name + policy)
    try Data(text.utf8).write(to: mappingFile(fixture))
    let error = #expect(throws: NSError.self) { try open(fixture) }
    #expect(error?.code == NSEntityMigrationPolicyError)
    #expect(error?.localizedFailureReason?.contains("App.GonePolicy") == true)
    #expect(try Data(contentsOf: fixture.sourceURL) == store)
  }

  @Test("A read-only store is not migrated")
  func readOnly() throws {
    let fixture = try prepared()
    let store = try Data(contentsOf: fixture.sourceURL)
    let error = #expect(throws: NSError.self) {
      try open(fixture, [NSReadOnlyPersistentStoreOption: true])
    }
    #expect(error?.code == NSMigrationError)
    #expect(error?.localizedFailureReason?.contains("AmountToUnit") == true)
    #expect(try Data(contentsOf: fixture.sourceURL) == store)
  }

  @Test("A mapping model in a bundle is found by the hashes of both models")
  func found() throws {
    let fixture = try prepared()
    let bundle = try #require(Bundle(path: fixture.folder.path))
    let source = fixture.model(fixture.sourceModel)
    let destination = fixture.model(fixture.destinationModel)
    let mapping = NSMappingModel(
      from: [bundle],
      forSourceModel: source,
      destinationModel: destination
    )
    #expect(mapping?.entityMappingsByName.keys.sorted() == ["AmountToUnit", "ItemToItem"])
    #expect(
      NSMappingModel(from: [bundle], forSourceModel: destination, destinationModel: source) == nil
    )
    #expect(NSMappingModel(from: [bundle], forSourceModel: source, destinationModel: nil) == nil)
  }

  @Test("A mapping model of which one entity differs is named in the error and in the plan")
  func almostFits() throws {
    let fixture = try prepared()
    let store = try Data(contentsOf: fixture.sourceURL)
    var changed = fixture.destinationModel
    let unit = try #require(changed.entities.firstIndex { $0.name == "Unit" })
    changed.entities[unit].versionHashModifier = "2"
    let folder = fixture.folder.appendingPathComponent("Model.momd")
    try FileManager.default.removeItem(at: folder)
    try CompiledModel.write(
      [
        ("Model 4", ModelDefinition(fixture.sourceModel)), ("Model 5", ModelDefinition(changed)),
      ],
      current: "Model 5",
      to: folder,
      predicates: PredicateTexts()
    )
    let difference =
      "AmountToUnit: the destination entity Unit does not match the destination model"
    let error = #expect(throws: NSError.self) {
      try open(fixture, [NSInferMappingModelAutomaticallyOption: false])
    }
    #expect(error?.code == NSMigrationMissingMappingModelError)
    let reason = error?.localizedFailureReason ?? ""
    #expect(reason.contains("Model4to5") && reason.contains(difference), "\(reason)")
    #expect(try Data(contentsOf: fixture.sourceURL) == store)
    let model = try #require(NSManagedObjectModel(contentsOf: folder))
    model.isForTools = true
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let plan = try #require(try coordinator.migrationPlan(forStoreAt: fixture.sourceURL))
    let warning = try #require(plan.issues.first { $0.kind == .warning })
    #expect(warning.reason.contains(difference))
  }
}
