// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// What Apple answers with an exception stops the program here, with a text that names the mistake.
@Suite struct MisuseTests {
  private func expect(_ result: ExitTest.Result?, _ text: String) {
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains(text), "stopped with: \(output.prefix(400))")
  }

  @Test func anUnknownKey() async throws {
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let stack = try LibraryStack(NSInMemoryStoreType)
        stack.make("Book").setValue("x", forKey: "titel")
      },
      "the entity Book is not key value coding-compliant for the key \"titel\""
    )
  }

  @Test("MO-13 a value of a wrong type")
  func aValueOfAWrongType() async throws {
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let stack = try LibraryStack(NSInMemoryStoreType)
        stack.make("Book").setValue("many", forKey: "pages")
      },
      "Unacceptable type of value for attribute: property = \"pages\""
    )
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let stack = try LibraryStack(NSInMemoryStoreType)
        stack.make("Book").setValue(Double.infinity, forKey: "pages")
      },
      "The number is not finite."
    )
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let stack = try LibraryStack(NSInMemoryStoreType)
        stack.make("Book").setValue(1e30, forKey: "pages")
      },
      "The number is outside the range of Integer"
    )
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let stack = try LibraryStack(NSInMemoryStoreType)
        stack.make("Book").setValue(stack.make("Tag"), forKey: "author")
      },
      "Unacceptable type of value for relationship: property = \"author\""
    )
  }

  @Test func aDestinationOfAnotherEntityOrModel() async throws {
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let stack = try LibraryStack(NSInMemoryStoreType)
        stack.make("Author").setValue(NSSet(object: stack.make("Tag")), forKey: "books")
      },
      "is an object of the entity Tag."
    )
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let (here, there) = (
          try LibraryStack(NSInMemoryStoreType), try LibraryStack(NSInMemoryStoreType)
        )
        here.make("Book").setValue(there.make("Author"), forKey: "author")
      },
      "belong to different models"
    )
  }

  @Test func anObjectOfAnotherContextOrModel() async throws {
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let stack = try LibraryStack(NSInMemoryStoreType)
        stack.container.newBackgroundContext().insert(stack.make("Tag"))
      },
      "cannot be inserted: it is registered in another context"
    )
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let stack = try LibraryStack(NSInMemoryStoreType)
        stack.container.newBackgroundContext().assign(stack.make("Tag"), to: try stack.store)
      },
      "is not in this context"
    )
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let stack = try LibraryStack(NSInMemoryStoreType)
        stack.container.newBackgroundContext().delete(stack.make("Tag"))
      },
      "An NSManagedObjectContext cannot delete objects in other contexts. The object"
    )
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let stack = try LibraryStack(NSInMemoryStoreType)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = stack.context
        child.refresh(stack.make("Tag"), mergeChanges: true)
      },
      "An NSManagedObjectContext cannot refresh objects in other contexts. The object"
    )
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let stack = try LibraryStack(NSInMemoryStoreType)
        let model = Registry.model()
        let entity = try #require(model.entitiesByName["City"])
        withExtendedLifetime(model) {
          _ = NSManagedObject(entity: entity, insertInto: stack.context)
        }
      },
      "the context's model has no entity of that name"
    )
  }

  @Test func aRequestInAContextWithoutACoordinator() async throws {
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let context = NSManagedObjectContext(.privateQueue)
        context.name = "lone"
        try context.execute(NSBatchUpdateRequest(entityName: "Book"))
      },
      "(private queue, \"lone\") has no persistent store coordinator"
    )
  }

  @Test func anObjectWithoutAStoreNamesTheCause() throws {
    let stack = try LibraryStack()
    let coordinator = stack.container.persistentStoreCoordinator
    let url = try #require(try stack.store.url)
    func reason() -> String {
      _ = stack.make("Tag")
      defer { stack.context.rollback() }
      let error = #expect(throws: NSError.self) { try stack.context.save() }
      #expect(error?.code == NSPersistentStoreOperationError)
      return error?.localizedDescription ?? ""
    }
    try coordinator.remove(try stack.store)
    #expect(reason().contains("the coordinator has no stores"))
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: url,
      options: [NSReadOnlyPersistentStoreOption: true]
    )
    #expect(reason().contains("is read-only"))
  }

  @Test func aPropertyOfAnotherKind() async throws {
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let stack = try LibraryStack(NSInMemoryStoreType)
        _ = stack.make("Book").mutableSetValue(forKey: "chapters")
      },
      "chapters is an ordered to-many relationship; the method needs a to-many relationship that is not"
    )
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let stack = try LibraryStack(NSInMemoryStoreType)
        _ = stack.make("Book").hasFault(forRelationshipNamed: "title")
      },
      "title is an attribute; the method needs a relationship"
    )
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let stack = try LibraryStack(NSInMemoryStoreType)
        stack.make("Book").setValue("Ann", forKey: "author.name")
      },
      "this is a key path, and the method needs the name of one property"
    )
  }

  @Test("MO-14 objects of two contexts in a relationship")
  func objectsOfTwoContexts() async throws {
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let stack = try LibraryStack(NSInMemoryStoreType)
        let other = NSEntityDescription.insertNewObject(
          forEntityName: "Author",
          into: stack.container.newBackgroundContext()
        )
        stack.make("Book").setValue(other, forKey: "author")
      },
      "Illegal attempt to establish a relationship 'author' between objects in different contexts"
    )
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let stack = try LibraryStack(NSInMemoryStoreType)
        let book = stack.make("Book")
        let author = try #require(book.entity.relationshipsByName["author"]?.destinationEntity)
        book.setValue(NSManagedObject(entity: author, insertInto: nil), forKey: "author")
      },
      "The destination is in no context; pass it to insert(_:)"
    )
  }

  @Test func anIDOfAnotherStore() async throws {
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let (here, there) = (try LibraryStack(), try LibraryStack())
        let tag = here.make("Tag")
        try here.context.save()
        _ = there.context.object(with: tag.objectID)
      },
      "Object's persistent store is not reachable from this NSManagedObjectContext's coordinator"
    )
  }

  @Test func anUnknownEntityAndAContextWithoutCoordinator() async throws {
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = try LibraryStack(NSInMemoryStoreType).make("Bok")
      },
      "could not locate an entity named 'Bok' in this model"
    )
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let context = NSManagedObjectContext(.privateQueue)
        _ = NSEntityDescription.entity(forEntityName: "Book", in: context)
      },
      "nil is not a legal NSPersistentStoreCoordinator for searching for entity name 'Book'"
    )
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
        _ = try NSManagedObjectContext(.privateQueue)
          .execute(NSBatchDeleteRequest(fetchRequest: request))
      },
      "has no persistent store coordinator, and so no model and no stores"
    )
  }

  @Test func aClassOfNoEntityOrOfSeveral() async throws {
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = Restless(context: try LibraryStack(NSInMemoryStoreType).context)
      },
      "no entity of the context's model has this class"
    )
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let model = Library.model()
        ManagedObjectClasses.register(Restless.self)
        for name in ["Tag", "Cover"] {
          model.entitiesByName[name]?.managedObjectClassName = "Restless"
        }
        _ = Restless(context: try LibraryStack(NSInMemoryStoreType, model: model).context)
      },
      "the entities Cover, Tag of the context's model have this class"
    )
  }

  @Test func anAbstractEntity() async throws {
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let model = Library.model()
        model.entitiesByName["Tag"]?.isAbstract = true
        let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
        _ = NSEntityDescription.insertNewObject(
          forEntityName: "Tag",
          into: container.newBackgroundContext()
        )
      },
      "Cannot insert instance because entity 'Tag' is abstract"
    )
  }

  @Test func requestsThatCannotBeAnswered() async throws {
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = NSFetchRequest<NSManagedObject>(entityName: "Book").entity
      },
      "cannot respond to -entity until used by an NSManagedObjectContext"
    )
    let stack = try LibraryStack(NSInMemoryStoreType)
    func reason(_ body: () throws -> Void) -> String {
      do {
        try body()
        return ""
      } catch {
        let error = error as NSError
        return "\(error.code) \(error.localizedDescription)"
      }
    }
    #expect(
      reason { _ = try stack.context.fetch(NSFetchRequest<NSManagedObject>()) }
        .hasPrefix("134060 A fetch request must have an entity")
    )
    #expect(
      reason { _ = try NSFetchRequest<NSManagedObject>(entityName: "Book").execute() }
        .hasSuffix("must be called within a context's perform block.")
    )
  }

  @Test func functionsAndExpressionsWithoutContent() async throws {
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = NSExpression(forFunction: "sume:", arguments: [NSExpression(forKeyPath: "pages")])
      },
      "Unsupported function expression “sume:”: no function has this selector. Use one of "
    )
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = NSExpression(forFunction: "sum:", arguments: [])
      },
      "Unsupported function expression “sum:”: the function has 1 argument, but 0 were passed."
    )
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = NSExpression(expressionType: .function).expressionValue(with: nil, context: nil)
      },
      "was created with init(expressionType: .function), so it has no content"
    )
  }

  @Test func aValueSetInAMemberThatIsNoManagedObject() async throws {
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        NSArray(array: [NSNumber(value: 1)]).setValue("x", forKey: "title")
      },
      "setValue:forUndefinedKey:]: this class is not key value coding-compliant for the key title."
    )
  }

  @Test func aWillSaveThatNeverSettles() async throws {
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let model = Library.model()
        model.entitiesByName["Tag"]?.managedObjectClassName = "Restless"
        ManagedObjectClasses.register(Restless.self)
        let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
        let context = container.newBackgroundContext()
        _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
        try context.save()
      },
      "The context is still dirty after 1000 attempts"
    )
  }

  @Test func aCoordinatorTakenAway() async throws {
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try LibraryStack(NSInMemoryStoreType).context.persistentStoreCoordinator = nil
      },
      "persistentStoreCoordinator cannot be set to nil"
    )
  }
}

/// Changes itself whenever it is about to be saved.
private final class Restless: NSManagedObject {
  override func willSave() { setValue(UUID().uuidString, forKey: "name") }
}
