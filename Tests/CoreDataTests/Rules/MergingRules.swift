// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("Rules of merging saved changes (behaviour.md §7, CTX-8)")
struct MergingRules {
  private let world: TwoContexts

  init() throws { world = try TwoContexts() }

  private final class Log: @unchecked Sendable {
    // Unchecked: posted and read on one thread.
    var infos: [[AnyHashable: Any]] = []
    private var token: (any NSObjectProtocol)?
    init(_ name: NSNotification.Name, _ context: NSManagedObjectContext) {
      token = NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
        [unowned self] in infos.append($0.userInfo ?? [:])
      }
    }
    deinit { token.map(NotificationCenter.default.removeObserver) }
  }

  /// The other context changes the book, deletes one and inserts one, and saves.
  private func saveElsewhere(
    _ name: NSNotification.Name
  ) throws -> (Notification, gone: NSManagedObject) {
    let gone = world.stack.make("Book", ["title": "gone"])
    try world.mine.save()
    let log = Log(name, world.other)
    world.copy.setValue("theirs", forKey: "title")
    world.other.delete(world.other.object(with: gone.objectID))
    let new = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: world.other)
    new.setValue("new", forKey: "name")
    try world.other.save()
    let info = try #require(log.infos.first)
    return (Notification(name: name, object: world.other, userInfo: info), gone)
  }

  @Test(
    "MRG-1 a save's notification is merged, with its objects or with their IDs",
    arguments: [
      NSNotification.Name.NSManagedObjectContextDidSave, .NSManagedObjectContextDidSaveObjectIDs,
    ]
  )
  func merge(_ name: NSNotification.Name) throws {
    let (notification, gone) = try saveElsewhere(name)
    world.book.setValue(9.0, forKey: "price")
    world.mine.mergeChanges(fromContextDidSave: notification)
    #expect(world.book.text("title") == "theirs" && gone.isDeleted)
    #expect(world.book.double("price") == 9 && world.book.isUpdated, "a merging refresh")
    let new = try world.stack.reread("Tag", in: world.mine)
    #expect(new.map { $0.text("name") } == ["new"] && new[0].managedObjectContext === world.mine)
  }

  @Test("MRG-3 merged updates are told as refreshed, inserts as inserted, deletions as deleted")
  func told() throws {
    let (notification, gone) = try saveElsewhere(.NSManagedObjectContextDidSave)
    let log = Log(.NSManagedObjectContextObjectsDidChange, world.mine)
    world.mine.mergeChanges(fromContextDidSave: notification)
    let info = try #require(log.infos.first)
    #expect(info[NSRefreshedObjectsKey] as? Set<NSManagedObject> == [world.book])
    #expect(info[NSUpdatedObjectsKey] == nil)
    #expect((info[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.first?.text("name") == "new")
    #expect(info[NSDeletedObjectsKey] as? Set<NSManagedObject> == [gone])
    #expect(gone.isDeleted && world.mine.deletedObjects == [gone] && gone.text("title") == "gone")
    let books = try world.mine.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
    #expect(books == [world.book])
  }

  @Test("MRG-2 inserts always enter, changes and deletions only where the object is registered")
  func registered() throws {
    let (notification, _) = try saveElsewhere(.NSManagedObjectContextDidSaveObjectIDs)
    let fresh = world.stack.container.newBackgroundContext()
    let log = Log(.NSManagedObjectContextObjectsDidChange, fresh)
    fresh.mergeChanges(fromContextDidSave: notification)
    let info = try #require(log.infos.first)
    #expect(log.infos.count == 1 && info.count == 1)
    #expect((info[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.first?.text("name") == "new")
    #expect(fresh.deletedObjects.isEmpty && fresh.registeredObject(for: world.book.objectID) == nil)
    // A fault without a row takes no notice either.
    let third = world.stack.container.newBackgroundContext()
    let fault = third.object(with: world.book.objectID)
    let later = Log(.NSManagedObjectContextObjectsDidChange, third)
    third.mergeChanges(fromContextDidSave: notification)
    #expect(later.infos.first?[NSRefreshedObjectsKey] == nil && fault.isFault)
    #expect(fault.text("title") == "theirs")
  }

  @Test("MRG-4 remote changes are merged into several contexts, from IDs and from URIs")
  func remote() throws {
    let third = world.stack.container.newBackgroundContext()
    let copy = try third.existingObject(with: world.book.objectID)
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = world.mine
    let deep = try child.existingObject(with: world.book.objectID)
    for (index, value) in [
      [world.book.objectID] as Any, Set([world.book.objectID.uriRepresentation()]) as Any,
      [world.book.objectID.uriRepresentation()] as Any,
    ].enumerated() {
      world.copy.setValue(100 + index, forKey: "pages")
      try world.other.save()
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSUpdatedObjectsKey: value],
        into: [child, world.mine, third]
      )
      for object in [world.book, copy, deep] { #expect(object.int("pages") == 100 + index) }
    }
  }

  @Test("MRG-4 every key of such a dictionary is understood, each context working on its queue")
  func remoteKeys() throws {
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = world.mine
    let ids = try ["kept", "gone", "hidden"].map { title in
      let book = world.stack.make("Book", ["title": title])
      try world.mine.save()
      return book.objectID
    }
    let held = ids.map { child.object(with: $0) }
    for object in held { _ = object.text("title") }
    let there = ids.map { world.other.object(with: $0) }
    there[0].setValue(5, forKey: "pages")
    world.other.delete(there[1])
    there[2].setValue(6, forKey: "pages")
    let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: world.other)
    try world.other.save()
    let log = Log(.NSManagedObjectContextObjectsDidChange, child)
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [
        NSInsertedObjectsKey: [tag.objectID.uriRepresentation()], NSDeletedObjectsKey: [ids[1]],
        NSRefreshedObjectsKey: [ids[0]], NSInvalidatedObjectsKey: [ids[2].uriRepresentation()],
      ],
      into: [world.mine, child]
    )
    #expect(held[0].int("pages") == 5 && held[1].isDeleted && held[2].int("pages") == 6)
    let inserted = log.infos.compactMap { $0[NSInsertedObjectsKey] as? Set<NSManagedObject> }
    #expect(inserted.first?.first?.objectID == tag.objectID)
    #expect(world.mine.registeredObject(for: ids[1])?.isDeleted ?? true)
  }

  @Test("MRG-5 siblings and children merge by themselves where they are told to")
  func automatic() async throws {
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = world.mine
    let deep = try child.existingObject(with: world.book.objectID)
    child.automaticallyMergesChangesFromParent = true
    world.other.automaticallyMergesChangesFromParent = true
    world.book.setValue(77, forKey: "pages")
    try world.mine.save()
    let copy = world.copy
    let seen = await world.other.perform(schedule: .enqueued) { copy.int("pages") }
    let deepSeen = await child.perform(schedule: .enqueued) { deep.int("pages") }
    #expect(seen == 77 && deepSeen == 77)
  }

  @Test("MRG-6 unsaved edits survive a merge, and the save after it meets no conflict")
  func edits() throws {
    world.book.setValue(9, forKey: "pages")
    let log = Log(.NSManagedObjectContextDidSave, world.other)
    world.copy.setValue("theirs", forKey: "title")
    try world.other.save()
    world.mine.mergeChanges(
      fromContextDidSave: Notification(
        name: .NSManagedObjectContextDidSave,
        object: world.other,
        userInfo: log.infos.first
      )
    )
    #expect(world.book.int("pages") == 9 && world.book.text("title") == "theirs")
    try world.mine.save()
    #expect(try world.stored()?["pages"] as? Int == 9)
  }

  @Test("MRG-7 the end of a merge is told with the IDs")
  func ended() throws {
    let (notification, gone) = try saveElsewhere(.NSManagedObjectContextDidSave)
    let log = Log(.NSManagedObjectContextDidMergeChangesObjectIDs, world.mine)
    world.mine.mergeChanges(fromContextDidSave: notification)
    #expect(log.infos.count == 1)
    #expect(
      log.infos.first?[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID> == [world.book.objectID]
    )
    #expect(
      (log.infos.first?[NSDeletedObjectIDsKey] as? Set<NSManagedObjectID>)?.first?
        .uriRepresentation()
        == gone.objectID.uriRepresentation()
    )
    #expect((log.infos.first?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID>)?.count == 1)
  }

  @Test("CTX-8 a new object goes to the first store, or to the one it is assigned to")
  func assignment() throws {
    let folder = world.stack.folder
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    let stores = try ["one", "two"].map {
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType,
        configurationName: nil,
        at: folder.appendingPathComponent("\($0).sqlite")
      )
    }
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let tags = ["a", "b"].map { name in
      let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
      tag.setValue(name, forKey: "name")
      return tag
    }
    context.assign(tags[1], to: stores[1])
    try context.save()
    #expect(tags.map(\.objectID.persistentStore) == stores)
  }
}
