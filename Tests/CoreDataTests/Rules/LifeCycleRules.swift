// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// `docs/reference/behaviour.md` §2: one test for each rule; the name starts with the rule's number.
@Suite struct LifeCycleRules {
  @Test("MO-1 a new object has defaults, a temporary ID, and awakes from insertion once")
  func mo1() throws {
    let web = try WebStack()
    let node = try web.node("a")
    #expect(node.rank == 7 && node.objectID.isTemporaryID && node.isInserted)
    #expect(web.context.registeredObject(for: node.objectID) === node)
    try web.save()
    node.name = "b"
    try web.save()
    #expect(web.hooks.count("awakeFromInsert") == 1)
  }

  @Test("MO-1 an object of no context is tracked once it is inserted")
  func mo1Unmanaged() throws {
    let web = try WebStack()
    let entity = try #require(NSEntityDescription.entity(forEntityName: "Node", in: web.context))
    let parent = Node(entity: entity, insertInto: nil)
    let child = Node(entity: entity, insertInto: nil)
    child.name = "child"
    child.parent = parent
    #expect(child.managedObjectContext == nil && !child.isInserted && !child.hasChanges)
    #expect(child.rank == 7 && child.name == "child" && child.parent === parent)
    #expect(parent.children?.count == 0, "the inverse is not mended")
    #expect(web.hooks.log.isEmpty && !web.context.hasChanges)
    web.context.insert(parent)
    web.context.insert(child)
    #expect(web.hooks.log == ["awakeFromInsert", "awakeFromInsert"])
    #expect(child.isInserted && child.name == "child" && parent.children?.contains(child) == true)
    try web.save()
    #expect(try web.reread("child").parent != nil)
  }

  @Test("MO-2 rollback and refresh awake from snapshot events, not from insertion")
  func mo2() throws {
    let web = try WebStack()
    let node = try web.node("a")
    try web.save()
    web.hooks.log = []
    node.name = "b"
    web.context.rollback()
    #expect(web.hooks.log == ["awake \(NSSnapshotEventType.rollback.rawValue)"])
    web.context.delete(node)
    web.context.rollback()
    #expect(web.hooks.log.last == "awake 16" && web.hooks.count("awakeFromInsert") == 0)
    web.context.refresh(node, mergeChanges: true)
    #expect(web.hooks.log.last == "awake \(NSSnapshotEventType.refresh.rawValue)")
    #expect(NSSnapshotEventType.undoInsertion.rawValue == 2)
    #expect(NSSnapshotEventType.mergePolicy.rawValue == 64)
  }

