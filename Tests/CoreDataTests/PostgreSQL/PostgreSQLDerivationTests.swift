// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CoreData
import Foundation
import Testing

@Suite(
  "Derived attributes in PostgreSQL stores",
  .enabled(
    if: PostgreSQLStack.url != nil,
    "COREDATA_POSTGRES_URL is not set; run the tests with scripts/lib/postgres"
  )
)
@MainActor
struct PostgreSQLDerivationTests {
  private nonisolated static func derived(
    _ name: String,
    _ type: String,
    _ expression: String
  ) -> String {
    "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"\(type)\" derived=\"YES\" "
      + "derivationExpression=\"\(expression)\"/>"
  }

  private nonisolated static let contents = """
    <model>
      <entity name="Media" isAbstract="YES">
        <attribute name="title" optional="YES" attributeType="String"/>
        <attribute name="price" optional="YES" attributeType="Double"/>
      </entity>
      <entity name="Book" parentEntity="Media">
        \(derived("lower", "String", "lowercase:(title)"))
        \(derived("plain", "String", "canonical:(title)"))
        \(derived("copy", "String", "title"))
        \(derived("saved", "Date", "now()"))
        \(derived("shelfName", "String", "lowercase:(shelf.name)"))
        \(derived("place", "String", "shelf.name"))
        \(derived("tagCount", "Integer 64", "tags.@count"))
        <relationship name="shelf" optional="YES" maxCount="1" destinationEntity="Shelf"
            inverseName="books" inverseEntity="Shelf"/>
        <relationship name="tags" optional="YES" toMany="YES" destinationEntity="Tag"
            inverseName="books" inverseEntity="Tag"/>
      </entity>
      <entity name="Film" parentEntity="Media"/>
      <entity name="Shelf">
        <attribute name="name" optional="YES" attributeType="String"/>
        \(derived("worth", "Double", "books.price.@sum"))
        \(derived("bookCount", "Integer 64", "books.@count"))
        <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify"
            destinationEntity="Book" inverseName="shelf" inverseEntity="Book"/>
      </entity>
      <entity name="Tag">
        <relationship name="books" optional="YES" toMany="YES" destinationEntity="Book"
            inverseName="tags" inverseEntity="Book"/>
      </entity>
    </model>
    """

  private nonisolated func model() throws -> NSManagedObjectModel {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).contents")
    try Data(Self.contents.utf8).write(to: file)
    defer {
      #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) }
    }
    return try #require(NSManagedObjectModel(contentsOf: file))
  }

  private nonisolated func make(
    _ entity: String,
    _ values: [String: Any],
    _ context: NSManagedObjectContext
  ) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    object.setValuesForKeys(values)
    return object
  }

  private func values(_ object: NSManagedObject) -> [String] {
    ["lower", "plain", "copy", "shelfName", "place", "tagCount"].map {
      object.value(forKey: $0).map { "\($0)" } ?? "nil"
    }
  }

  @Test(
    "Every kind follows inserts, changes, batches and deletions, in the objects and in the rows"
  )
  func followed() throws {
    try PostgreSQLStack.with { stack in
      let context = try stack.container(model()).viewContext
      let shelf = make("Shelf", ["name": "TOP"], context)
      let tags = [make("Tag", [:], context), make("Tag", [:], context)]
      let book = make(
        "Book",
        ["title": "Élan Vital", "price": 2.5, "shelf": shelf, "tags": NSSet(array: tags)],
        context
      )
      _ = make("Film", ["title": "Film", "price": 9.0], context)
      let before = Date()
      try context.save()
      #expect(values(book) == ["élan vital", "elan vital", "Élan Vital", "top", "TOP", "2"])
      let saved = try #require(book.value(forKey: "saved") as? Date)
      #expect(abs(saved.timeIntervalSince(before)) < 60)
      #expect(shelf.value(forKey: "worth") as? Double == 2.5)
      #expect(shelf.value(forKey: "bookCount") as? Int == 1)
      let other = try stack.container(model()).viewContext
      let found = try #require(
        other.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).first
      )
      #expect(values(found) == values(book))

      book.setValuesForKeys(["title": NSNull(), "price": 4.0])
      book.setValue(nil, forKey: "title")
      shelf.setValue("Low", forKey: "name")
      context.delete(tags[0])
      try context.save()
      #expect(values(book) == ["nil", "nil", "nil", "low", "Low", "1"])
      #expect(shelf.value(forKey: "worth") as? Double == 4)

      let insert = NSBatchInsertRequest(
        entityName: "Book",
        objects: (0..<40).map { ["title": "BATCH \($0)", "price": 1.0] }
      )
      try context.execute(insert)
      let update = NSBatchUpdateRequest(entityName: "Book")
      update.predicate = NSPredicate(format: "title == nil")
      update.propertiesToUpdate = ["title": "Second"]
      try context.execute(update)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.predicate = NSPredicate(
        format: "lower == 'second' AND saved != nil AND tagCount == 1"
      )
      #expect(try context.count(for: request) == 1)
      request.predicate = NSPredicate(
        format: "lower BEGINSWITH 'batch ' AND plain BEGINSWITH 'batch'"
      )
      #expect(try context.count(for: request) == 40)

      context.refresh(book, mergeChanges: true)
      context.delete(book)
      try context.save()
      #expect(shelf.value(forKey: "worth") as? Double == 0)
      #expect(shelf.value(forKey: "bookCount") as? Int == 0)
    }
  }

  @Test("Transactions that add members at the same time are all counted")
  func atTheSameTime() async throws {
    try await PostgreSQLStack.with { @MainActor stack in
      let context = try stack.container(model()).newBackgroundContext()
      let uri = try await context.perform {
        let shelf = make("Shelf", [:], context)
        try context.save()
        return shelf.objectID.uriRepresentation()
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            let container = try stack.container(model())
            let own = container.newBackgroundContext()
            try await own.perform {
              let coordinator = container.persistentStoreCoordinator
              let id = try #require(coordinator.managedObjectID(forURIRepresentation: uri))
              let shelf = try own.existingObject(with: id)
              own.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
              for number in 0..<25 {
                _ = make("Book", ["price": Double(number), "shelf": shelf], own)
                try own.save()
              }
            }
          }
        }
        try await group.waitForAll()
      }
      try await context.perform {
        let shelf = try #require(
          context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Shelf")).first
        )
        context.refresh(shelf, mergeChanges: false)
        #expect(shelf.value(forKey: "bookCount") as? Int == 100)
        #expect(shelf.value(forKey: "worth") as? Double == 1200)
      }
    }
  }
}
#endif
