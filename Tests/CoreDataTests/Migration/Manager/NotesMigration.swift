// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Two versions of a model of notes, a store of the first one, and a mapping model between them.
///
/// `Folder` (name, notes) becomes `Shelf` (label, entries); `Note` (title, body, rank, folder, tags) becomes
/// `Entry` (headline, text, rank, shelf, tags); `Tag` (name, notes) stays.
final class NotesMigration {
  let folder: URL
  let source = NotesMigration.sourceModel()
  let destination: NSManagedObjectModel
  let mapping = NSMappingModel()
  private let hasPhotos: Bool
  private var readers: [NSManagedObjectContext] = []
  var sourceURL: URL { folder.appendingPathComponent("Notes.sqlite") }
  var destinationURL: URL { folder.appendingPathComponent("Entries.sqlite") }

  /// Creates the models in `folder`, which is removed with this object; nil for a new folder.
  ///
  /// With `photos`, notes 0 and 1 have a photo in external storage. `change` changes the entities of the destination
  /// model.
  init(
    folder: URL? = nil,
    photos: Bool = false,
    _ change: ([String: NSEntityDescription]) -> Void = { _ in }
  ) throws {
    destination = Self.destinationModel()
    change(destination.entitiesByName)
    hasPhotos = photos
    self.folder =
      folder
      ?? FileManager.default.temporaryDirectory
      .appendingPathComponent("notes-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    mapping.entityMappings = [
      Self.mapping("FolderToShelf", "Folder", "Shelf", ["label": "$source.name"]),
      Self.mapping(
        "NoteToEntry",
        "Note",
        "Entry",
        ["headline": "$source.title", "text": "$source.body", "rank": "$source.rank"],
        [
          "shelf": Self.instances("FolderToShelf", "$source.folder"),
          "tags": Self.instances("TagToTag", "$source.tags"),
        ]
      ),
      Self.mapping("TagToTag", "Tag", "Tag", ["name": "$source.name"]),
    ]
    if photos { addPhotos() }
  }

  private func addPhotos() {
    for entity in [source.entitiesByName["Note"], destination.entitiesByName["Entry"]] {
      let photo = NSAttributeDescription()
      photo.name = "photo"
      photo.attributeType = .binaryDataAttributeType
      photo.allowsExternalBinaryDataStorage = true
      photo.isOptional = true
      entity?.properties += [photo]
    }
    note.attributeMappings?.append(Self.property("photo", "$source.photo"))
  }

  static func photo(_ number: Int) -> Data { Data(repeating: UInt8(number + 1), count: 150_000) }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var note: NSEntityMapping { mapping.entityMappings[1] }

  // MARK: Stores

  func stack(_ model: NSManagedObjectModel, _ url: URL) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(type: .sqlite, at: url)
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// Fills the source store: note n is in folder n % folders and has the tags n % 3 and (n + 1) % 3.
  func fill(_ notes: Int, folders count: Int = 2) throws {
    let context = try stack(source, sourceURL)
    func make(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
      let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
      for (key, value) in values { object.setValue(value, forKey: key) }
      return object
    }
    let folders = (0..<count).map { make("Folder", ["name": "folder \($0)"]) }
    let tags = (0..<3).map { make("Tag", ["name": "tag \($0)"]) }
    for number in 0..<notes {
      let note = make(
        "Note",
        ["title": "note \(number)", "body": "text \(number)", "rank": number]
      )
      if hasPhotos, number < 2 { note.setValue(Self.photo(number), forKey: "photo") }
      if count > 0 { note.setValue(folders[number % count], forKey: "folder") }
      note.setValue(Set([tags[number % 3], tags[(number + 1) % 3]]), forKey: "tags")
    }
    try context.save()
  }