  @Test("MO-3 awakeFromFetch runs at each firing; setters in it record nothing, inverses stay")
  func mo3() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let parent = try web.node("parent")
    _ = try web.node("child")
    try web.save()
    let context = web.stack.container.newBackgroundContext()
    let hooks = Hooks(context)
    let other = try web.reread("parent", in: context)
    hooks.reactions["awakeFromFetch"] = { node in
      guard node.name == "child" else { return }
      node.rank = 99
      node.parent = other
    }
    let child = try web.reread("child", in: context)
    #expect(child.rank == 99 && child.parent === other)
    #expect(!child.hasChanges && !context.hasChanges && child.changedValues().isEmpty)
    #expect(other.children?.count == 0)
    context.refresh(child, mergeChanges: false)
    #expect(child.rank == 99)
    #expect(hooks.count("awakeFromFetch") == 2, "the child at each firing")
    #expect(parent.children?.count == 0)
  }

  @Test("MO-4 primitive values set in awakeFromInsert are no changes of the event, and are stored")
  func mo4() throws {
    let web = try WebStack()
    web.hooks.reactions["awakeFromInsert"] = { $0.setPrimitiveValue(42, forKey: "rank") }
    let node = try web.node("a")
    #expect(node.rank == 42 && node.changedValues().keys.sorted() == ["name", "rank"])
    #expect(node.changedValuesForCurrentEvent().keys.sorted() == ["name"])
    try web.save()
    #expect(try web.reread("a").rank == 42)
  }

  @Test("MO-9 a primitive value is read without firing the fault")
  func mo9Primitive() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let (node, child) = (try web.node("a"), try web.node("child"))
    child.parent = node
    try web.save()
    web.context.refresh(node, mergeChanges: false)
    #expect(node.isFault)
    for key in ["name", "rank", "cache", "parent", "children", "items", "friends"] {
      #expect(node.primitiveValue(forKey: key) == nil, "\(key)")
    }
    #expect(node.isFault, "the fault did not fire")
    node.willAccessValue(forKey: "name")
    #expect(!node.isFault && node.primitiveValue(forKey: "name") as? String == "a")
    #expect((node.primitiveValue(forKey: "children") as? NSSet)?.contains(child) == true)
  }

  @Test("MO-5 setPrimitiveValue records no change and mends no inverse")
  func mo5() throws {
    let web = try WebStack()
    let (node, parent) = (try web.node("a"), try web.node("parent"))
    try web.save()
    node.setPrimitiveValue(1, forKey: "rank")
    node.setPrimitiveValue(parent, forKey: "parent")
    #expect(node.rank == 1 && node.parent === parent && parent.children?.count == 0)
    #expect(!node.hasChanges && !web.context.hasChanges && node.changedValues().isEmpty)
    #expect(node.committedValues(forKeys: ["rank"])["rank"] as? Int == 7)
    try web.save()
    #expect(try web.reread("a").rank == 7, "nothing was to be saved")
    // The value goes with the next recorded change of the object.
    node.name = "b"
    #expect(node.changedValues().keys.sorted() == ["name"])
    try web.save()
    #expect(try web.reread("b").rank == 1)
  }

  @Test("MO-6 asking for state and identity fires no fault")
  func mo6() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let id = try { () -> NSManagedObjectID in
      let node = try web.node("a")
      try web.save()
      return node.objectID
    }()
    let context = web.stack.container.newBackgroundContext()
    let statements = try web.statements {
      let node = context.object(with: id)
      #expect(node.isFault && !node.isInserted && !node.isUpdated && !node.isDeleted)
      #expect(!node.hasChanges && node.objectID == id && node.entity.name == "Node")
      #expect(node.managedObjectContext === context && node.faultingState != 0)
      #expect(node.hasFault(forRelationshipNamed: "children") && node.isFault)
    }
    #expect(statements.isEmpty)
  }

  @Test("MO-7 hasChanges is a dirty flag; hasPersistentChangedValues compares")
  func mo7() throws {
    let web = try WebStack()
    let node = try web.node("a")
    try web.save()
    node.name = "a"
    #expect(node.hasChanges && node.isUpdated && !node.hasPersistentChangedValues)
    node.name = "b"
    #expect(node.hasPersistentChangedValues)
    node.name = "a"
    #expect(node.hasChanges && !node.hasPersistentChangedValues)
    try web.save()
    node.cache = "x"
    #expect(node.hasChanges && !node.hasPersistentChangedValues, "transients do not count")
  }

  @Test("MO-8 changed values of the save, of the event, and committed ones")
  func mo8() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let (node, child) = (try web.node("a"), try web.node("child"))
    child.parent = node
    try web.save()
    node.name = "b"
    web.context.processPendingChanges()
    node.rank = 1
    #expect(node.changedValues().keys.sorted() == ["name", "rank"])
    #expect(node.changedValuesForCurrentEvent().keys.sorted() == ["rank"])
    let committed = node.committedValues(forKeys: nil)
    #expect(committed["name"] as? String == "a" && committed["rank"] as? Int == 7)
    #expect(committed["parent"] is NSNull && committed["cache"] == nil, "stored properties only")
    #expect((committed["children"] as? NSSet)?.contains(child) == true)
    #expect(node.committedValues(forKeys: ["name"]).keys.sorted() == ["name"])
    let fresh = try web.node("fresh")
    #expect(fresh.committedValues(forKeys: ["name", "rank"]).isEmpty)
    #expect(fresh.committedValues(forKeys: nil)["name"] == nil)
    #expect(fresh.changedValues().keys.sorted() == ["name"])
    fresh.setPrimitiveValue(Int64(99), forKey: "rank")
    #expect(fresh.changedValues().keys.sorted() == ["name", "rank"], "also what is not recorded")
    // The destination of a changed relationship stays a fault.
    let context = web.stack.container.newBackgroundContext()
    let copy = try web.reread("child", in: context)
    copy.name = "other"
    copy.parent = nil
    let fault = context.object(with: node.objectID)
    copy.parent = fault as? Node
    context.refresh(fault, mergeChanges: false)
    #expect(copy.changedValues()["name"] as? String == "other" && fault.isFault)
  }

  @Test("MO-9 a hand-written accessor between will and did is a change with inverse")
  func mo9() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let (node, parent, second) = (
      try web.node("a"), try web.node("parent"), try web.node("second")
    )
    node.parent = parent
    try web.save()
    node.willChangeValue(forKey: "name")
    node.setPrimitiveValue("b", forKey: "name")
    node.didChangeValue(forKey: "name")
    #expect(node.isUpdated && node.changedValues().keys.sorted() == ["name"])
    node.willChangeValue(forKey: "parent")
    node.setPrimitiveValue(second, forKey: "parent")
    node.didChangeValue(forKey: "parent")
    #expect(parent.children?.count == 0 && second.children?.contains(node) == true)
    second.willChangeValue(forKey: "children", withSetMutation: .minus, using: [node])
    second.setPrimitiveValue(NSSet(), forKey: "children")
    second.didChangeValue(forKey: "children", withSetMutation: .minus, using: [node])
    #expect(node.parent == nil)
    web.context.rollback()
    #expect(node.name == "a" && node.parent === parent)
    // A nil key only fires the fault.
    web.context.refresh(node, mergeChanges: false)
    node.willAccessValue(forKey: nil)
    node.didAccessValue(forKey: nil)
    #expect(!node.isFault)
  }

  @Test("MO-10 a key that is no property goes to the undefined-key methods")
  func mo10() throws {
    let model = Library.model()
    model.entitiesByName["Tag"]?.managedObjectClassName = "AnsweringTag"
    ManagedObjectClasses.register(AnsweringTag.self)
    let stack = try LibraryStack(NSInMemoryStoreType, model: model)
    let tag = stack.make("Tag")
    #expect(tag.value(forKey: "colour") as? String == "no colour")
    tag.setValue(3, forKey: "size")
    #expect(tag.value(forKey: "name") as? String == "size = 3")
  }

  @Test("MO-11 a to-many takes sets of every kind; the inverse follows the difference")
  func mo11() throws {
    let web = try WebStack()
    let node = try web.node("a")
    let children = try ["x", "y", "z"].map { try web.node($0) }
    node.setValue(Set(children[0...1]), forKey: "children")
    node.setValue(NSSet(array: Array(children[1...2])), forKey: "children")
    #expect(children.map { $0.parent === node } == [false, true, true])
    let things = ["1", "2"].map { web.thing($0) }
    node.setValue(NSOrderedSet(array: things.reversed()), forKey: "items")
    #expect(node.destinations("items").names == ["2", "1"])
    node.setValue(nil, forKey: "children")
    #expect(children.allSatisfy { $0.parent == nil })
  }

  @Test("MO-12 a scalar of a nil number reads as zero")
  func mo12() throws {
    let web = try WebStack()
    let node = try web.node("a")
    node.setValue(nil, forKey: "rank")
    #expect(node.rank == 0 && node.value(forKey: "rank") == nil)
  }

  @Test("MO-15 willSave runs before validation, for deletions too, until nothing changes")
  func mo15() throws {
    let web = try WebStack()
    let (kept, gone) = (try web.node("kept"), try web.node("gone"))
    try web.save()
    web.hooks.log = []
    kept.rank = 1
    web.context.delete(gone)
    var made: Node?
    web.hooks.reactions["willSave"] = { node in
      // A guarded setter, an unguarded primitive, and a new object.
      if node === kept, node.rank == 1 { node.rank = 2 }
      if !node.isDeleted { node.setPrimitiveValue("primitive", forKey: "cache") }
      if made == nil { made = try? web.node("made") }
    }
    try web.save()
    #expect(kept.rank == 2 && made?.objectID.isTemporaryID == false)
    #expect(web.hooks.count("willSave") == 5, "two objects, then three once more")
    #expect(web.hooks.log.last == "didSave")
    #expect(try web.reread("kept").rank == 2 && web.reread("made").rank == 7)
  }

  @Test("MO-16 didSave runs for every saved object; a change in it makes the context dirty")
  func mo16() throws {
    let web = try WebStack()
    let (changed, gone) = (try web.node("changed"), try web.node("gone"))
    try web.save()
    web.hooks.log = []
    changed.rank = 1
    web.context.delete(gone)
    let fresh = try web.node("fresh")
    web.hooks.reactions["didSave"] = { if $0 === fresh { $0.rank = 5 } }
    try web.save()
    #expect(web.hooks.count("didSave") == 3)
    #expect(web.context.hasChanges && fresh.isUpdated && !changed.isUpdated)
  }

  @Test("MO-17 prepareForDeletion runs at delete time with relationships, also for cascades")
  func mo17() throws {
    let model = Web.model()
    model.entitiesByName["Node"]?.relationshipsByName["children"]?.deleteRule = .cascadeDeleteRule
    let stack = try LibraryStack(NSInMemoryStoreType, model: model)
    let hooks = Hooks(stack.context)
    let parent = try #require(stack.make("Node", ["name": "parent"]) as? Node)
    let child = try #require(stack.make("Node", ["name": "child", "parent": parent]) as? Node)
    try stack.context.save()
    var seen: [String] = []
    hooks.reactions["prepareForDeletion"] = { node in
      seen.append("\(node.name ?? "") \(node.children?.count ?? 0) \(node.parent?.name ?? "-")")
    }
    stack.context.delete(parent)
    #expect(seen == ["parent 1 -"] && !child.isDeleted)
    stack.context.processPendingChanges()
    #expect(seen == ["parent 1 -", "child 0 parent"] && child.isDeleted)
    stack.context.delete(parent)
    #expect(seen.count == 3, "a second deletion prepares again")
  }

  @Test("MO-18 values can be read in willTurnIntoFault and are gone in didTurnIntoFault")
  func mo18() throws {
    let web = try WebStack()
    let node = try web.node("a")
    try web.save()
    var seen: [String] = []
    web.hooks.log = []
    web.hooks.reactions["willTurnIntoFault"] = { seen.append("\($0.name ?? "") \($0.isFault)") }
    web.hooks.reactions["didTurnIntoFault"] = { seen.append("\($0.isFault)") }
    web.context.refresh(node, mergeChanges: false)
    #expect(seen == ["a false", "true"])
    web.context.refresh(node, mergeChanges: false)
    #expect(seen.count == 2, "it is a fault already")
  }

  @Test("MO-19 a change outside the model counts only where the class asks for it")
  func mo19() throws {
    #expect(NSManagedObject.contextShouldIgnoreUnmodeledPropertyChanges)
    let model = Library.model()
    model.entitiesByName["Tag"]?.managedObjectClassName = "AttentiveTag"
    ManagedObjectClasses.register(AttentiveTag.self)
    let stack = try LibraryStack(NSInMemoryStoreType, model: model)
    let (open, closed) = (stack.make("Tag"), stack.make("Author"))
    try stack.context.save()
    for object in [open, closed] {
      object.willChangeValue(forKey: "extra")
      object.didChangeValue(forKey: "extra")
    }
    #expect(open.isUpdated && !closed.isUpdated && open.changedValues().isEmpty)
    #expect(stack.context.updatedObjects == [open])
    try stack.context.save()
    #expect(!stack.context.hasChanges)
  }

  @Test("MO-20 transient values are changes, are not stored, and outlive a merging refresh")
  func mo20() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let node = try web.node("a")
    try web.save()
    let live = NSObject()
    node.cache = "cached"
    node.setValue(live, forKey: "live")
    #expect(node.hasChanges && web.context.updatedObjects == [node])
    #expect(try web.statements { try web.save() }.isEmpty)
    #expect(web.hooks.count("willSave") == 2 && !node.hasChanges)
    #expect(node.cache == "cached" && node.value(forKey: "live") as? NSObject === live)
    web.context.refresh(node, mergeChanges: true)
    #expect(node.cache == "cached" && node.value(forKey: "live") as? NSObject === live)
    node.rank = 3
    web.context.refresh(node, mergeChanges: true)
    #expect(node.cache == "cached" && node.value(forKey: "live") as? NSObject === live)
    #expect(node.rank == 3)
    web.context.refresh(node, mergeChanges: false)
    #expect(node.cache == nil && node.value(forKey: "live") == nil && node.name == "a")
    #expect(try web.reread("a").cache == nil)
  }

  @Test("MO-20 a rolled back transient has its former value")
  func mo20RolledBack() throws {
    let web = try WebStack()
    let node = try web.node("a")
    let (first, second) = (NSObject(), NSObject())
    node.setValue(first, forKey: "live")
    try web.save()
    node.setValue(second, forKey: "live")
    node.cache = "x"
    web.context.rollback()
    #expect(node.value(forKey: "live") as? NSObject === first && node.cache == nil)
  }

  @Test(
    "MO-20 transient to-manys live in their context alone, through saves and merging refreshes",
    arguments: [NSSQLiteStoreType, NSInMemoryStoreType]
  )
  func mo20ToMany(type: String) throws {
    let host = Web.entity("Host", attributes: [Web.attribute("name", .stringAttributeType)])
    let guest = Web.entity("Guest", attributes: [Web.attribute("name", .stringAttributeType)])
    let sides = [Web.many(host, "guests", guest), Web.many(guest, "hosts", host)]
    for side in sides { side.isTransient = true }
    Web.link(sides[0], sides[1])
    let model = NSManagedObjectModel()
    model.entities = [host, guest]
    let stack = try LibraryStack(type, model: model)
    let (ann, bob) = (stack.make("Host", ["name": "Ann"]), stack.make("Guest", ["name": "Bob"]))
    try stack.context.save()
    stack.context.refresh(ann, mergeChanges: false)
    #expect(ann.destinations("guests").isEmpty, "the store has none")
    ann.mutableSetValue(forKey: "guests").add(bob)
    #expect(stack.context.updatedObjects == [ann, bob] && bob.destinations("hosts") == [ann])
    try stack.context.save()
    #expect(!stack.context.hasChanges && ann.destinations("guests") == [bob])
    bob.setValue("Bill", forKey: "name")
    stack.context.refresh(bob, mergeChanges: true)
    #expect(bob.destinations("hosts") == [ann])

    let other = stack.container.newBackgroundContext()
    let copy = try #require(try stack.reread("Host", in: other).first)
    #expect(copy.destinations("guests").isEmpty)
    copy.mutableSetValue(forKey: "guests").add(try #require(stack.reread("Guest", in: other).first))
    other.delete(copy)
    other.processPendingChanges()
    stack.context.delete(ann)
    stack.context.processPendingChanges()
    #expect(bob.destinations("hosts").isEmpty)
  }

  @Test("MO-24 IDs of a relationship come without its destinations' values")
  func mo24() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let parent = try web.node("parent")
    let children = try ["x", "y"].map { try web.node($0) }
    for child in children { child.parent = parent }
    try web.save()
    let copy = try web.reread("parent")
    var ids: [NSManagedObjectID] = []
    let statements = try web.statements {
      ids = copy.objectIDs(forRelationshipNamed: "children")
    }
    #expect(Set(ids) == Set(children.map(\.objectID)) && statements.count == 1)
    #expect(copy.managedObjectContext?.registeredObjects.count == 1)
    #expect(copy.objectIDs(forRelationshipNamed: "parent").isEmpty)
    let child = try web.reread("x")
    #expect(child.objectIDs(forRelationshipNamed: "parent") == [parent.objectID])
  }

  @Test("MO-26 the subscript reads and writes as key-value coding does")
  func mo26() throws {
    let web = try WebStack()
    let node = try web.node("a")
    node["rank"] = 12
    node["name"] = nil
    #expect(node["rank"] as? Int == 12 && node["name"] == nil && node.rank == 12)
  }

  @Test("MO-28 equality and hash are identity")
  func mo28() throws {
    let web = try WebStack()
    let node = try web.node("a")
    try web.save()
    let other = try web.reread("a")
    #expect(other.objectID == node.objectID && other != node && node == node)
    #expect(Set([node, node, other]).count == 2)
  }
}

/// Answers for keys that the model does not have.
private final class AnsweringTag: NSManagedObject {
  override func value(forUndefinedKey key: String) -> Any? { "no \(key)" }
  override func setValue(_ value: Any?, forUndefinedKey key: String) {
    setValue("\(key) = \(value ?? "nil")", forKey: "name")
  }
}

/// Is changed by what the model does not have.
private final class AttentiveTag: NSManagedObject {
  override class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { false }
}
