// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// `docs/reference/behaviour.md` §3: one test for each rule; the name starts with the rule's number.
@Suite struct IdentityRules {
  @Test("ID-1 an ID is temporary until the save, or until a permanent one is asked for")
  func id1() throws {
    let web = try WebStack()
    let (saved, early) = (try web.node("saved"), try web.node("early"))
    let temporary = saved.objectID
    #expect(temporary.isTemporaryID && temporary.persistentStore == nil)
    try web.context.obtainPermanentIDs(for: [early])
    let permanent = early.objectID
    #expect(!permanent.isTemporaryID && early.isInserted)
    try web.save()
    #expect(!saved.objectID.isTemporaryID && saved.objectID != temporary)
    #expect(early.objectID == permanent && temporary.isTemporaryID)
    let other = web.stack.container.newBackgroundContext()
    let unsaved = #expect(throws: NSError.self) { try other.existingObject(with: temporary) }
    #expect(unsaved?.localizedDescription.hasPrefix("The temporary ID") == true)
    #expect(try other.existingObject(with: permanent).value(forKey: "name") as? String == "early")
  }

  @Test("ID-1 IDs of another coordinator name objects of the same store, and of no other")
  func foreignIDs() throws {
    let (here, there) = (try LibraryStack(), try LibraryStack())
    for (stack, names) in [(here, ["a", "b"]), (there, ["x", "y"])] {
      for name in names { _ = stack.make("Tag", ["name": name]) }
      try stack.context.save()
    }
    let mine = try here.reread("Tag").map(\.objectID)
    #expect(there.context.registeredObject(for: mine[0]) == nil)
    let error = #expect(throws: NSError.self) { try there.context.existingObject(with: mine[0]) }
    #expect(error?.code == NSManagedObjectReferentialIntegrityError)
    #expect(error?.localizedDescription.contains("has no meaning in this context") == true)
    try there.context.execute(NSBatchDeleteRequest(objectIDs: mine))
    #expect(try there.texts("Tag", "name") == ["x", "y"])
    let second = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    try second.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let url = try #require(here.container.persistentStoreDescriptions.first?.url)
    try second.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = second
    let object = try context.performAndWait { try context.existingObject(with: mine[1]) }
    let name = context.performAndWait { object.value(forKey: "name") as? String }
    let same = try here.context.existingObject(with: mine[1])
    #expect(name != nil && name == same.value(forKey: "name") as? String)
    let unsaved = here.make("Tag").objectID
    #expect(unsaved.isTemporaryID)
    for ids in [[unsaved], mine + [unsaved]] {
      try context.performAndWait { _ = try context.execute(NSBatchDeleteRequest(objectIDs: ids)) }
    }
    #expect(try here.texts("Tag", "name").isEmpty)
  }

  @Test("ID-2 URIs name store, concrete entity and number, and find back without asking for rows")
  func id2() throws {
    let web = try WebStack()
    let leaf = try web.node("leaf", "Leaf")
    let temporary = leaf.objectID.uriRepresentation().absoluteString
    #expect(temporary.hasPrefix("x-coredata:///Leaf/t"))
    try web.save()
    let coordinator = web.stack.container.persistentStoreCoordinator
    let store = try #require(coordinator.persistentStores.first)
    let uri = leaf.objectID.uriRepresentation()
    #expect(uri.absoluteString == "x-coredata://\(store.identifier ?? "")/Leaf/p1")
    #expect(coordinator.managedObjectID(forURIRepresentation: uri) == leaf.objectID)
    let missing = try #require(URL(string: uri.absoluteString + "999"))
    #expect(coordinator.managedObjectID(forURIRepresentation: missing) != nil)
    let foreign = try #require(URL(string: "x-coredata://\(UUID().uuidString)/Leaf/p1"))
    #expect(coordinator.managedObjectID(forURIRepresentation: foreign) == nil)
    // The same by the URI's text.
    #expect(coordinator.managedObjectID(for: uri.absoluteString) == leaf.objectID)
    for text in [foreign.absoluteString, temporary, "no URI", ""] {
      #expect(coordinator.managedObjectID(for: text) == nil, "\(text)")
    }
  }

