// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// `docs/reference/behaviour.md` §4, delete rules: the name starts with the rule's number.
@Suite struct DeletionRules {
  @Test(
    "DEL-1 nullify clears the inverse, cascade deletes, deny blocks, no action does nothing",
    arguments: [NSSQLiteStoreType, NSInMemoryStoreType]
  )
  func del1(type: String) throws {
    let model = Web.model()
    let node = try #require(model.entitiesByName["Node"])
    node.relationshipsByName["items"]?.deleteRule = .cascadeDeleteRule
    node.relationshipsByName["groups"]?.deleteRule = .denyDeleteRule
    node.relationshipsByName["children"]?.deleteRule = .noActionDeleteRule
    let stack = try LibraryStack(type, model: model)
    let parent = stack.make("Node", ["name": "parent"])
    let friend = stack.make("Node", ["name": "friend", "friends": Set([parent])])
    let child = stack.make("Node", ["name": "child", "parent": parent])
    _ = stack.make("Thing", ["name": "item", "owner": parent])
    let group = stack.make("Group", ["name": "group"])
    group.setValue(NSOrderedSet(object: parent), forKey: "members")
    try stack.context.save()
    stack.context.delete(parent)
    let error = #expect(throws: NSError.self) { try stack.context.save() }
    #expect(error?.code == NSValidationRelationshipDeniedDeleteError)
    #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "groups")
    group.setValue(NSOrderedSet(), forKey: "members")
    let id = parent.objectID
    try stack.context.save()
    #expect(friend.destinations("friends").isEmpty)
    #expect(try stack.reread("Thing").isEmpty)
    #expect(child.managedObjectContext != nil && !child.isDeleted)
    // The child goes on pointing to where nothing is, and can be mended.
    #expect((child.value(forKey: "parent") as? NSManagedObject)?.objectID == id)
    let copy = try #require(stack.reread("Node").first { $0.text("name") == "child" })
    let nothing = try #require(copy.value(forKey: "parent") as? NSManagedObject)
    #expect(nothing.value(forKey: "name") == nil && nothing.isDeleted)
    child.setValue(nil, forKey: "parent")
    try stack.context.save()
    #expect(try stack.reread("Node").allSatisfy { $0.value(forKey: "parent") == nil })
  }

  @Test("DEL-1 cascades go round in cycles once")
  func del1Cycle() throws {
    let model = Web.model()
    let node = try #require(model.entitiesByName["Node"])
    node.relationshipsByName["next"]?.deleteRule = .cascadeDeleteRule
    node.relationshipsByName["friends"]?.deleteRule = .cascadeDeleteRule
    let stack = try LibraryStack(NSSQLiteStoreType, model: model)
    let nodes = (0..<5).map { stack.make("Node", ["name": "\($0)"]) }
    for (index, one) in nodes.enumerated() { one.setValue(nodes[(index + 1) % 5], forKey: "next") }
    nodes[0].setValue(Set(nodes), forKey: "friends")
    try stack.context.save()
    let other = stack.container.newBackgroundContext()
    other.delete(try #require(stack.reread("Node", in: other).first))
    try other.save()
    #expect(try stack.reread("Node").isEmpty)
  }

  @Test("DEL-2 deletions reach others at the end of the event, or at the save")
  func del2() throws {
    let web = try WebStack()
    let (parent, child) = (try web.node("parent"), try web.node("child"))
    child.parent = parent
    try web.save()
    #expect(web.context.propagatesDeletesAtEndOfEvent)
    web.context.delete(parent)
    #expect(child.parent === parent)
    web.context.processPendingChanges()
    #expect(child.parent == nil && child.isUpdated)
    web.context.rollback()
    web.context.propagatesDeletesAtEndOfEvent = false
    web.context.delete(parent)
    web.context.processPendingChanges()
    #expect(child.parent === parent)
    try web.save()
    #expect(child.parent == nil)
    #expect(try web.reread("child").parent == nil)
  }

  @Test("DEL-3 deny is satisfied where the destinations are deleted too")
  func del3() throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let book = stack.make("Book", ["title": "Momo"])
    let cover = stack.make("Cover", ["colour": "grey", "book": book])
    try stack.context.save()
    #expect(throws: NSError.self) { try cover.validateForDelete() }
    stack.context.delete(cover)
    stack.context.delete(book)
    try cover.validateForDelete()
    try stack.context.save()
    #expect(try stack.reread("Cover").isEmpty && stack.reread("Book").isEmpty)
  }

  @Test("DEL-4 a deleted object keeps its attributes until the save; its relationships are cleared")
  func del4() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let (parent, child) = (try web.node("parent"), try web.node("child"))
    child.parent = parent
    try web.save()
    web.context.delete(parent)
    web.context.processPendingChanges()
    #expect(parent.name == "parent" && parent.rank == 7 && parent.children?.count == 0)
  }

  @Test("DEL-5 deleted objects are those of the store; no fetch of the context finds them")
  func del5() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let (saved, fresh) = (try web.node("saved"), try web.node("fresh"))
    web.context.delete(fresh)
    try web.save()
    let third = try web.node("third")
    web.context.delete(third)
    web.context.delete(saved)
    #expect(web.context.deletedObjects == [saved])
    #expect(try web.stack.reread("Node", in: web.context).isEmpty)
    #expect(try web.stack.reread("Node").count == 1, "the store still has it")
  }

  @Test("DEL-6 a rollback brings deleted objects back with their relationships")
  func del6() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let (parent, child) = (try web.node("parent"), try web.node("child"))
    child.parent = parent
    parent.items = NSOrderedSet(array: [web.thing("1"), web.thing("2")])
    try web.save()
    web.context.delete(parent)
    web.context.processPendingChanges()
    web.context.rollback()
    #expect(!parent.isDeleted && parent.kids == [child] && child.parent === parent)
    #expect(parent.destinations("items").names == ["1", "2"] && !web.context.hasChanges)
  }

  @Test("Deleting many objects takes as many statements as deleting few")
  func bounded() throws {
    let few = try statementsToDelete(4)
    let many = try statementsToDelete(200)
    #expect(many == few, "reads of the deletion of 4 and of 200 objects")
    #expect(many <= 12)
  }

  /// Reads until the deletions of `count` objects with full to-manys are propagated.
  private func statementsToDelete(_ count: Int) throws -> Int {
    let model = Library.model()
    let stack = try LibraryStack(NSSQLiteStoreType, model: model)
    for number in 0..<count {
      let author = stack.make("Author", ["name": "\(number)"])
      for part in 0..<2 {
        let book = stack.make("Book", ["title": "\(number)/\(part)", "author": author])
        _ = stack.make("Chapter", ["name": "\(number)", "book": book])
        stack.make("Tag", ["name": "\(number)"]).setValue(Set([book]), forKey: "books")
      }
    }
    try stack.context.save()
    let store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first)
    let context = stack.container.newBackgroundContext()
    let authors = try stack.reread("Author", in: context)
    let before = store.statements.counts.started
    for author in authors { context.delete(author) }
    context.processPendingChanges()
    let reads = store.statements.counts.started - before
    try context.save()
    #expect(try stack.reread("Book").isEmpty && stack.reread("Chapter").isEmpty)
    #expect(try stack.reread("Tag").allSatisfy { $0.destinations("books").isEmpty })
    return reads
  }
}
