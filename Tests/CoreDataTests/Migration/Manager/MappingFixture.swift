// SPDX-License-Identifier: Apache-2.0

import CoreData
import FixtureStores
import Testing
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataTools

/// A mapping model of an app, with both of its models, and two stores in a folder of their own.
final class MappingFixture {
  let name: String
  let draft: MappingDraft
  let mapping: NSMappingModel
  /// The files of the models in the collection; nil if only the mapping model contains a model.
  let sourceFile: URL?
  let destinationFile: URL?
  let sourceModel: ModelDraft
  let destinationModel: ModelDraft
  let folder: URL
  var sourceURL: URL { folder.appendingPathComponent("source.sqlite") }
  var destinationURL: URL { folder.appendingPathComponent("destination.sqlite") }
  private var contexts: [NSManagedObjectContext] = []
  private var made: [String: NSManagedObject] = [:]

  static let sources = FixtureStore.folder.appendingPathComponent("compiled/mappingmodels")

  /// The names of all mapping models of the collection, without their common suffix.
  static let names: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: sources.path)) ?? []
    return names.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }.sorted()
  }()
  private static let suffix = ".xcmapping.xml"

  /// Reads the mapping model whose file has that name, or a name that begins with it.
  ///
  /// `folder` is the folder of both stores, which is removed with this object; nil for a new one.
  init(_ name: String, folder: URL? = nil) throws {
    self.name = try #require(Self.names.first { $0.hasPrefix(name) })
    let file = Self.sources.appendingPathComponent(self.name + Self.suffix)
    draft = try MappingFile.draft(at: file, predicates: PredicateTexts())
    mapping = try #require(NSMappingModel(contentsOf: file))
    let source = try #require(draft.sourceModel)
    let destination = try #require(draft.destinationModel)
    sourceFile = try Self.file(of: source)
    destinationFile = try Self.file(of: destination)
    sourceModel = Self.plain(try sourceFile.map { try ModelOpening.draft(at: $0) } ?? source)
    destinationModel = Self.plain(
      try destinationFile.map { try ModelOpening.draft(at: $0) } ?? destination
    )
    self.folder =
      folder
      ?? FileManager.default.temporaryDirectory
      .appendingPathComponent("mapping-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  // MARK: Models

  /// The files of the collection's models by the version hashes of their entities.
  private static let files: [[String: Data]: URL] = {
    let folder = FixtureStore.folder.appendingPathComponent("models")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    var files: [[String: Data]: URL] = [:]
    for name in names.sorted() where name.hasSuffix(".contents") {
      let file = folder.appendingPathComponent(name)
      guard let draft = try? ModelOpening.draft(at: file), let model = try? ModelDefinition(draft)
      else { continue }
      files[ModelHashes(model: model).byEntity] = file
    }
    return files
  }()

  private static func file(of draft: ModelDraft) throws -> URL? {
    files[ModelHashes(model: try ModelDefinition(draft)).byEntity]
  }

  /// The model without the names of transformers, which only the app has and which are not part of the hashes.
  private static func plain(_ draft: ModelDraft) -> ModelDraft {
    var draft = draft
    for entity in draft.entities.indices {
      for property in draft.entities[entity].properties.indices {
        guard case .attribute(var attribute) = draft.entities[entity].properties[property].kind
        else { continue }
        attribute.valueTransformerName = nil
        draft.entities[entity].properties[property].kind = .attribute(attribute)
      }
    }
    return draft
  }

  func model(_ draft: ModelDraft) -> NSManagedObjectModel {
    let model = NSManagedObjectModel(draft: draft)
    model.isForTools = true
    return model
  }

  // MARK: Stores

  func context(_ draft: ModelDraft, _ url: URL) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model(draft))
    try coordinator.addPersistentStore(type: .sqlite, at: url)
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    contexts.append(context)
    return context
  }

  /// Saves objects in the source store; a value that begins with “@” is the object of that name.
  func fill(_ objects: [(name: String, entity: String, values: [String: Any])]) throws {
    let context = try context(sourceModel, sourceURL)
    for object in objects {
      made[object.name] = NSEntityDescription.insertNewObject(
        forEntityName: object.entity,
        into: context
      )
    }
    for object in objects {
      for (key, value) in object.values {
        let reference = (value as? String).flatMap { $0.hasPrefix("@") ? $0.dropFirst() : nil }
        let value = reference.map { made[String($0)] as Any } ?? value
        made[object.name]?.setValue(value, forKey: key)
      }
    }
    try context.save()
  }

  func manager() -> NSMigrationManager {
    NSMigrationManager(
      sourceModel: model(sourceModel),
      destinationModel: model(destinationModel)
    )
  }

  /// Replaces the policies, which only the app has.
  func usePolicy(_ policy: NSEntityMigrationPolicy.Type) {
    for mapping in mapping.entityMappings where mapping.entityMigrationPolicyClassName != nil {
      mapping.entityMigrationPolicyClassName = MigrationPolicyClasses.name(of: policy)
    }
  }

  func migrate(_ manager: NSMigrationManager? = nil) throws {
    try (manager ?? self.manager()).migrateStore(
      from: sourceURL,
      type: .sqlite,
      mapping: mapping,
      to: destinationURL,
      type: .sqlite
    )
  }

  /// The migrated objects of an entity, without those of subentities, by a key.
  func migrated(_ entity: String, by key: String) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.includesSubentities = false
    request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
    return try context(destinationModel, destinationURL).fetch(request)
  }
}
