// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite struct SaveTests {
  @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
  func savedValuesComeBackInAnotherContext(type: String) throws {
    let stack = try LibraryStack(type)
    let date = Date(timeIntervalSinceReferenceDate: 12345.5)
    let isbn = UUID()
    let book = stack.make(
      "Book",
      [
        "title": "Momo", "pages": 304, "price": 12.5, "published": date, "isbn": isbn,
        "isLent": true,
      ]
    )
    #expect(book.isInserted && book.objectID.isTemporaryID && stack.context.hasChanges)
    try stack.context.save()
    #expect(!book.isInserted && !book.objectID.isTemporaryID && !stack.context.hasChanges)

    let other = stack.container.newBackgroundContext()
    let copy = try #require(stack.reread("Book", in: other).first)
    #expect(copy !== book && copy.objectID == book.objectID && copy.isFault)
    #expect(copy.value(forKey: "title") as? String == "Momo")
    #expect(copy.value(forKey: "pages") as? Int == 304)
    #expect(copy.value(forKey: "price") as? Double == 12.5)
    #expect(copy.value(forKey: "published") as? Date == date)
    #expect(copy.value(forKey: "isbn") as? UUID == isbn)
    #expect(copy.value(forKey: "isLent") as? Bool == true)
    #expect(!copy.isFault)
  }

  @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
  func relationshipsComeBackFromBothSides(type: String) throws {
    let stack = try LibraryStack(type)
    let author = stack.make("Author", ["name": "Ende"])
    let book = stack.make("Novel", ["title": "Momo", "hero": "Momo", "author": author])
    let tags = ["time", "grey"].map { stack.make("Tag", ["name": $0]) }
    book.setValue(Set(tags), forKey: "tags")
    let chapters = ["One", "Two", "Three"].map { stack.make("Chapter", ["name": $0]) }
    book.setValue(NSOrderedSet(array: chapters), forKey: "chapters")
    #expect((author.value(forKey: "books") as? NSSet)?.contains(book) == true)
    try stack.context.save()

    let other = stack.container.newBackgroundContext()
    let copy = try #require(stack.reread("Book", in: other).first)
    #expect(copy.entity.name == "Novel")
    #expect(
      (copy.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String == "Ende"
    )
    let names = { (key: String) in
      ((copy.value(forKey: key) as? NSSet)?.allObjects as? [NSManagedObject] ?? [])
        .compactMap { $0.value(forKey: "name") as? String }.sorted()
    }
    #expect(names("tags") == ["grey", "time"])
    let order = (copy.value(forKey: "chapters") as? NSOrderedSet)?.array as? [NSManagedObject]
    #expect(order?.compactMap { $0.value(forKey: "name") as? String } == ["One", "Two", "Three"])
    let writer = try #require(stack.reread("Author", in: other).first)
    #expect((writer.value(forKey: "books") as? NSSet)?.contains(copy) == true)
  }

  @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
  func deleteRulesReachTheOtherObjects(type: String) throws {
    let stack = try LibraryStack(type)
    let author = stack.make("Author", ["name": "Ende"])
    let book = stack.make("Book", ["title": "Momo", "author": author])
    let tag = stack.make("Tag", ["name": "time"])
    tag.setValue(Set([book]), forKey: "books")
    let cover = stack.make("Cover", ["colour": "grey", "book": book])
    try stack.context.save()

    stack.context.delete(cover)
    let denied = #expect(throws: NSError.self) { try stack.context.save() }
    #expect(denied?.code == NSValidationRelationshipDeniedDeleteError)
    stack.context.rollback()
    #expect(!cover.isDeleted && cover.value(forKey: "book") as? NSManagedObject === book)

    stack.context.delete(author)
    try stack.context.save()
    #expect(author.managedObjectContext == nil && !author.isDeleted)
    #expect(try stack.reread("Book").isEmpty)
    #expect(try stack.reread("Cover").isEmpty)
    let left = try stack.reread("Tag")
    #expect(left.count == 1 && (left[0].value(forKey: "books") as? NSSet)?.count == 0)
  }

  @Test func aRowChangedElsewhereIsAConflictAndNothingIsLost() throws {
    let stack = try LibraryStack()
    let book = stack.make("Book", ["title": "Momo", "pages": 1])
    try stack.context.save()
    let other = stack.container.newBackgroundContext()
    let copy = other.object(with: book.objectID)
    copy.setValue(2, forKey: "pages")
    try other.save()
    book.setValue(3, forKey: "pages")
    let error = #expect(throws: NSError.self) { try stack.context.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
    #expect(conflicts?.first?.sourceObject === book)
    #expect(conflicts?.first?.cachedSnapshot?["pages"] as? Int == 2)
    #expect(book.value(forKey: "pages") as? Int == 3 && stack.context.hasChanges)
    stack.context.refresh(book, mergeChanges: true)
    try stack.context.save()
    #expect(try stack.reread("Book").first?.value(forKey: "pages") as? Int == 3)
  }

  @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
  func rollbackRestoresEverything(type: String) throws {
    let stack = try LibraryStack(type)
    let author = stack.make("Author", ["name": "Ende"])
    let book = stack.make("Book", ["title": "Momo", "author": author])
    try stack.context.save()
    book.setValue("Jim Knopf", forKey: "title")
    book.setValue(nil, forKey: "author")
    let extra = stack.make("Tag", ["name": "x"])
    stack.context.rollback()
    #expect(book.value(forKey: "title") as? String == "Momo")
    #expect(book.value(forKey: "author") as? NSManagedObject === author)
    #expect(extra.managedObjectContext == nil && !stack.context.hasChanges)
  }

  @Test func aThousandNewObjectsAreThereAfterOneSave() throws {
    let stack = try LibraryStack()
    for number in 0..<1000 { _ = stack.make("Book", ["title": "Book \(number)", "pages": number]) }
    try stack.context.save()
    #expect(try stack.reread("Book").count == 1000)
    #expect(Set(try stack.reread("Book").map(\.objectID)).count == 1000)
  }
}
