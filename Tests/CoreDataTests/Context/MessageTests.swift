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
    let messages = NotificationCenter.default.messages(
      of: context,
      for: .didSaveObjectIDsAsync
    )
    let id = try await context.perform {
      let tag = stack.make("Tag")
      try context.save()
      return tag.objectID
    }
    var received: Set<NSManagedObjectID>?
    for await message in messages {
      #expect(message.context === context)
      received = message.insertedIDs
      break
    }
    #expect(received == [id])
  }

  @Test("NOT-4 a coordinator's messages name its stores")
  func storeMessages() async throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    let messages = NotificationCenter.default.messages(
      of: coordinator,
      for: .storesDidChangeAsync
    )
    let store = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType,
      configurationName: nil,
      at: nil
    )
    try coordinator.remove(store)
    var seen: [String] = []
    for await message in messages {
      seen.append("\(message.addedStores.count) \(message.removedStores == [store])")
      if seen.count == 2 { break }
    }
    #expect(seen == ["1 false", "0 true"])
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
