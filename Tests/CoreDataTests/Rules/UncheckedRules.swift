// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// `docs/reference/behaviour.md` §5: values that are not there yet, and values that nobody checks.
@Suite struct UncheckedRules {
  private static let contents = """
    <model>
      <entity name="Book">
        <attribute name="title" attributeType="String" minValueString="2"/>
        <attribute name="pages" optional="YES" attributeType="Integer 32" minValueString="1"
            maxValueString="10"/>
        <attribute name="authorName" DERIVED attributeType="String" derived="YES"
            derivationExpression="author.name"/>
        <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify"
            destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="title"/></uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
      <entity name="Author">
        <attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="books" toMany="YES" minCount="1" deletionRule="Nullify"
            destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
      </entity>
    </model>
    """

  private func stack(derived: String) throws -> LibraryStack {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    let contents = Self.contents.replacingOccurrences(of: "DERIVED", with: derived)
    try Data(contents.utf8).write(to: file)
    return try LibraryStack(model: try #require(NSManagedObjectModel(contentsOf: file)))
  }

  @Test("VAL-8 a derived attribute that is not optional fails the insert with 1570")
  func derived() throws {
    let stack = try stack(derived: "")
    let author = stack.make("Author", ["name": "Ende"])
    let book = stack.make("Book", ["title": "Momo", "author": author])
    let error = #expect(throws: NSError.self) { try stack.context.save() }
    #expect(error?.code == NSValidationMissingMandatoryPropertyError)
    #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "authorName")
    #expect(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === book)
    let optional = try self.stack(derived: "optional=\"YES\"")
    let other = optional.make("Author", ["name": "Ende"])
    let second = optional.make("Book", ["title": "Momo", "author": other])
    try optional.context.save()
    #expect(second.text("authorName") == "Ende")
  }

  @Test("VAL-10 batch requests check uniqueness, and new rows for mandatory values; nothing else")
  func batches() throws {
    let stack = try stack(derived: "optional=\"YES\"")
    _ = try stack.insert("Author", [["name": "nobody's"]])
    let untitled = #expect(throws: NSError.self) { try stack.insert("Book", [["pages": 99]]) }
    #expect(untitled?.code == NSValidationMissingMandatoryPropertyError)
    _ = try stack.insert(
      "Book",
      [["title": "long", "pages": 99], ["title": "x", "pages": 5], ["title": "fine"]]
    )
    let long = NSPredicate(format: "title == 'long'")
    _ = try stack.update("Book", ["title": NSNull()], where: long)
    #expect(try stack.texts("Book", "title") == ["-", "fine", "x"])
    let all = NSPredicate(format: "title == 'fine'")
    #expect(try stack.update("Book", ["pages": -7], where: all) as? Int == 1)
    let books = try stack.reread("Book", in: stack.context)
    #expect(Set(books.map { $0.int("pages") }) == [99, 5, -7])
    #expect(throws: NSError.self) { try stack.insert("Book", [["title": "fine"]]) }
    #expect(throws: NSError.self) { try stack.update("Book", ["title": "same"]) }
    // A save checks what it writes, and names every rule that such rows break.
    for book in books { book.setValue(book.value(forKey: "pages"), forKey: "pages") }
    let author = try #require(stack.reread("Author", in: stack.context).first)
    author.setValue("changed", forKey: "name")
    let error = #expect(throws: NSError.self) { try stack.context.save() }
    let details = error?.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
    #expect(details.map(\.code).sorted() == [1570, 1610, 1620, 1670])
  }
}
