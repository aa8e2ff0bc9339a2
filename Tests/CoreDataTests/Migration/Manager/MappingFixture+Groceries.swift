// SPDX-License-Identifier: Apache-2.0

import CoreData
import FixtureStores
import Testing
import _CoreDataModel
import _CoreDataPredicate

/// A program with two versions of a model and the mapping model between them.
extension MappingFixture {
  /// Two versions of a model in which an entity is replaced by another one, beside their mapping model, and a
  /// store of the first version.
  static func groceries(folder: URL? = nil) throws -> MappingFixture {
    let name = "anvarazizov__Grocery-Dude-Core-Data-Book__Model4to5"
    let fixture = try MappingFixture(name, folder: folder)
    try fixture.fill([
      ("kg", "Amount", ["xyz": "kg"]), ("litre", "Amount", ["xyz": "litre"]),
      ("milk", "Item", ["name": "Milk", "quantity": 2.5]),
    ])
    let versions = [("Model 4", fixture.sourceModel), ("Model 5", fixture.destinationModel)]
    try CompiledModel.write(
      versions.map { ($0, try ModelDefinition($1)) },
      current: "Model 5",
      to: fixture.folder.appendingPathComponent("Model.momd"),
      predicates: PredicateTexts()
    )
    let folder = fixture.mappingFile.deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let source = MappingFixture.sources.appendingPathComponent(fixture.name + ".xcmapping.xml")
    // A killed process left it in the folder.
    try? FileManager.default.removeItem(at: fixture.mappingFile)
    try FileManager.default.copyItem(at: source, to: fixture.mappingFile)
    return fixture
  }

  var mappingFile: URL {
    folder.appendingPathComponent("Model4to5.xcmappingmodel/xcmapping.xml")
  }

  /// Adds the store in the folder as the program does whose model is of the second version.
  static func add(in folder: URL, _ options: [String: Any] = [:]) throws -> NSManagedObjectContext {
    let url = folder.appendingPathComponent("Model.momd")
    let model = try #require(NSManagedObjectModel(contentsOf: url))
    model.isForTools = true
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      type: .sqlite,
      at: folder.appendingPathComponent("source.sqlite"),
      options: MigratedFile.migrating.merging(options) { $1 }
    )
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    return context
  }
}
