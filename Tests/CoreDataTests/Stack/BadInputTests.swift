// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Wrong input gets an error that names the thing and the place.
@Suite struct BadInputTests {
  private func open(_ url: URL, readOnly: Bool = false) -> NSError? {
    let container = NSPersistentContainer(name: "Library", managedObjectModel: Library.model())
    let description = NSPersistentStoreDescription(url: url)
    description.isReadOnly = readOnly
    container.persistentStoreDescriptions = [description]
    var failure: NSError?
    container.loadPersistentStores { _, error in failure = error as NSError? }
    return failure
  }

  private func temporary() -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("bad-\(UUID().uuidString).sqlite")
  }

  private func details(_ error: NSError?) -> String { "\(error?.userInfo ?? [:])" }

  @Test func aMissingStoreThatIsToBeReadOnly() {
    let url = temporary()
    let error = open(url, readOnly: true)
    #expect(error?.domain == NSCocoaErrorDomain)
    #expect(details(error).contains(url.path))
  }

  @Test func aFileThatIsNoDatabase() throws {
    let url = temporary()
    try Data("this is a letter, not a database; it is long enough to be read as a page".utf8)
      .write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    let error = open(url)
    #expect(error?.domain == NSCocoaErrorDomain)
    #expect(details(error).contains(url.path))
    #expect(try String(contentsOf: url, encoding: .utf8).hasPrefix("this is a letter"))
  }

  @Test func aModelFileWhoseEntitiesInheritWithoutAnEndIsNoModel() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(
      "bad-\(UUID().uuidString)"
    )
    defer { try? FileManager.default.removeItem(at: url) }
    func model(_ entities: String) throws -> NSManagedObjectModel? {
      try Data("<model>\(entities)</model>".utf8).write(to: url)
      return NSManagedObjectModel(contentsOf: url)
    }
    func entity(_ name: String, _ parent: String?) -> String {
      "<entity name=\"\(name)\" \(parent.map { "parentEntity=\"\($0)\"" } ?? "")>"
        + "<relationship name=\"\(name)r\" destinationEntity=\"\(name)\"/></entity>"
    }
    #expect(try model(entity("A", "A")) == nil)
    #expect(try model(entity("A", "B") + entity("B", "C") + entity("C", "B")) == nil)
    #expect(try model(entity("A", nil) + entity("A", "B") + entity("B", "A")) == nil)
    let tower = { count in
      (0..<count).map { entity("E\($0)", $0 == 0 ? nil : "E\($0 - 1)") }.joined()
    }
    #expect(try model(tower(3000)) == nil)
    let sound = try #require(try model(tower(129)))
    #expect(sound.entitiesByName["E128"]?.relationshipsByName.count == 129)
  }

  @Test func aStoreOfAnotherModelNamesThePropertiesThatDiffer() throws {
    let stack = try LibraryStack()
    let url = try #require(stack.container.persistentStoreDescriptions[0].url)
    let model = Library.model()
    let pages = try #require(model.entitiesByName["Book"]?.attributesByName["pages"])
    pages.attributeType = .stringAttributeType
    let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
    let description = NSPersistentStoreDescription(url: url)
    description.shouldMigrateStoreAutomatically = false
    container.persistentStoreDescriptions = [description]
    var failure: NSError?
    container.loadPersistentStores { _, error in failure = error as NSError? }
    #expect(failure?.code == NSPersistentStoreIncompatibleVersionHashError)
    let reason = try #require(failure?.localizedFailureReason)
    let type = "Book.pages: type Integer 32 → String"
    #expect(reason.hasSuffix("the one used to create it: " + type), "\(reason)")
    #expect(failure?.localizedRecoverySuggestion?.contains("coredata export") == true)
  }

  @Test func anUnknownEntityKeyAndKeyPathInARequest() throws {
    let stack = try LibraryStack()
    let unknown = #expect(throws: NSError.self) {
      try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Bok"))
    }
    #expect(unknown?.localizedDescription.contains("Bok") == true)
    for format in ["titel == 'x'", "author.nam == 'x'"] {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.predicate = NSPredicate(format: format)
      let error = #expect(throws: NSError.self) { try stack.context.fetch(request) }
      let key = format.hasPrefix("titel") ? "titel" : "nam"
      #expect(details(error).contains(key))
    }
    let sorted = NSFetchRequest<NSManagedObject>(entityName: "Book")
    sorted.sortDescriptors = [NSSortDescriptor(key: "titel", ascending: true)]
    let error = #expect(throws: NSError.self) { try stack.context.fetch(sorted) }
    #expect(details(error).contains("titel"))
  }

  @Test func anUnknownStoreTypeAndAnOptionThatIsNotThere() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    let type = #expect(throws: NSError.self) {
      try coordinator.addPersistentStore(
        ofType: "Paper",
        configurationName: nil,
        at: temporary(),
        options: nil
      )
    }
    #expect(type?.code == NSPersistentStoreInvalidTypeError)
    let migration = #expect(throws: NSError.self) {
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType,
        configurationName: nil,
        at: temporary(),
        options: [NSPersistentStoreDeferredLightweightMigrationOptionKey: true]
      )
    }
    #expect(migration?.localizedDescription.contains("deferred migration") == true)
  }

  @Test func anObjectThatIsNotThere() throws {
    let stack = try LibraryStack()
    let book = stack.make("Book", ["title": "Momo"])
    try stack.context.save()
    let id = book.objectID
    let uri = id.uriRepresentation()
    #expect(
      stack.container.persistentStoreCoordinator.managedObjectID(forURIRepresentation: uri) == id
    )
    let other = stack.container.newBackgroundContext()
    let fault = other.object(with: id)
    stack.context.delete(book)
    try stack.context.save()
    let error = #expect(throws: NSError.self) {
      try stack.container.newBackgroundContext().existingObject(with: id)
    }
    #expect(error?.code == NSManagedObjectReferentialIntegrityError)
    #expect(fault.value(forKey: "title") == nil)
  }

  @Test func aMandatoryValueThatIsMissing() throws {
    let model = Library.model()
    let title = try #require(model.entitiesByName["Book"]?.attributesByName["title"])
    title.isOptional = false
    let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
    let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { _, error in #expect(error == nil) }
    let context = container.newBackgroundContext()
    let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
    let one = #expect(throws: NSError.self) { try context.save() }
    #expect(one?.code == NSValidationMissingMandatoryPropertyError)
    #expect(one?.userInfo[NSValidationKeyErrorKey] as? String == "title")
    #expect(one?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === book)
    _ = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
    let two = #expect(throws: NSError.self) { try context.save() }
    #expect(two?.code == NSValidationMultipleErrorsError)
    #expect((two?.userInfo[NSDetailedErrorsKey] as? [NSError])?.count == 2)
    #expect(context.insertedObjects.count == 2)
  }
}
