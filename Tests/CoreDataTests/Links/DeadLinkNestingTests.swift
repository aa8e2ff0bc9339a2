// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import Testing

/// Children whose parents lose objects by merges, and whose objects are still without rows in the store.
@Suite("Links to what is gone, in children")
struct DeadLinkNestingTests {
  private let world: ListLawFindings
  private var mine: NSManagedObjectContext { world.mine }
  private var other: NSManagedObjectContext { world.other }
  private let child: NSManagedObjectContext

  init() throws {
    world = try ListLawFindings(isSQLite: true)
    child = world.child(of: world.mine)
  }

  private func requireLiveLinks(_ contexts: NSManagedObjectContext...) throws {
    for context in [mine, child] + contexts { #expect(try context.checkInvariants() == []) }
    #expect(try world.brokenLinks() == [])
  }

  // MARK: A child's save

  enum Use: CaseIterable { case link, change, deletion }

  @Test(
    "A child's save does not bring a new object back that its parent has let go",
    arguments: Use.allCases
  )
  func newObjectGoneInParent(_ use: Use) throws {
    let region = world.add("Region", ["label": "R"])
    try mine.save()
    let zone = world.add(
      "Zone",
      ["label": "A", "region": world.twin(region, in: child)],
      in: child
    )
    try child.save()
    other.delete(world.twin(region))
    mine.mergeChanges(fromContextDidSave: try world.saveOther())
    #expect(mine.insertedObjects.isEmpty)
    // The child has merged nothing, so it still has the zone.
    let nation = world.add("Nation", ["name": "n"], in: child)
    switch use {
    case .link: nation.setValue(zone, forKey: "home")
    case .change: zone.setValue("changed", forKey: "note")
    case .deletion: child.delete(zone)
    }
    try child.save()
    #expect(nation.link("home") == nil)
    #expect(mine.insertedObjects.count == 1 && mine.deletedObjects == [region])
    try requireLiveLinks()
    try mine.save()
    #expect(try world.sql("SELECT ZNAME || ifnull(ZHOME, '-') FROM ZNATION") == ["n-"])
    try requireLiveLinks()
  }

  @Test("A child's save changes no object that its parent does not know to be gone")
  func changedObjectGone() throws {
    let zone = world.add("Zone", ["label": "A"])
    try mine.save()
    let id = zone.objectID
    mine.reset()
    let seen = try child.existingObject(with: id)
    let nation = world.add("Nation", ["name": "n", "home": seen], in: child)
    try child.save()
    mine.reset()
    mine.delete(mine.object(with: id))
    try mine.save()
    seen.setValue("changed", forKey: "note")
    try child.save()
    #expect(child.registeredObject(for: id) == nil && nation.link("home") == nil)
    try requireLiveLinks()
  }

  @Test("A child's save keeps links to what the child has deleted, saved and brought back")
  func broughtBack() throws {
    let tag = world.add("Tag", ["name": "T"])
    let zone = world.add("Zone", ["label": "A"])
    let nation = world.add("Nation", ["name": "n", "home": zone, "tags": NSSet(object: tag)])
    try mine.save()
    let id = nation.objectID
    child.undoManager = UndoManager()
    let controller = world.controller(order: ["name"], in: child)
    try controller.performFetch()
    let seen = try #require(controller.fetchedObjects?.first)
    child.delete(seen)
    try child.save()
    try mine.save()
    child.undo()
    child.processPendingChanges()
    try child.save()
    #expect(!seen.isDeleted && seen.managedObjectContext === child)
    #expect(controller.fetchedObjects == [seen])
    #expect(seen.link("home") != nil && seen.linked("tags").count == 1)
    try mine.save()
    #expect(mine.object(with: id).linked("tags").count == 1)
    try requireLiveLinks()
  }

  @Test("A child's save changes no links of objects that its parent does not know to be gone")
  func linksOfGoneObject() throws {
    let tags = ["T1", "T2"].map { world.add("Tag", ["name": $0]) }
    let nation = world.add("Nation", ["name": "n", "tags": NSSet(array: tags)])
    try mine.save()
    let id = nation.objectID
    let twins = try tags.map { try child.existingObject(with: $0.objectID) }
    let seen = try child.existingObject(with: id)
    #expect(twins.allSatisfy { $0.linked("nations") == [seen] } && seen.linked("tags").count == 2)
    mine.reset()
    other.delete(other.object(with: id))
    _ = try world.saveOther()
    child.delete(twins[0])
    twins[1].setValue(NSSet(), forKey: "nations")
    try child.save()
    #expect(mine.updatedObjects.allSatisfy { $0.entity.name == "Tag" })
    #expect(try mine.fetch(NSFetchRequest<NSManagedObject>(entityName: "Nation")).isEmpty)
    try requireLiveLinks()
    try mine.save()
    try requireLiveLinks()
  }

  // MARK: What follows from a merge

  @Test("What a merge deletes in a parent by a delete rule, a child deletes with its next merge")
  func cascadeInParent() throws {
    let region = world.add("Region", ["label": "R"])
    let zone = world.add("Zone", ["label": "A"])
    let nation = world.add("Nation", ["name": "n"])
    try mine.save()
    let grandchild = world.child(of: child)
    let seen = try [child, grandchild].map { try $0.existingObject(with: zone.objectID) }
    let held = try [child, grandchild].map { try $0.existingObject(with: nation.objectID) }
    held[1].setValue(seen[1], forKey: "home")
    try grandchild.save()
    #expect(held[0].link("home") === seen[0])
    mine.delete(region)
    mine.processPendingChanges()
    world.twin(zone).setValue(world.twin(region), forKey: "region")
    let saved = try world.saveOther()
    // The deletion of the region reaches the zone, which the save names as updated.
    mine.mergeChanges(fromContextDidSave: saved)
    #expect(zone.isDeleted)
    child.mergeChanges(fromContextDidSave: saved)
    #expect(seen[0].isDeleted && held[0].link("home") == nil)
    grandchild.mergeChanges(fromContextDidSave: saved)
    #expect(seen[1].isDeleted && held[1].link("home") == nil)
    try requireLiveLinks(grandchild)
    for context in [grandchild, child, mine] { try context.save() }
    try requireLiveLinks(grandchild)
  }

  @Test(
    "A new object that a merge deletes in a parent is deleted in the child that has pushed it",
    arguments: [false, true]
  )
  func newObjectInParent(_ rollsBack: Bool) throws {
    let region = world.add("Region", ["label": "R"])
    try mine.save()
    let zone = world.add(
      "Zone",
      ["label": "A", "region": world.twin(region, in: child)],
      in: child
    )
    try child.save()
    other.delete(world.twin(region))
    let saved = try world.saveOther()
    mine.mergeChanges(fromContextDidSave: saved)
    child.mergeChanges(fromContextDidSave: saved)
    #expect(zone.isDeleted || zone.managedObjectContext == nil)
    let found = try child.fetch(NSFetchRequest<NSManagedObject>(entityName: "Zone"))
    #expect(found.isEmpty)
    try requireLiveLinks()
    if rollsBack {
      // It does not come back: no context above has it.
      child.rollback()
      #expect(zone.managedObjectContext == nil)
    }
    try child.save()
    try mine.save()
    try requireLiveLinks()
  }

  @Test("What a parent deletes in its merges stays in the child where the parent rolls back")
  func rolledBackInParent() throws {
    let region = world.add("Region", ["label": "R"])
    let zone = world.add("Zone", ["label": "A"])
    try mine.save()
    let seen = try child.existingObject(with: zone.objectID)
    mine.delete(region)
    mine.processPendingChanges()
    world.twin(zone).setValue(world.twin(region), forKey: "region")
    let saved = try world.saveOther()
    mine.mergeChanges(fromContextDidSave: saved)
    mine.rollback()
    child.mergeChanges(fromContextDidSave: saved)
    #expect(!seen.isDeleted && seen.link("region") != nil)
    try requireLiveLinks()
  }

  // MARK: Objects without rows in the store

  @Test(
    "A new object of a child is read again where its parent has changed it before the save",
    arguments: [false, true],
    [false, true]
  )
  func changedBeforeTheSave(_ isObserved: Bool, _ isAutomatic: Bool) throws {
    let tag = world.add("Tag", ["name": "T"])
    let zone = world.add("Zone", ["label": "A"])
    try mine.save()
    child.automaticallyMergesChangesFromParent = isAutomatic
    let controller = world.controller(order: ["name"], in: child)
    let table = TableMirror()
    if isObserved {
      controller.delegate = table
      try controller.performFetch()
      table.reloadData(controller)
    }
    let nation = world.add("Nation", ["name": "n"], in: child)
    nation.setValue(NSSet(object: world.twin(tag, in: child)), forKey: "tags")
    try child.save()
    let posts = Posts(mine, .NSManagedObjectContextDidSave)
    mine.delete(tag)
    // With an update among the changes the save is taken to name every owner.
    zone.setValue("B", forKey: "label")
    try mine.save()
    child.performAndWait {}
    if !isAutomatic { child.mergeChanges(fromContextDidSave: try #require(posts.last)) }
    #expect(nation.linked("tags").isEmpty && !nation.hasChanges)
    try requireLiveLinks()
    if isObserved { try table.check(controller) }
  }

  @Test(
    "An object without a permanent ID is read again after a save between its contexts",
    arguments: [false, true]
  )
  func changedAbove(_ isObserved: Bool) throws {
    let tag = world.add("Tag", ["name": "T"])
    try mine.save()
    let grandchild = world.child(of: child)
    let controller = world.controller(order: ["name"], in: grandchild)
    let table = TableMirror()
    if isObserved {
      controller.delegate = table
      try controller.performFetch()
      table.reloadData(controller)
    }
    let nation = world.add("Nation", ["name": "n"], in: grandchild)
    nation.setValue(NSSet(object: world.twin(tag, in: grandchild)), forKey: "tags")
    try grandchild.save()
    try child.save()
    let posts = Posts(child, .NSManagedObjectContextDidSave)
    child.delete(world.twin(tag, in: child))
    try child.save()
    grandchild.mergeChanges(fromContextDidSave: try #require(posts.last))
    #expect(nation.objectID.isTemporaryID && nation.linked("tags").isEmpty)
    try requireLiveLinks(grandchild)
    if isObserved { try table.check(controller) }
  }
}
