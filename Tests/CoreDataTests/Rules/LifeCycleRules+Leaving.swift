// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Objects that leave their context: after a reset, a removed store, a deletion.
extension LifeCycleRules {
  @Test("MO-21 objects of a reset context are faults without values, and can be touched")
  func mo21() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let node = try web.node("a")
    try web.save()
    node.cache = "x"
    let new = try web.node("new")
    let fault = web.context.object(with: node.objectID)
    web.context.reset()
    for object in [node, new] {
      #expect(object.managedObjectContext == nil && object.isFault && !object.hasChanges)
      #expect(object.name == nil && object.cache == nil && object.rank == 0)
      #expect(object.parent == nil && object.children?.count == 0)
      object.name = "b"
      #expect(object.name == nil && object.isFault)
    }
    #expect(fault.managedObjectContext == nil && web.context.registeredObjects.isEmpty)
    var context: NSManagedObjectContext? = web.stack.container.newBackgroundContext()
    let orphan = try #require(context?.object(with: node.objectID))
    context = nil
    #expect(orphan.managedObjectContext == nil && orphan.value(forKey: "name") == nil)
  }

  @Test("MO-21 faults of a store that was removed read as nil; what is changed cannot be saved")
  func mo21Store() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let (node, fault) = (try web.node("a"), try web.node("b"))
    try web.save()
    web.context.refresh(fault, mergeChanges: false)
    try web.stack.container.persistentStoreCoordinator.remove(try web.stack.store)
    #expect(node.name == "a" && fault.name == nil && fault.children?.count == 0)
    node.rank = 3
    let error = #expect(throws: NSError.self) { try web.save() }
    #expect(error?.domain == NSCocoaErrorDomain && node.rank == 3)
    web.context.reset()
    #expect(node.managedObjectContext == nil)
  }

  @Test("MO-22 isDeleted is true from delete to the end of the save; then there is no context")
  func mo22() throws {
    let web = try WebStack()
    let node = try web.node("a")
    try web.save()
    web.context.delete(node)
    #expect(node.isDeleted && node.managedObjectContext === web.context && node.name == "a")
    try web.save()
    #expect(!node.isDeleted && node.managedObjectContext == nil)
  }

  @Test("MO-22 an object that has left its context still has its ID, with its store")
  func mo22Identity() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let (deleted, reset, orphan) = (try web.node("a"), try web.node("b"), try web.node("c"))
    try web.save()
    let store = try #require(
      web.stack.container.persistentStoreCoordinator.persistentStores.first
    )
    web.context.delete(deleted)
    try web.save()
    var other: NSManagedObjectContext? = web.stack.container.newBackgroundContext()
    let left = try #require(try other?.existingObject(with: orphan.objectID))
    other = nil
    web.context.reset()
    for (object, number) in [(deleted, 1), (reset, 2), (left, 3)] {
      #expect(object.managedObjectContext == nil)
      #expect(object.objectID.persistentStore === store)
      let uri = "x-coredata://\(store.identifier ?? "")/Node/p\(number)"
      #expect(object.objectID.uriRepresentation().absoluteString == uri)
    }
  }

  @Test("MO-23 an object inserted and deleted before the save never reaches the store")
  func mo23() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let node = try web.node("a")
    web.context.processPendingChanges()
    web.context.delete(node)
    #expect(web.context.deletedObjects.isEmpty && web.context.insertedObjects.isEmpty)
    let statements = try web.statements { try web.save() }
    #expect(statements.isEmpty && node.managedObjectContext == nil)
  }
}
