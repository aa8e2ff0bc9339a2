// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Typed messages: NOT-4, they say what the notifications say.
@Suite(.timeLimit(.minutes(2))) struct MessageTests {
  @Test("NOT-4 messages of a main-queue context come on the main actor, beside its notifications")
  @MainActor func mainActorMessages() throws {
    let view = try LibraryStack(NSInMemoryStoreType).container.viewContext
    var events: [String] = []
    let center = NotificationCenter.default
    let tokens = [
      center.addObserver(of: view, for: .willSave) { events.append("will \($0.context === view)") },
      center.addObserver(of: view, for: .objectsDidChange) {
        events.append("changed \($0.inserted.count) \($0.updated.count) \($0.invalidatedAll.count)")
      },
      center.addObserver(of: view, for: .didSave) {
        events.append("saved \($0.inserted.count) \($0.updated.count) \($0.deleted.count)")
      },
      center.addObserver(of: view, for: .didSaveObjectIDs) {
        events.append("IDs \($0.insertedIDs.count) \($0.updatedIDs.count) \($0.deletedIDs.count)")
      },
    ]
    defer { tokens.forEach(center.removeObserver) }
    let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: view)
    try view.save()
    #expect(events.sorted() == ["IDs 1 0 0", "changed 1 0 0", "saved 1 0 0", "will true"])
    events = []
    tag.setValue("x", forKey: "name")
    view.processPendingChanges()
    view.reset()
    #expect(events == ["changed 0 1 0", "changed 0 0 1"])
  }

  @Test("NOT-4 asynchronous messages come from any context")
  func asyncMessages() async throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let context = stack.context
    let (received, feed) = AsyncStream<Set<NSManagedObjectID>>.makeStream()
    let token = NotificationCenter.default.addObserver(
      of: context,
      for: .didSaveObjectIDsAsync
    ) { message in
      feed.yield(message.insertedIDs)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let tag = stack.make("Tag")
    try context.save()
    let first = await received.first { _ in true }
    #expect(first == [tag.objectID])
  }

  @Test("NOT-4 a coordinator's messages name its stores")
  func storeMessages() async throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    let (received, feed) = AsyncStream<String>.makeStream()
    let token = NotificationCenter.default.addObserver(
      of: coordinator,
      for: .storesDidChangeAsync
    ) { message in
      feed.yield("\(message.addedStores.count) \(message.removedStores.count)")
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let store = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType,
      configurationName: nil,
      at: nil
    )
    try coordinator.remove(store)
    // Messages of one sender need not arrive in order.
    var seen: Set<String> = []
    for await message in received {
      seen.insert(message)
      if seen.count == 2 { break }
    }
    #expect(seen == ["1 0", "0 1"])
  }

  @Test("A message and its notification say the same, both ways")
  @MainActor func conversions() throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let saves = Posts(stack.context, NSManagedObjectContext.didSaveObjectsNotification)
    let tag = stack.make("Tag")
    try stack.context.save()
    let notification = Notification(
      name: NSManagedObjectContext.didSaveObjectsNotification,
      object: stack.context,
      userInfo: saves.infos[0]
    )
    let message = try #require(NSManagedObjectContext.DidSaveMessage.makeMessage(notification))
    #expect(message.inserted == [tag] && message.updated.isEmpty && message.deleted.isEmpty)
    let back = NSManagedObjectContext.DidSaveMessage.makeNotification(message)
    #expect(back.name == notification.name && back.object as? NSObject === stack.context)
    #expect(back.userInfo?.count == 1)
    #expect(back.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> == [tag])
    #expect(NSManagedObjectContext.DidSaveMessage.makeMessage(Notification(name: back.name)) == nil)
  }
}
