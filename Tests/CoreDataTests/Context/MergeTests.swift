// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite struct MergeTests {
  @Test func automaticMergingBringsInsertsUpdatesAndDeletionsOfSiblings() async throws {
    let stack = try LibraryStack()
    let kept = stack.make("Book", ["title": "Momo", "pages": 1])
    let gone = stack.make("Book", ["title": "Gone"])
    try stack.context.save()

    let view = stack.container.newBackgroundContext()
    view.automaticallyMergesChangesFromParent = true
    let shown = try await view.perform {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.returnsObjectsAsFaults = false
      return try view.fetch(request).count
    }
    #expect(shown == 2)
    // Objects must be held: an unchanged object that nobody holds is not registered.
    let held = await view.perform {
      (view.object(with: kept.objectID), view.object(with: gone.objectID)).0
    }
    let pages = await view.perform { held.value(forKey: "pages") as? Int }
    #expect(pages == 1)

    kept.setValue(2, forKey: "pages")
    stack.context.delete(gone)
    _ = stack.make("Book", ["title": "New"])
    try stack.context.save()

    // The merge was queued by the save, so work queued after it comes after it.
    let after = await view.perform(schedule: .enqueued) { held.value(forKey: "pages") as? Int }
    #expect(after == 2)
    let titles = try await view.perform {
      try view.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
        .compactMap { $0.value(forKey: "title") as? String }.sorted()
    }
    #expect(titles == ["Momo", "New"])
  }

  @Test func aMergeKeepsUnsavedEditsAndTheSaveAfterItDoesNotConflict() throws {
    let stack = try LibraryStack()
    let book = stack.make("Book", ["title": "Momo", "pages": 1])
    try stack.context.save()
    book.setValue("Edited", forKey: "title")

    let other = stack.container.newBackgroundContext()
    let saved = Inbox()
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave,
      object: other,
      queue: nil
    ) { saved.notification = $0 }
    defer { NotificationCenter.default.removeObserver(token) }
    other.object(with: book.objectID).setValue(7, forKey: "pages")
    try other.save()

    stack.context.mergeChanges(fromContextDidSave: try #require(saved.notification))
    #expect(book.value(forKey: "pages") as? Int == 7)
    #expect(book.value(forKey: "title") as? String == "Edited")
    try stack.context.save()
    let stored = try #require(stack.reread("Book").first)
    #expect(stored.value(forKey: "pages") as? Int == 7)
    #expect(stored.value(forKey: "title") as? String == "Edited")
  }
}

private final class Inbox: @unchecked Sendable {
  // Unchecked: posted and read on one thread.
  var notification: Notification?
}
