// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// `docs/reference/behaviour.md` §4, relationships: the name starts with the rule's number.
@Suite struct RelationshipRules {
  @Test("REL-1 either side mends the other; a former partner is unlinked")
  func rel1() throws {
    let web = try WebStack()
    let (a, b, c) = (try web.node("a"), try web.node("b"), try web.node("c"))
    a.parent = b
    #expect(b.kids == [a])
    a.parent = c
    #expect(b.children?.count == 0 && c.kids == [a])
    b.addToChildren(a)
    #expect(a.parent === b && c.children?.count == 0)
    b.children = nil
    #expect(a.parent == nil)
  }

  @Test(
    "REL-1 a one-to-one partner is stolen, between two properties and one that is its own inverse"
  )
  func rel1Stealing() throws {
    let web = try WebStack()
    let nodes = try ["a", "b", "c", "d"].map { try web.node($0) }
    nodes[0].spouse = nodes[1]
    #expect(nodes[1].spouse === nodes[0])
    nodes[2].spouse = nodes[1]
    #expect(nodes[0].spouse == nil && nodes[1].spouse === nodes[2])
    nodes[0].spouse = nodes[3]
    nodes[0].spouse = nodes[2]
    #expect(nodes[1].spouse == nil && nodes[3].spouse == nil && nodes[2].spouse === nodes[0])
    nodes[0].setValue(nodes[1], forKey: "next")
    nodes[1].setValue(nodes[2], forKey: "next")
    nodes[3].setValue(nodes[2], forKey: "next")
    #expect(nodes[1].value(forKey: "next") == nil)
    #expect(nodes[2].value(forKey: "previous") as? Node === nodes[3])
    nodes[0].setValue(nodes[0], forKey: "next")
    #expect(nodes[0].value(forKey: "previous") as? Node === nodes[0], "a cycle of one")
    #expect(nodes[1].value(forKey: "previous") == nil)
    try web.save()
    let copy = try web.reread("c")
    #expect((copy.value(forKey: "previous") as? Node)?.name == "d")
  }

  @Test("REL-2 members change by accessors, proxies and whole sets; a returned set is a copy")
  func rel2() throws {
    let web = try WebStack()
    let parent = try web.node("parent")
    let children = try ["x", "y", "z"].map { try web.node($0) }
    parent.addToChildren(children[0])
    let proxy = parent.mutableSetValue(forKey: "children")
    proxy.add(children[1])
    proxy.add(children[1])
    #expect(children[1].parent === parent && proxy.count == 2 && proxy.contains(children[0]))
    let copy = try #require((parent.children?.mutableCopy() as? NSMutableSet))
    copy.add(children[2])
    #expect(children[2].parent == nil && parent.children?.count == 2)
    // The proxy follows what happens elsewhere.
    children[2].parent = parent
    #expect(proxy.count == 3 && Set(proxy.allObjects.compactMap { $0 as? Node }) == Set(children))
    proxy.minus([children[0]])
    proxy.remove(children[1])
    #expect(children.map { $0.parent === parent } == [false, false, true])
    proxy.setSet([children[0]])
    #expect(children.map { $0.parent === parent } == [true, false, false])
    proxy.union([children[1]])
    proxy.intersect([children[1]])
    #expect(parent.kids == [children[1]] && proxy.isEqual(NSSet(object: children[1])))
    #expect(proxy.map { $0 as? Node } == [children[1]])
    proxy.removeAllObjects()
    #expect(children.allSatisfy { $0.parent == nil } && proxy.anyObject() == nil)
  }

  @Test("A collection of objects sets a property of all of them, inverses included")
  func broadcasting() throws {
    let web = try WebStack()
    let (parent, children) = (try web.node("p"), try ["x", "y"].map { try web.node($0) })
    NSArray(array: children).setValue(parent, forKey: "parent")
    #expect(parent.kids == Set(children))
    try #require(parent.children).setValue(4, forKey: "rank")
    NSOrderedSet(array: [children[0]]).setValue("z", forKey: "name")
    #expect(children.map(\.rank) == [4, 4] && children.map(\.name) == ["z", "y"])
  }

  @Test(
    "REL-3 ordered members have no duplicates; their order is stored",
    arguments: [
      NSSQLiteStoreType, NSInMemoryStoreType,
    ]
  )
  func rel3(type: String) throws {
    let web = try WebStack(type)
    let node = try web.node("a")
    let things = ["1", "2", "3", "4"].map { web.thing($0) }
    node.items = NSOrderedSet(array: things)
    node.insertIntoItems(things[3], at: 0)
    node.addToItems(things[0])
    #expect(node.destinations("items").names == ["1", "2", "3", "4"], "inserting is not moving")
    try web.save()
    let proxy = node.mutableOrderedSetValue(forKey: "items")
    proxy.moveObjects(at: [3], to: 0)
    try web.save()
    #expect(try web.reread("a").destinations("items").names == ["4", "1", "2", "3"])
    // Both sides of a many-to-many, one of them ordered.
    let group = web.stack.make("Group", ["name": "g"])
    let members = try ["x", "y", "z"].map { try web.node($0) }
    group.setValue(NSOrderedSet(array: members.reversed()), forKey: "members")
    try web.save()
    let member = try web.reread("x")
    let copy = try #require(member.destinations("groups").first)
    #expect(copy.destinations("members").names == ["z", "y", "x"])
  }

