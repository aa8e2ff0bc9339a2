// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// A context that merges deletions and never saves, such as that of a list.
@Suite struct MergedDeletionTests {
  private func insert(_ count: Int, _ stack: LibraryStack) throws -> [NSManagedObject] {
    let books = (0..<count).map { stack.make("Book", ["title": "\($0)"]) }
    try stack.context.save()
    return books
  }

  private func delete(_ objects: [NSManagedObject], _ stack: LibraryStack) throws {
    for object in objects { stack.context.delete(object) }
    try stack.context.save()
  }

  @Test("Merged deletions do not fill a context that never saves")
  func release() throws {
    let stack = try LibraryStack()
    let view = stack.container.newBackgroundContext()
    var most = 0
    for _ in 0..<20 {
      let books = try insert(100, stack)
      let ids = books.map(\.objectID)
      let info = [NSDeletedObjectIDsKey: ids]
      _ = try view.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
      let seen = try ids.map { try view.existingObject(with: $0) }
      try delete(books, stack)
      withExtendedLifetime(seen) {
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: info, into: [view])
      }
      most = max(most, view.deletedObjects.count)
    }
    #expect(most >= 100 && most < 600)
    try view.save()
    #expect(view.deletedObjects.isEmpty && view.registeredObjects.isEmpty)
  }

  @Test("An object that the program retains stays deleted, and can be rolled back")
  func retained() throws {
    let stack = try LibraryStack()
    let view = stack.container.newBackgroundContext()
    let books = try insert(300, stack)
    var seen = try books.map { try view.existingObject(with: $0.objectID) }
    view.delete(try view.existingObject(with: stack.make("Tag", ["name": "a"], saved: true)))
    let kept = seen[50]
    let ids = books.map(\.objectID)
    try delete(books, stack)
    func merge(_ part: ArraySlice<NSManagedObjectID>) {
      let info = [NSDeletedObjectIDsKey: Array(part)]
      NSManagedObjectContext.mergeChanges(fromRemoteContextSave: info, into: [view])
    }
    merge(ids[..<120])
    #expect(view.deletedObjects.count == 121)
    seen.removeFirst(120)
    merge(ids[120...])
    // The other 119 objects of the first merge were only in the context.
    #expect(view.deletedObjects.count == 182)
    #expect(kept.isDeleted && view.deletedObjects.contains(kept))
    #expect(view.deletedObjects.contains { $0.entity.name == "Tag" })
    view.rollback()
    #expect(!kept.isDeleted && kept.value(forKey: "title") == nil)
  }
}

extension LibraryStack {
  /// Inserts and saves an object; returns its ID.
  fileprivate func make(
    _ entity: String,
    _ values: [String: Any],
    saved: Bool
  ) throws -> NSManagedObjectID {
    let object = make(entity, values)
    try context.save()
    return object.objectID
  }
}
