// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("The steps of a merge")
struct ContextMergeTests {
  /// One stored book of 1 page that `other` has changed to 2 pages.
  private struct World {
    let stack: LibraryStack
    let mine: NSManagedObjectContext
    let id: NSManagedObjectID

    init() throws {
      stack = try LibraryStack()
      mine = stack.container.newBackgroundContext()
      let book = stack.make("Book", ["title": "Momo", "pages": 1])
      try stack.context.save()
      id = book.objectID
    }

    func change() throws {
      let other = stack.container.newBackgroundContext()
      try other.existingObject(with: id).setValue(2, forKey: "pages")
      try other.save()
    }

    func merge(_ info: [AnyHashable: Any]) {
      NSManagedObjectContext.mergeChanges(fromRemoteContextSave: info, into: [mine])
    }
  }

  @Test("A deletion whose row is there again refreshes the object")
  func rowIsThereAgain() throws {
    let world = try World()
    let book = try world.mine.existingObject(with: world.id)
    #expect(book.int("pages") == 1)
    try world.change()
    world.merge([NSDeletedObjectIDsKey: [world.id]])
    #expect(!book.isDeleted && book.int("pages") == 2)
  }

  @Test("An unknown object that is named as deleted and inserted, and has a row, is not deleted")
  func deletedAndInserted() throws {
    let world = try World()
    world.merge([NSDeletedObjectIDsKey: [world.id], NSInsertedObjectIDsKey: [world.id]])
    let book = try world.mine.existingObject(with: world.id)
    #expect(!book.isDeleted && book.int("pages") == 1)
    #expect(world.mine.deletedObjects.isEmpty)
  }

  @Test("An invalidated object becomes a fault; unsaved changes stay, over its new row")
  func invalidated() throws {
    for isChanged in [false, true] {
      let world = try World()
      let book = try world.mine.existingObject(with: world.id)
      if isChanged { book.setValue("Edited", forKey: "title") }
      try world.change()
      world.merge([NSInvalidatedObjectIDsKey: [world.id]])
      #expect(book.isFault == !isChanged)
      #expect(book.int("pages") == 2)
      #expect(book.text("title") == (isChanged ? "Edited" : "Momo"))
    }
  }

  @Test("A merge reports the event before it apart from what it brings")
  func eventBefore() throws {
    let world = try World()
    let book = try world.mine.existingObject(with: world.id)
    let log = Updates(world.mine)
    book.setValue("Edited", forKey: "title")
    try world.change()
    world.merge([NSUpdatedObjectIDsKey: [world.id]])
    #expect(log.events == ["updated", "refreshed"])
  }

  /// The kinds of change that each event of a context reports.
  private final class Updates: @unchecked Sendable {
    // Unchecked: posted and read on one thread.
    var events: [String] = []
    private var token: (any NSObjectProtocol)?

    init(_ context: NSManagedObjectContext) {
      token = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextObjectsDidChange,
        object: context,
        queue: nil
      ) { [unowned self] note in
        for key in [NSUpdatedObjectsKey, NSRefreshedObjectsKey] where note.userInfo?[key] != nil {
          events.append(key)
        }
      }
    }

    deinit { if let token { NotificationCenter.default.removeObserver(token) } }
  }
}