  func manager() -> NSMigrationManager {
    NSMigrationManager(sourceModel: source, destinationModel: destination)
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

  /// Migrates into a store, and runs `body` when the mapping of notes ends.
  func migrate(
    to url: URL,
    options: [AnyHashable: Any] = [:],
    atEnd body: @escaping () throws -> Void = {}
  ) throws {
    note.entityMigrationPolicyClassName = MigrationPolicyClasses.name(of: HookedPolicy.self)
    let manager = manager()
    manager.userInfo = [HookedPolicy.key: HookedPolicy.Hook(body)]
    try manager.migrateStore(
      from: sourceURL,
      type: .sqlite,
      options: options,
      mapping: mapping,
      to: url,
      type: .sqlite,
      options: options
    )
  }

  /// The objects of an entity of the migrated store, by a key.
  func migrated(_ entity: String, by key: String, at url: URL? = nil) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
    let context = try stack(destination, url ?? destinationURL)
    readers.append(context)
    return try context.fetch(request)
  }

  /// The names of the files in the folder.
  func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  // MARK: Mappings

  static func mapping(
    _ name: String,
    _ source: String?,
    _ destination: String?,
    _ attributes: [String: String],
    _ relationships: [String: String] = [:]
  ) -> NSEntityMapping {
    let mapping = NSEntityMapping()
    mapping.name = name
    mapping.mappingType = .transformEntityMappingType
    mapping.sourceEntityName = source
    mapping.destinationEntityName = destination
    mapping.attributeMappings = attributes.sorted { $0.key < $1.key }.map(property)
    mapping.relationshipMappings = relationships.sorted { $0.key < $1.key }.map(property)
    return mapping
  }

  static func property(_ name: String, _ expression: String) -> NSPropertyMapping {
    let mapping = NSPropertyMapping()
    mapping.name = name
    mapping.valueExpression = CoreData.NSExpression(format: expression)
    return mapping
  }

  /// The expression that Xcode writes for a relationship.
  static func instances(_ mapping: String, _ path: String) -> String {
    "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", "
      + "\"\(mapping)\", \(path))"
  }

  // MARK: Models

  private static func sourceModel() -> NSManagedObjectModel {
    let folder = entity("Folder", ["name": .stringAttributeType])
    let note = entity(
      "Note",
      [
        "title": .stringAttributeType, "body": .stringAttributeType,
        "rank": .integer16AttributeType,
      ]
    )
    let tag = entity("Tag", ["name": .stringAttributeType])
    link(folder, "notes", many: true, note, "folder", many: false)
    link(note, "tags", many: true, tag, "notes", many: true)
    return model([folder, note, tag])
  }

  private static func destinationModel() -> NSManagedObjectModel {
    let shelf = entity("Shelf", ["label": .stringAttributeType])
    let entry = entity(
      "Entry",
      [
        "headline": .stringAttributeType, "text": .stringAttributeType,
        "rank": .integer64AttributeType,
      ]
    )
    let tag = entity("Tag", ["name": .stringAttributeType])
    link(shelf, "entries", many: true, entry, "shelf", many: false)
    link(entry, "tags", many: true, tag, "entries", many: true)
    return model([shelf, entry, tag])
  }

  private static func model(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
  }

  private static func entity(
    _ name: String,
    _ attributes: [String: NSAttributeType]
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = attributes.map { name, type in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      attribute.isOptional = true
      return attribute
    }
    return entity
  }

  private static func link(
    _ first: NSEntityDescription,
    _ name: String,
    many: Bool,
    _ second: NSEntityDescription,
    _ inverseName: String,
    many inverseMany: Bool
  ) {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = second
    relationship.maxCount = many ? 0 : 1
    relationship.isOptional = true
    let inverse = NSRelationshipDescription()
    inverse.name = inverseName
    inverse.destinationEntity = first
    inverse.maxCount = inverseMany ? 0 : 1
    inverse.isOptional = true
    relationship.inverseRelationship = inverse
    inverse.inverseRelationship = relationship
    first.properties += [relationship]
    second.properties += [inverse]
  }
}

/// Runs a block of the manager's `userInfo` when its mapping ends.
final class HookedPolicy: NSEntityMigrationPolicy {
  final class Hook {
    let body: () throws -> Void
    init(_ body: @escaping () throws -> Void) { self.body = body }
  }
  static let key = "atEnd"

  override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
    try (manager.userInfo?[Self.key] as? Hook)?.body()
  }
}
