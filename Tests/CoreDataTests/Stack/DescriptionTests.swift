// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// What printing Core Data's objects says; the forms of requests and conflicts are Apple's.
@Suite struct DescriptionTests {
  /// The text without addresses.
  private func plain(_ object: Any) -> String {
    "\(object)".replacingOccurrences(of: "0x[0-9a-f]+", with: "0x", options: .regularExpression)
  }

  @Test func `A fetch request tells entity, predicate, order and what is not usual`() {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    #expect(
      plain(request) == "<NSFetchRequest: 0x> (entity: Book; predicate: ((null)); sortDescriptors: "
        + "((null)); type: NSManagedObjectResultType; )"
    )
    request.predicate = NSPredicate(format: "pages > 3")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    request.fetchLimit = 5
    request.fetchBatchSize = 20
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["title"]
    #expect(
      plain(request) == "<NSFetchRequest: 0x> (entity: Book; predicate: (pages > 3); "
        + "sortDescriptors: ((\n    (title, ascending, compare:)\n)); limit: 5; batch size: 20; "
        + "type: NSDictionaryResultType; propertiesToFetch: (\n    \"title\"\n); )"
    )
  }

  @Test func `Batch requests and results tell what they are about`() throws {
    let stack = try LibraryStack()
    let insert = NSBatchInsertRequest(entityName: "Book", objects: [["title": "a"]])
    insert.resultType = .count
    #expect(plain(insert) == "<NSBatchInsertRequest: 0x> (entity: Book; rows: 1 dictionaries)")
    let result = try stack.context.execute(insert)
    #expect(plain(result) == "<NSBatchInsertResult: 0x> (result: 1)")
    let update = NSBatchUpdateRequest(entityName: "Book")
    update.predicate = NSPredicate(format: "title == 'a'")
    update.propertiesToUpdate = ["pages": 3]
    #expect(
      plain(update) == "<NSBatchUpdateRequest: 0x> (entity: Book; predicate: (title == \"a\"); "
        + "propertiesToUpdate: {\n    pages = 3;\n})"
    )
    let delete = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Tag"))
    #expect(plain(delete).contains("(fetchRequest: <NSFetchRequest: 0x> (entity: Tag; "))
  }

  @Test func `A merge conflict tells the object, the versions and both sides`() throws {
    let stack = try LibraryStack()
    let book = stack.make("Book", ["title": "a"])
    try stack.context.save()
    let other = stack.container.newBackgroundContext()
    try stack.reread("Book", in: other).first?.setValue("b", forKey: "title")
    try other.save()
    book.setValue("c", forKey: "title")
    let error = #expect(throws: NSError.self) { try stack.context.save() }
    let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
    let conflict = try #require(conflicts?.first)
    let text = plain(conflict)
    #expect(
      text.hasPrefix(
        "NSMergeConflict (0x) for NSManagedObject (0x) with objectID '0x <x-coredata://"
      )
    )
    #expect(text.contains("/Book/p1>' with oldVersion = 1 and newVersion = 2"))
    #expect(text.contains("and old object snapshot = {\n"))
    #expect(text.contains("    title = \"a\";\n"))
    #expect(text.contains("} and new cached row = {\n"))
    #expect(text.contains("    title = \"b\";\n"))

    other.delete(try #require(stack.reread("Book", in: other).first))
    try other.save()
    let second = #expect(throws: NSError.self) { try stack.context.save() }
    let gone = second?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
    #expect(plain(try #require(gone?.first)).contains("and newVersion = <deleted>"))
  }

  @Test func `A constraint conflict tells constraint, values and objects`() throws {
    let model = Library.model()
    model.entitiesByName["Tag"]?.uniquenessConstraints = [["name"]]
    let stack = try LibraryStack(model: model)
    _ = stack.make("Tag", ["name": "x"])
    try stack.context.save()
    _ = stack.make("Tag", ["name": "x"])
    let error = #expect(throws: NSError.self) { try stack.context.save() }
    let conflicts =
      error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict]
    let text = plain(try #require(conflicts?.first))
    #expect(
      text.hasPrefix(
        "NSConstraintConflict (0x) for constraint (\n    \"name\"\n) with values {\n"
          + "    name = \"x\";\n}: database: 0x <x-coredata://"
      )
    )
    #expect(text.contains("conflictedObjects: (\n    0x <x-coredata:///Tag/t"))
  }

  @Test func `History tells numbers, objects and what happened`() throws {
    let stack = try LibraryStack(options: [NSPersistentHistoryTrackingKey: true as NSNumber])
    stack.context.transactionAuthor = "me"
    let book = stack.make("Book", ["title": "a"])
    try stack.context.save()
    book.setValue("b", forKey: "title")
    try stack.context.save()
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
    let result = try stack.context.execute(request) as? NSPersistentHistoryResult
    let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
    let text = transactions.map(plain).joined(separator: "\n")
    #expect(text.contains("<NSPersistentHistoryTransaction: 0x> transactionNumber: 1 timestamp: "))
    #expect(text.contains("author: me contextName: "))
    #expect(
      text.contains("<NSPersistentHistoryChange: 0x> changeID: 1 changedObjectID: 0x <x-core")
    )
    #expect(text.contains("/Book/p1> changeType: insert"))
    #expect(text.contains("changeType: update updatedProperties: (\n    \"title\"\n)"))
  }

  @Test func `A results controller, its sections, a store and a policy tell what they are`() throws
  {
    let stack = try LibraryStack(NSInMemoryStoreType)
    _ = stack.make("Book", ["title": "a"])
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request,
      managedObjectContext: stack.context,
      sectionNameKeyPath: "title",
      cacheName: nil
    )
    let head = "<NSFetchedResultsController: 0x> (entity: Book; sectionNameKeyPath: title; "
    #expect(plain(controller) == head + "not fetched)")
    try controller.performFetch()
    #expect(plain(controller) == head + "1 objects in 1 sections)")
    #expect(plain(try #require(controller.sections?.first)).hasSuffix("(name: \"a\"; 1 objects)"))
    let store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first)
    #expect(plain(store).hasPrefix("<NSPersistentStore: 0x> (type: InMemory; identifier: "))
    #expect(plain(NSMergePolicy.error) == "<NSMergePolicy: 0x> (errorMergePolicyType)")
  }
}
