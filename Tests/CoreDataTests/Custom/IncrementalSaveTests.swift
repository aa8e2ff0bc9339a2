// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("Saves in incremental stores")
struct IncrementalSaveTests {
  @Test(
    "New objects have their IDs before the save, whose request has the context's objects (INC-3)"
  )
  func saving() throws {
    let stack = try IncrementalStack()
    try stack.context.performAndWait {
      let author = stack.make("Author", ["name": "Mann"])
      let book = stack.make("Book", ["title": "Essays", "author": author])
      #expect(book.objectID.isTemporaryID)
      stack.server.log = []
      stack.server.onSave = {
        #expect(!book.objectID.isTemporaryID)
        #expect(book.isInserted)
      }
      try stack.context.save()
      stack.server.onSave = nil
      #expect(stack.server.log.first == "obtain 2")
      #expect(stack.server.calls("save") == ["save 2 0 0"])
      #expect(!stack.context.hasChanges)
      let store = try #require(stack.store as? TableStore)
      let reference = "\(store.referenceObject(for: book.objectID))"
      #expect(stack.server.records[reference]?.values["title"] as? String == "Essays")
      #expect(stack.server.records[reference]?.links["author"]?.count == 1)

      book.setValue("Briefe", forKey: "title")
      stack.context.delete(author)
      stack.server.log = []
      try stack.context.save()
      // The rule of the author's books is to delete them.
      #expect(stack.server.calls("save") == ["save 0 0 2"])
      #expect(stack.server.records.isEmpty)
    }
  }

  @Test("An error of the class is the error of the save, and leaves the changes")
  func failing() throws {
    let stack = try IncrementalStack()
    try stack.fill()
    try stack.context.performAndWait {
      let book = try stack.book("Essays")
      book.setValue("Briefe", forKey: "title")
      let new = stack.make("Tag", ["name": "new"])
      stack.server.failure = NSError(domain: "Server", code: 9)
      let error = #expect(throws: NSError.self) { try stack.context.save() }
      #expect(error?.domain == "Server" && error?.code == 9)
      #expect(book.hasChanges && new.isInserted)
      stack.server.failure = nil
      try stack.context.save()
      #expect(stack.server.reference(of: "Book", where: "title", is: "Briefe") != nil)
      #expect(stack.server.reference(of: "Tag", where: "name", is: "new") != nil)
    }
  }

  @Test("A save of rows that another context has saved is a conflict for the policy (INC-5)")
  func conflicts() throws {
    let stack = try IncrementalStack()
    try stack.fill()
    let second = stack.newContext()
    try stack.context.performAndWait {
      let book = try stack.book("Essays")
      #expect(book.value(forKey: "pages") as? Int == 320)
      try second.performAndWait {
        let other = try stack.book("Essays", in: second)
        other.setValue(7, forKey: "pages")
        try second.save()
      }
      book.setValue("Mine", forKey: "title")
      let error = #expect(throws: NSError.self) { try stack.context.save() }
      #expect(error?.code == NSManagedObjectMergeError)
      let list = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
      let conflict = list?.first
      #expect(conflict?.sourceObject === book)
      #expect(conflict?.cachedSnapshot?["pages"] as? Int == 7)
      stack.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try stack.context.save()
      #expect(book.value(forKey: "pages") as? Int == 7)
      #expect(book.value(forKey: "title") as? String == "Mine")
    }
  }

