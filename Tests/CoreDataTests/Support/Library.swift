// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// A model with every kind of relationship, built in code: authors, books, novels, tags, chapters.
enum Library {
  static func model() -> NSManagedObjectModel {
    let author = entity("Author", [attribute("name", .stringAttributeType)])
    let book = entity(
      "Book",
      [
        attribute("title", .stringAttributeType), attribute("pages", .integer32AttributeType),
        attribute("price", .doubleAttributeType), attribute("published", .dateAttributeType),
        attribute("isbn", .UUIDAttributeType), attribute("isLent", .booleanAttributeType),
      ]
    )
    let novel = entity("Novel", [attribute("hero", .stringAttributeType)])
    let tag = entity("Tag", [attribute("name", .stringAttributeType)])
    let chapter = entity("Chapter", [attribute("name", .stringAttributeType)])
    let cover = entity("Cover", [attribute("colour", .stringAttributeType)])
    book.subentities = [novel]
    link(
      author,
      "books",
      .cascadeDeleteRule,
      many: true,
      book,
      "author",
      .nullifyDeleteRule,
      many: false
    )
    link(book, "tags", .nullifyDeleteRule, many: true, tag, "books", .nullifyDeleteRule, many: true)
    link(
      book,
      "chapters",
      .cascadeDeleteRule,
      many: true,
      chapter,
      "book",
      .nullifyDeleteRule,
      many: false,
      ordered: true
    )
    link(
      book,
      "cover",
      .cascadeDeleteRule,
      many: false,
      cover,
      "book",
      .denyDeleteRule,
      many: false
    )
    let model = NSManagedObjectModel()
    model.entities = [author, book, novel, tag, chapter, cover]
    return model
  }

  private static func entity(
    _ name: String,
    _ properties: [NSPropertyDescription]
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = properties
    return entity
  }

  private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    return attribute
  }

  private static func link(
    _ first: NSEntityDescription,
    _ name: String,
    _ rule: NSDeleteRule,
    many: Bool,
    _ second: NSEntityDescription,
    _ inverseName: String,
    _ inverseRule: NSDeleteRule,
    many inverseMany: Bool,
    ordered: Bool = false
  ) {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = second
    relationship.maxCount = many ? 0 : 1
    relationship.deleteRule = rule
    relationship.isOrdered = ordered
    let inverse = NSRelationshipDescription()
    inverse.name = inverseName
    inverse.destinationEntity = first
    inverse.maxCount = inverseMany ? 0 : 1
    inverse.deleteRule = inverseRule
    relationship.inverseRelationship = inverse
    inverse.inverseRelationship = relationship
    first.properties = first.properties + [relationship]
    second.properties = second.properties + [inverse]
  }
}

/// Stores in a PostgreSQL database for the stacks of the tests, with `COREDATA_LIBRARY_STORE=PostgreSQL`.
///
/// The database is that of `COREDATA_POSTGRES_URL`. Tests that read files or statements of SQLite then fail.
enum LibraryServer {
  /// Makes the description that of a store in a schema of its own.
  static func use(_ schema: String, _ description: NSPersistentStoreDescription) throws {
    let environment = ProcessInfo.processInfo.environment
    guard environment["COREDATA_LIBRARY_STORE"] == "PostgreSQL" else { return }
    description.url = URL(string: try #require(environment["COREDATA_POSTGRES_URL"]))
    description.type = NSPersistentStore.StoreType.postgreSQL.rawValue
    description.setOption(schema as NSString, forKey: PostgreSQLSchemaOption)
  }

  /// Drops the schemas of a container's stores.
  static func destroy(_ container: NSPersistentContainer) {
    let coordinator = container.persistentStoreCoordinator
    for description in container.persistentStoreDescriptions
    where description.type == NSPersistentStore.StoreType.postgreSQL.rawValue {
      guard let url = description.url else { continue }
      // A schema that is left does not disturb the other tests, and the server ends with the run.
      try? coordinator.destroyPersistentStore(
        at: url,
        type: .postgreSQL,
        options: description.options
      )
    }
  }
}

/// A container of the library model in a folder of its own, removed with it.
final class LibraryStack {
  let container: NSPersistentContainer
  let folder: URL
  let context: NSManagedObjectContext
  private var readers: [NSManagedObjectContext] = []
  private var openedKeys: ForeignKeys?

  /// - Parameters:
  ///   - type: `NSSQLiteStoreType` or `NSInMemoryStoreType`.
  ///   - model: the library's where none is given.
  ///   - options: more options of the store.
  /// - Throws: what making the folder or loading the store throws.
  init(
    _ type: String = NSSQLiteStoreType,
    model: NSManagedObjectModel = Library.model(),
    options: [String: NSObject] = [:]
  ) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("library-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    container = NSPersistentContainer(name: "Library", managedObjectModel: model)
    let description = NSPersistentStoreDescription(
      url: folder.appendingPathComponent("Library.sqlite")
    )
    description.type = type
    for (key, value) in options { description.setOption(value, forKey: key) }
    if type == NSSQLiteStoreType { try LibraryServer.use(folder.lastPathComponent, description) }
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    context = container.newBackgroundContext()
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
    LibraryServer.destroy(container)
  }

  /// The keys of the store's file; nil for a store in memory.
  var foreignKeys: ForeignKeys? {
    get throws {
      guard openedKeys == nil,
        let store = container.persistentStoreCoordinator.persistentStores.first,
        store.type == NSSQLiteStoreType, let url = store.url
      else { return openedKeys }
      openedKeys = try ForeignKeys(url, container.managedObjectModel)
      return openedKeys
    }
  }

  func make(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    for (key, value) in values { object.setValue(value, forKey: key) }
    return object
  }

  /// All objects of an entity, in a context that knows none of them.
  func reread(
    _ entity: String,
    in context: NSManagedObjectContext? = nil
  ) throws -> [NSManagedObject] {
    let context = context ?? container.newBackgroundContext()
    // Objects do not keep their context.
    readers.append(context)
    return try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
  }
}