  @Test(
    "REL-3 both sides of a relationship can be ordered, each with its own order",
    arguments: [NSSQLiteStoreType, NSInMemoryStoreType]
  )
  func rel3BothSides(type: String) throws {
    let model = Web.model()
    model.entitiesByName["Node"]?.relationshipsByName["groups"]?.isOrdered = true
    let stack = try LibraryStack(type, model: model)
    let groups = ["1", "2", "3"].map { stack.make("Group", ["name": $0]) }
    let nodes = ["x", "y"].map { stack.make("Node", ["name": $0]) }
    nodes[0].setValue(NSOrderedSet(array: [groups[2], groups[0], groups[1]]), forKey: "groups")
    nodes[1].setValue(NSOrderedSet(array: [groups[1], groups[2]]), forKey: "groups")
    groups[2].setValue(NSOrderedSet(array: nodes.reversed()), forKey: "members")
    try stack.context.save()
    func order(_ entity: String, _ name: String, _ key: String) throws -> [String] {
      try stack.reread(entity).first { $0.text("name") == name }?.destinations(key).names ?? []
    }
    #expect(try order("Node", "x", "groups") == ["3", "1", "2"])
    #expect(try order("Node", "y", "groups") == ["2", "3"])
    #expect(try order("Group", "3", "members") == ["y", "x"])
    #expect(try order("Group", "2", "members") == ["x", "y"])
    nodes[0].mutableOrderedSetValue(forKey: "groups").moveObjects(at: [2], to: 0)
    try stack.context.save()
    #expect(try order("Node", "x", "groups") == ["2", "3", "1"])
    #expect(try order("Group", "3", "members") == ["y", "x"])
  }

  @Test("REL-4 generated accessors of ordered relationships work at every index")
  func rel4() throws {
    let web = try WebStack()
    let node = try web.node("a")
    let things = ["1", "2", "3", "4", "5", "6"].map { web.thing($0) }
    let order = { node.destinations("items").names.joined() }
    node.addToItems(things[0])
    node.insertIntoItems(things[1], at: 0)
    node.insertIntoItems([things[2], things[3]], at: NSIndexSet(indexesIn: NSRange(1...2)))
    #expect(order() == "2341")
    node.removeFromItems(at: 1)
    #expect(order() == "241" && things[2].value(forKey: "owner") == nil)
    node.replaceItems(at: 0, with: things[4])
    #expect(order() == "541" && things[1].value(forKey: "owner") == nil)
    node.replaceItems(at: NSIndexSet(indexesIn: NSRange(0...1)), with: [things[5], things[2]])
    #expect(order() == "631" && things[5].value(forKey: "owner") as? Node === node)
    node.removeFromItems(at: NSIndexSet(indexesIn: NSRange(0...1)))
    node.removeFromItems(things[0])
    #expect(order() == "" && things.allSatisfy { $0.value(forKey: "owner") == nil })
  }

  @Test("REL-4 the ordered proxy writes through and follows")
  func rel4Proxy() throws {
    let web = try WebStack()
    let node = try web.node("a")
    let things = ["1", "2", "3", "4", "5"].map { web.thing($0) }
    try web.save()
    let proxy = node.mutableOrderedSetValue(forKey: "items")
    let order = { () -> String in
      let shown = proxy.array.compactMap { $0 as? NSManagedObject }.names.joined()
      #expect(node.destinations("items").names.joined() == shown)
      #expect(proxy.compactMap { $0 as? NSManagedObject }.names.joined() == shown)
      #expect(proxy.count == shown.count)
      return shown
    }
    proxy.addObjects(from: Array(things[0...2]))
    proxy.insert(things[3], at: 1)
    #expect(order() == "1423")
    proxy.exchangeObject(at: 0, withObjectAt: 3)
    #expect(order() == "3421")
    proxy.sort { left, right in
      let names = [left, right].compactMap {
        ($0 as? NSManagedObject)?.value(forKey: "name") as? String
      }
      return names[0] < names[1] ? .orderedAscending : .orderedDescending
    }
    #expect(order() == "1234")
    proxy.removeObject(at: 0)
    proxy.remove(things[1])
    proxy.replaceObject(at: 0, with: things[4])
    #expect(order() == "54" && things[2].value(forKey: "owner") == nil)
    things[0].setValue(node, forKey: "owner")
    #expect(order() == "541", "a change from the other side")
    web.context.rollback()
    #expect(proxy.count == 0)
  }

