// SPDX-License-Identifier: Apache-2.0

import CoreData
import FixtureStores
import Testing

/// Attributes that triggers in the file compute.
@Suite("Derived attributes")
struct DerivedAttributeTests {
  private static let contents = """
    <model>
      <entity name="Book">
        <attribute name="title" optional="YES" attributeType="String"/>
        <attribute name="pagesCount" optional="YES" attributeType="Integer 64" derived="YES"
            derivationExpression="pages.@count"/>
        <relationship name="pages" optional="YES" toMany="YES" deletionRule="Cascade"
            destinationEntity="Page" inverseName="book" inverseEntity="Page"/>
      </entity>
      <entity name="Page">
        <attribute name="bookTitle" optional="YES" attributeType="String" derived="YES"
            derivationExpression="book.title"/>
        <relationship name="book" optional="YES" maxCount="1" deletionRule="Nullify"
            destinationEntity="Book" inverseName="pages" inverseEntity="Book"/>
      </entity>
    </model>
    """

  @Test("Counts and values of to-ones follow each save, in the file and in the objects")
  func followed() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appendingPathComponent("contents")
    try Data(Self.contents.utf8).write(to: source)
    let model = try #require(NSManagedObjectModel(contentsOf: source))
    let container = NSPersistentContainer(name: "Books", managedObjectModel: model)
    let file = folder.appendingPathComponent("Books.sqlite")
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: file)]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    let context = container.newBackgroundContext()
    try context.performAndWait { () throws -> Void in
      let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
      book.setValue("A", forKey: "title")
      let pages = (0..<3).map { _ in
        NSEntityDescription.insertNewObject(forEntityName: "Page", into: context)
      }
      for page in pages { page.setValue(book, forKey: "book") }
      try context.save()
      #expect(book.value(forKey: "pagesCount") as? Int == 3)
      #expect(pages.map { $0.value(forKey: "bookTitle") as? String } == ["A", "A", "A"])

      book.setValue("B", forKey: "title")
      context.delete(pages[0])
      try context.save()
      #expect(book.value(forKey: "pagesCount") as? Int == 2)
      #expect(pages[1].value(forKey: "bookTitle") as? String == "B")

      pages[1].setValue(nil, forKey: "book")
      try context.save()
      #expect(book.value(forKey: "pagesCount") as? Int == 1)
      #expect(pages[1].value(forKey: "bookTitle") == nil)

      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.predicate = NSPredicate(format: "pagesCount == 1")
      #expect(try context.fetch(request) == [book])
    }
  }

  @Test("Triggers are those of Apple's files, word for word")
  func triggers() throws {
    for name in ["SampleModel2_V1", "ChatModel__josh"] {
      guard let fixture = FixtureStore.all.first(where: { $0.name.contains(name) }) else {
        continue
      }
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let theirs = try fixture.copy(to: folder)
      let model = try NSManagedObjectModel(storedAt: URL(fileURLWithPath: theirs))
      let ours = folder.appendingPathComponent("ours.sqlite")
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType,
        configurationName: nil,
        at: ours
      )
      let sql = "SELECT sql FROM sqlite_master WHERE type = 'trigger'"
      let expected = Set(try RawRows.read(theirs) { try $0.texts(sql) })
      let found = Set(try RawRows.read(ours.path) { try $0.texts(sql) })
      #expect(!expected.isEmpty)
      #expect(found.symmetricDifference(expected).sorted() == [])
    }
  }
}