  @Test("A changed version of a node is a conflict of the contexts that have read the older one")
  func versions() throws {
    let stack = try IncrementalStack()
    try stack.fill()
    let second = stack.newContext()
    try stack.context.performAndWait {
      let book = try stack.book("Essays")
      _ = book.value(forKey: "pages")
      let reference = try #require(
        stack.server.reference(of: "Book", where: "title", is: "Essays")
      )
      stack.server.change(reference, "pages", to: 11)
      try second.performAndWait { () throws -> Void in
        #expect(try stack.book("Essays", in: second).value(forKey: "pages") as? Int == 11)
      }
      book.setValue("Mine", forKey: "title")
      let error = #expect(throws: NSError.self) { try stack.context.save() }
      #expect(error?.code == NSManagedObjectMergeError)
      stack.context.mergePolicy = NSMergePolicy.rollback
      try stack.context.save()
      #expect(book.value(forKey: "title") as? String == "Essays")
      #expect(book.value(forKey: "pages") as? Int == 11)
    }
  }

  @Test("Conflicts that the class reports are resolved by the policy, and the save is tried again")
  func reportedConflicts() throws {
    let stack = try IncrementalStack()
    try stack.fill()
    try stack.context.performAndWait {
      let book = try stack.book("Essays")
      _ = book.value(forKey: "pages")
      let reference = try #require(
        stack.server.reference(of: "Book", where: "title", is: "Essays")
      )
      stack.server.change(reference, "pages", to: 12)
      var attempts = 0
      let server = stack.server
      server.onSave = {
        attempts += 1
        if attempts > 1 { return }
        let conflict = NSMergeConflict(
          source: book,
          newVersion: 2,
          oldVersion: 1,
          cachedSnapshot: nil,
          persistedSnapshot: nil
        )
        throw NSError(
          domain: NSCocoaErrorDomain,
          code: NSManagedObjectMergeError,
          userInfo: [NSPersistentStoreSaveConflictsErrorKey: [conflict]]
        )
      }
      defer { server.onSave = nil }
      book.setValue("Mine", forKey: "title")
      stack.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try stack.context.save()
      #expect(attempts == 2)
      #expect(book.value(forKey: "pages") as? Int == 12)
      #expect(server.records[reference]?.values["title"] as? String == "Mine")
      #expect(server.records[reference]?.values["pages"] as? Int == 12)
    }
  }

  @Test("Objects of detectConflicts are the locked objects of the request")
  func locked() throws {
    let stack = try IncrementalStack()
    try stack.fill()
    let second = stack.newContext()
    try stack.context.performAndWait {
      let book = try stack.book("Essays")
      _ = book.value(forKey: "pages")
      stack.context.detectConflicts(for: book)
      _ = stack.make("Tag", ["name": "a"])
      try stack.context.save()
      stack.context.detectConflicts(for: book)
      try second.performAndWait {
        try stack.book("Essays", in: second).setValue(1, forKey: "pages")
        try second.save()
      }
      _ = stack.make("Tag", ["name": "b"])
      let error = #expect(throws: NSError.self) { try stack.context.save() }
      #expect(error?.code == NSManagedObjectMergeError)
    }
  }

  @Test("Saves of one context are merged into others, and a child saves through its parent")
  func contexts() throws {
    let stack = try IncrementalStack()
    try stack.fill()
    let second = stack.newContext()
    second.automaticallyMergesChangesFromParent = true
    let child = NSManagedObjectContext(.privateQueue)
    child.parent = stack.context
    let title = try second.performAndWait { () -> NSManagedObject in
      let book = try stack.book("Essays", in: second)
      _ = book.value(forKey: "title")
      return book
    }
    try child.performAndWait {
      let book = try stack.book("Essays", in: child)
      book.setValue("From child", forKey: "title")
      _ = stack.make("Tag", ["name": "child"], in: child)
      try child.save()
    }
    try stack.context.performAndWait { try stack.context.save() }
    #expect(stack.server.reference(of: "Tag", where: "name", is: "child") != nil)
    second.performAndWait {
      #expect(title.value(forKey: "title") as? String == "From child")
    }
  }

  @Test("A store that was added read-only takes no saves")
  func readOnly() throws {
    let writable = try IncrementalStack()
    try writable.fill()
    let stack = try IncrementalStack(
      like: writable,
      options: [NSReadOnlyPersistentStoreOption: true]
    )
    #expect(stack.store.isReadOnly)
    try stack.context.performAndWait {
      try stack.book("Essays").setValue("x", forKey: "title")
      let error = #expect(throws: NSError.self) { try stack.context.save() }
      #expect(error?.code == CocoaError.Code.fileWriteNoPermission.rawValue)
      stack.context.rollback()
      _ = stack.make("Tag", ["name": "a"])
      #expect(throws: NSError.self) { try stack.context.save() }
    }
    #expect(stack.server.calls("save").isEmpty)
  }

  @Test("Batch requests and other requests of the class answer with Apple's error (134091)")
  func unsupported() throws {
    let stack = try IncrementalStack()
    stack.context.performAndWait {
      let batch = NSBatchUpdateRequest(entityName: "Book")
      batch.propertiesToUpdate = ["pages": 1]
      let error = #expect(throws: NSError.self) { try stack.context.execute(batch) }
      #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
      final class Ping: NSPersistentStoreRequest {}
      let other = #expect(throws: NSError.self) {
        try stack.coordinator.execute(Ping(), with: stack.context)
      }
      #expect(other?.code == NSPersistentStoreUnsupportedRequestTypeError)
    }
  }
}