  @Test("REL-5 places start at 2048 with gaps; a moved member's place is the only one written")
  func rel5() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let node = try web.node("a")
    let things = (0..<20).map { web.thing("\($0)") }
    node.items = NSOrderedSet(array: things)
    try web.save()
    let store = try #require(
      web.stack.container.persistentStoreCoordinator.persistentStores.first
    )
    node.mutableOrderedSetValue(forKey: "items").moveObjects(at: [19], to: 3)
    let before = store.statements.counts.started
    let texts = try web.statements { try web.save() }
    let places = texts.filter { $0.contains("SET Z_FOK_OWNER = ?") }
    #expect(places.count == 1, "\(texts)")
    #expect(store.statements.counts.started - before < 6)
    let stored = try SQLFile(url: try #require(store.url))
      .texts("SELECT Z_FOK_OWNER FROM ZTHING ORDER BY Z_FOK_OWNER")
    #expect(stored.prefix(5) == ["2048", "3072", "4096", "4608", "5120"])
    #expect(
      try web.reread("a").destinations("items").names.prefix(5) == ["0", "1", "2", "19", "3"]
    )
  }

  @Test("REL-6 both ends of a changed relationship are updated, and their rows get a new version")
  func rel6() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let (parent, child) = (try web.node("parent"), try web.node("child"))
    try web.save()
    let other = try web.reread("parent")
    #expect(other.rank == 7)
    child.parent = parent
    #expect(web.context.updatedObjects == [parent, child])
    try web.save()
    // The owner's row counts as changed: who changes it too is in conflict.
    other.rank = 8
    let error = #expect(throws: NSError.self) { try other.managedObjectContext?.save() }
    let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
    #expect(conflicts?.first?.sourceObject === other)
    #expect(conflicts?.first?.oldVersionNumber == 1 && conflicts?.first?.newVersionNumber == 2)
  }

  @Test("REL-6 an owner that is a fault gets its new version and its members as well")
  func rel6Fault() throws {
    let web = try WebStack(NSSQLiteStoreType)
    _ = try web.node("child")
    let parent = try web.node("parent").objectID
    let group = web.stack.make("Group", ["name": "g"])
    try web.save()
    let permanent = try #require(try web.reread("parent").objectID as NSManagedObjectID?)
    #expect(parent.isTemporaryID)
    let context = web.stack.container.newBackgroundContext()
    let child = try web.reread("child", in: context)
    let owner = context.object(with: permanent)
    child.setValue(owner, forKey: "parent")
    child.mutableSetValue(forKey: "groups").add(context.object(with: group.objectID))
    #expect(owner.isFault && context.updatedObjects.count == 3)
    try context.save()
    let copy = try web.reread("child")
    #expect(copy.destinations("groups").names == ["g"])
    #expect(copy.parent?.kids == [copy])
    let url = try #require(try web.stack.store.url)
    #expect(try SQLFile(url: url).texts("SELECT Z_OPT FROM ZNODE ORDER BY ZNAME") == ["2", "2"])
    #expect(try SQLFile(url: url).texts("SELECT Z_OPT FROM ZGROUP") == ["2"])
  }

  @Test(
    "REL-2 relationships without inverse are kept as they are",
    arguments: [
      NSSQLiteStoreType, NSInMemoryStoreType,
    ]
  )
  func withoutInverse(type: String) throws {
    let web = try WebStack(type)
    let node = try web.node("a")
    let things = ["1", "2", "3"].map { web.thing($0) }
    node.setValue(things[0], forKey: "favourite")
    node.mutableSetValue(forKey: "likes").addObjects(from: Array(things[1...2]))
    try web.save()
    let copy = try web.reread("a")
    #expect(copy.destinations("favourite").names == ["1"])
    #expect(copy.destinations("likes").names.sorted() == ["2", "3"])
    copy.mutableSetValue(forKey: "likes").remove(copy.destinations("likes")[0])
    try copy.managedObjectContext?.save()
    #expect(try web.reread("a").destinations("likes").count == 1)
  }

  @Test(
    "REL-1 relationships to oneself and to a sub-entity come back from the store",
    arguments: [
      NSSQLiteStoreType, NSInMemoryStoreType,
    ]
  )
  func toItselfAndBelow(type: String) throws {
    let web = try WebStack(type)
    let (a, b, leaf) = (try web.node("a"), try web.node("b"), try web.node("leaf", "Leaf"))
    a.parent = a
    a.mutableSetValue(forKey: "friends").addObjects(from: [a, b, leaf])
    let group = web.stack.make("Group", ["name": "g"])
    leaf.setValue(group, forKey: "club")
    b.spouse = leaf
    try web.save()
    let copy = try web.reread("a")
    #expect(copy.parent === copy && copy.kids == [copy])
    #expect(copy.destinations("friends").names.sorted() == ["a", "b", "leaf"])
    let friend = try web.reread("leaf", in: copy.managedObjectContext)
    #expect(friend.destinations("friends") == [copy] && friend.entity.name == "Leaf")
    #expect(friend.spouse?.name == "b" && friend.spouse?.spouse === friend)
    let club = try #require(friend.value(forKey: "club") as? NSManagedObject)
    #expect(club.destinations("leaves") == [friend])
  }
}
