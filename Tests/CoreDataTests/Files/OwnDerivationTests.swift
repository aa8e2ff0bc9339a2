// SPDX-License-Identifier: Apache-2.0

import CoreData
import FixtureStores
import Testing

/// Derived attributes of every documented kind, computed without a trace in the file where Apple's triggers
/// are not known.
@Suite("Derived attributes of every kind (behaviour.md DER-1)")
struct OwnDerivationTests {
  private static func derived(
    _ name: String,
    _ type: String = "String",
    from expression: String
  ) -> String {
    "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"\(type)\" derived=\"YES\" "
      + "derivationExpression=\"\(expression)\"/>"
  }

  private static let contents = """
    <model>
      <entity name="Media" isAbstract="YES">
        <attribute name="title" optional="YES" attributeType="String"/>
        <attribute name="price" optional="YES" attributeType="Double"/>
      </entity>
      <entity name="Book" parentEntity="Media">
        \(derived("lower", from: "lowercase:(title)"))
        \(derived("upper", from: "uppercase:(title)"))
        \(derived("plain", from: "canonical:(title)"))
        \(derived("copy", from: "title"))
        \(derived("saved", "Date", from: "now()"))
        \(derived("shelfName", from: "lowercase:(shelf.name)"))
        \(derived("tagCount", "Integer 64", from: "tags.@count"))
        <relationship name="shelf" optional="YES" maxCount="1" destinationEntity="Shelf"
            inverseName="books" inverseEntity="Shelf"/>
        <relationship name="tags" optional="YES" toMany="YES" destinationEntity="Tag"
            inverseName="books" inverseEntity="Tag"/>
      </entity>
      <entity name="Film" parentEntity="Media"/>
      <entity name="Shelf">
        <attribute name="name" optional="YES" attributeType="String"/>
        \(derived("worth", "Double", from: "books.price.@sum"))
        \(derived("noteCount", "Integer 64", from: "notes.@count"))
        <relationship name="books" optional="YES" toMany="YES" destinationEntity="Book"
            inverseName="shelf" inverseEntity="Book"/>
        <relationship name="notes" optional="YES" toMany="YES" destinationEntity="Tag"/>
      </entity>
      <entity name="Tag">
        <attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="books" optional="YES" toMany="YES" destinationEntity="Book"
            inverseName="tags" inverseEntity="Book"/>
      </entity>
    </model>
    """

  private func stack() throws -> LibraryStack {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(Self.contents.utf8).write(to: file)
    return try LibraryStack(model: try #require(NSManagedObjectModel(contentsOf: file)))
  }

  private func values(_ object: NSManagedObject) -> [String] {
    ["lower", "upper", "plain", "copy", "shelfName"].map { object.text($0) ?? "nil" }
      + ["\(object.int("tagCount") ?? -1)"]
  }

  @Test("Each follows inserts, changes, batches and deletions, in the objects and in the file")
  func followed() throws {
    let stack = try stack()
    let context = stack.context
    let shelf = stack.make("Shelf", ["name": "TOP"])
    let book = stack.make("Book", ["title": "Élan Vital", "price": 2.5, "shelf": shelf])
    _ = stack.make("Film", ["title": "Film", "price": 9.0])
    let tags = [stack.make("Tag", ["name": "a"]), stack.make("Tag", ["name": "b"])]
    book.setValue(Set(tags), forKey: "tags")
    let before = Date()
    try context.save()
    #expect(
      values(book) == ["élan vital", "ÉLAN VITAL", "elan vital", "Élan Vital", "top", "2"]
    )
    let saved = try #require(book.value(forKey: "saved") as? Date)
    #expect(abs(saved.timeIntervalSince(before)) < 60)
    #expect(shelf.value(forKey: "worth") as? Double == 2.5)
    #expect(shelf.int("noteCount") == 0)
    #expect(values(try #require(stack.reread("Book").first)) == values(book))

    book.setValue(nil, forKey: "title")
    book.setValue(4.0, forKey: "price")
    shelf.setValue("Low", forKey: "name")
    shelf.setValue(Set(tags), forKey: "notes")
    context.delete(tags[0])
    try context.save()
    #expect(values(book) == ["nil", "nil", "nil", "nil", "low", "1"])
    #expect(shelf.value(forKey: "worth") as? Double == 4 && shelf.int("noteCount") == 1)
    let later = try #require(book.value(forKey: "saved") as? Date)
    #expect(later >= saved)

    _ = try stack.insert("Book", [["title": "BATCH", "price": 1.0]])
    _ = try stack.update("Book", ["title": "Second"], where: NSPredicate(format: "title == nil"))
    let books = try stack.reread("Book")
    #expect(Set(books.map { $0.text("lower") }) == ["batch", "second"])
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = NSPredicate(format: "lower == 'batch' AND saved != nil")
    #expect(try context.count(for: request) == 1)

    context.refresh(book, mergeChanges: true)
    context.delete(book)
    try context.save()
    #expect(shelf.value(forKey: "worth") as? Double == 0)
  }

  @Test("The file has no trigger but those that Apple's files show")
  func traces() throws {
    let stack = try stack()
    let url = try #require(try stack.store.url)
    let names = try RawRows.read(url.path) {
      try $0.texts("SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
    }
    #expect(
      names == [
        "Z_DA_ZSHELF_Shelf_noteCount_SOURCE_INSERT", "Z_DA_ZTAG_Shelf_noteCount_PARAMETER_DELETE",
        "Z_DA_ZTAG_Shelf_noteCount_PARAMETER_INSERT",
        "Z_DA_ZTAG_Shelf_noteCount_PARAMETER_UPDATE_DECREMENT",
        "Z_DA_ZTAG_Shelf_noteCount_PARAMETER_UPDATE_INCREMENT",
      ]
    )
  }
}