  @Test("FA-10 the faults of a fetched array fire without a statement")
  func fa10() throws {
    let stack = try LibraryStack()
    for number in 0..<100 { _ = stack.make("Book", ["title": "\(number)"]) }
    try stack.context.save()
    let store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first)
    let context = stack.container.newBackgroundContext()
    let books = try stack.reread("Book", in: context)
    #expect(books.count == 100 && books.allSatisfy(\.isFault))
    let before = store.statements.counts.started
    #expect(Set(books.compactMap { $0.text("title") }).count == 100)
    #expect(store.statements.counts.started == before && !books.contains(where: \.isFault))
  }

  @Test("ID-3 a context holds one object for each ID")
  func id3() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let node = try web.node("a")
    try web.save()
    #expect(web.context.object(with: node.objectID) === node)
    #expect(try web.reread("a", in: web.context) === node)
    let other = web.stack.container.newBackgroundContext()
    let copy = try web.reread("a", in: other)
    #expect(try other.existingObject(with: node.objectID) === copy && copy !== node)
  }

  @Test("FA-1 object(with:) never asks the store; existingObject(with:) loads or throws 133000")
  func fa1() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let node = try web.node("a")
    try web.save()
    let context = web.stack.container.newBackgroundContext()
    var fault: NSManagedObject?
    let free = try web.statements {
      #expect(context.registeredObject(for: node.objectID) == nil)
      fault = context.object(with: node.objectID)
      #expect(context.registeredObject(for: node.objectID) === fault)
    }
    #expect(free.isEmpty && fault?.isFault == true)
    let loading = try web.statements { _ = try context.existingObject(with: node.objectID) }
    #expect(loading.count == 1)
    #expect(fault?.isFault == false)
    web.context.delete(node)
    let id = node.objectID
    let unsaved = #expect(throws: NSError.self) { try web.context.existingObject(with: id) }
    #expect(unsaved?.localizedDescription.contains("has been deleted in this context") == true)
    try web.save()
    let third = web.stack.container.newBackgroundContext()
    let error = #expect(throws: NSError.self) { try third.existingObject(with: id) }
    #expect(error?.code == NSManagedObjectReferentialIntegrityError)
    #expect(error?.localizedDescription.hasPrefix("The store has no object") == true)
    let coordinator = web.stack.container.persistentStoreCoordinator
    try coordinator.remove(try #require(coordinator.persistentStores.first))
    let removed = #expect(throws: NSError.self) { try third.existingObject(with: id) }
    #expect(removed?.localizedDescription.contains("has been removed from the coordinator") == true)
  }

  @Test(
    "FA-2 a fault whose row vanished is a deleted object without values, which nothing validates"
  )
  func fa2() throws {
    let model = Web.model()
    model.entitiesByName["Node"]?.attributesByName["name"]?.isOptional = false
    model.entitiesByName["Node"]?.relationshipsByName["items"]?.deleteRule = .denyDeleteRule
    let stack = try LibraryStack(model: model)
    #expect(stack.context.shouldDeleteInaccessibleFaults)
    let node = stack.make("Node", ["name": "a"])
    try stack.context.save()
    let context = stack.container.newBackgroundContext()
    let orphan = try #require(context.object(with: node.objectID) as? Node)
    stack.context.delete(node)
    try stack.context.save()
    #expect(orphan.name == nil && orphan.rank == 0 && orphan.isDeleted && !orphan.isFault)
    #expect(context.deletedObjects == [orphan] && orphan.children?.count == 0)
    orphan.rank = 3
    try context.save()
    #expect(orphan.managedObjectContext == nil && !context.hasChanges)
  }

  @Test("FA-2 the context can be asked what to do with such a fault")
  func fa2Asked() throws {
    final class Asked: NSManagedObjectContext, @unchecked Sendable {
      // Unchecked: used on one thread.
      var asked: [String] = []
      override func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject,
        for oid: NSManagedObjectID,
        triggeredByProperty property: NSPropertyDescription?
      ) -> Bool {
        asked.append("\(oid == fault.objectID) \(property?.name ?? "-")")
        return true
      }
    }
    let web = try WebStack(NSSQLiteStoreType)
    let (first, second) = (try web.node("a"), try web.node("b"))
    try web.save()
    let context = Asked(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = web.stack.container.persistentStoreCoordinator
    context.shouldDeleteInaccessibleFaults = false
    let faults = [first, second].compactMap { context.object(with: $0.objectID) as? Node }
    web.context.delete(first)
    web.context.delete(second)
    try web.save()
    // What returns an error asks nobody.
    #expect(throws: NSError.self) { try context.existingObject(with: first.objectID) }
    #expect(context.asked.isEmpty && faults[0].isFault)
    #expect(faults[0].rank == 0 && faults[1].value(forKey: "name") == nil)
    #expect(context.asked == ["true rank", "true name"])
  }

  @Test("FA-2 without that the program stops")
  func fa2Stops() async throws {
    let result = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let web = try WebStack(NSInMemoryStoreType)
      let node = try web.node("a")
      try web.save()
      let context = web.stack.container.newBackgroundContext()
      context.shouldDeleteInaccessibleFaults = false
      let fault = context.object(with: node.objectID)
      web.context.delete(node)
      try web.save()
      _ = fault.value(forKey: "name")
    }
    let output = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(output.contains("CoreData could not fulfill a fault"))
  }

  @Test("FA-3 a fetched fault fires without a statement, unless staleness forbids it")
  func fa3() throws {
    let web = try WebStack(NSSQLiteStoreType)
    _ = try web.node("a")
    try web.save()
    let context = web.stack.container.newBackgroundContext()
    #expect(context.stalenessInterval == -1)
    let copy = try web.reread("a", in: context)
    #expect(copy.isFault)
    let free = try web.statements { #expect(copy.rank == 7) }
    #expect(free.isEmpty)
    let careful = web.stack.container.newBackgroundContext()
    careful.stalenessInterval = 0
    let second = try web.reread("a", in: careful)
    let original = try web.reread("a", in: web.context)
    original.rank = 8
    try web.save()
    let asking = try web.statements { #expect(second.rank == 8) }
    #expect(asking.count == 1)
  }

  @Test(
    "FA-4 a refresh reads what was written beside the contexts, whatever the staleness"
  )
  func fa4() throws {
    let stack = try LibraryStack()
    let book = stack.make("Book", ["title": "a"])
    try stack.context.save()
    let url = try #require(stack.container.persistentStoreDescriptions.first?.url)
    try SQLFile(url: url).run("UPDATE ZBOOK SET ZTITLE = 'b', Z_OPT = Z_OPT + 1")
    #expect(book.text("title") == "a" && stack.context.stalenessInterval == -1)
    stack.context.refresh(book, mergeChanges: true)
    #expect(book.text("title") == "b")
    try SQLFile(url: url).run("UPDATE ZBOOK SET ZTITLE = 'c', Z_OPT = Z_OPT + 1")
    stack.context.refresh(book, mergeChanges: false)
    #expect(book.text("title") == "c")
  }

  @Test("FA-5 a refresh drops or keeps unsaved changes; refreshAllObjects keeps them")
  func fa5() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let (node, clean) = (try web.node("a"), try web.node("clean"))
    try web.save()
    let other = try web.reread("a")
    other.rank = 20
    try other.managedObjectContext?.save()
    node.name = "changed"
    web.context.refresh(node, mergeChanges: true)
    #expect(node.name == "changed" && node.rank == 20 && node.isUpdated)
    let refreshing = try web.statements { web.context.refreshAllObjects() }
    #expect(refreshing.count == 1)
    #expect(clean.isFault && !node.isFault && node.name == "changed")
    web.context.refresh(node, mergeChanges: false)
    #expect(node.isFault && !node.hasChanges && !web.context.hasChanges)
    #expect(node.name == "a" && node.rank == 20)
  }

  @Test("FA-5 a refresh that drops a relationship change drops it on the other side too")
  func fa5Relationships() throws {
    let web = try WebStack()
    let (first, second, child) = (
      try web.node("first"), try web.node("second"), try web.node("child")
    )
    child.parent = first
    try web.save()
    child.parent = second
    web.context.refresh(child, mergeChanges: false)
    #expect(first.kids == [child] && second.children?.count == 0 && child.parent === first)
    second.addToChildren(child)
    web.context.refresh(second, mergeChanges: false)
    #expect(child.parent == nil && first.children?.count == 0)
  }

  @Test("FA-6 a new object is not refreshed")
  func fa6() throws {
    let web = try WebStack()
    let node = try web.node("a")
    web.context.refresh(node, mergeChanges: false)
    #expect(!node.isFault && node.name == "a" && node.isInserted)
  }

  @Test("FA-7 a to-many is a fault of its own, and each destination another")
  func fa7() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let parent = try web.node("parent")
    for name in ["x", "y", "z"] { try web.node(name).parent = parent }
    try web.save()
    let copy = try web.reread("parent")
    #expect(copy.rank == 7 && copy.hasFault(forRelationshipNamed: "children"))
    var children: [NSManagedObject] = []
    let statements = try web.statements { children = copy.destinations("children") }
    #expect(statements.count == 1, "the members with their rows")
    #expect(children.count == 3 && children.allSatisfy(\.isFault))
    #expect(!copy.hasFault(forRelationshipNamed: "children"))
    let free = try web.statements { #expect(children.names.sorted() == ["x", "y", "z"]) }
    #expect(free.isEmpty)
  }

  @Test("FA-8 unchanged objects are held weakly, unless the context is told to keep them")
  func fa8() throws {
    let web = try WebStack(NSSQLiteStoreType)
    for name in ["a", "b"] { _ = try web.node(name) }
    #expect(web.context.registeredObjects.count == 2, "new objects are held")
    try web.context.performAndWait { try web.save() }
    #expect(web.context.registeredObjects.isEmpty && !web.context.retainsRegisteredObjects)
    try web.reread("a", in: web.context).rank = 9
    web.context.delete(try web.reread("b", in: web.context))
    #expect(web.context.registeredObjects.count == 2, "changed and deleted ones too")
    web.context.rollback()
    #expect(web.context.registeredObjects.isEmpty)
    let context = web.stack.container.newBackgroundContext()
    context.retainsRegisteredObjects = true
    _ = try web.reread("a", in: context)
    #expect(context.registeredObjects.count == 1)
    context.retainsRegisteredObjects = false
    #expect(context.registeredObjects.isEmpty)
    context.retainsRegisteredObjects = true
    _ = try web.reread("b", in: context).rank
    context.reset()
    #expect(context.registeredObjects.isEmpty)
  }

  @Test("FA-9 a fetch leaves the values of realised objects alone")
  func fa9() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let node = try web.node("a")
    try web.save()
    let other = try web.reread("a")
    other.rank = 20
    try other.managedObjectContext?.save()
    #expect(try web.reread("a", in: web.context) === node && node.rank == 7)
  }
}
