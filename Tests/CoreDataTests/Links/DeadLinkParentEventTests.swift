// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import Testing

/// Children whose parents let go of what the children have pushed to them, before it is saved.
@Suite("Links to what is gone, after a parent's own events")
struct DeadLinkParentEventTests {
  private let world: ListLawFindings
  private var mine: NSManagedObjectContext { world.mine }
  private let child: NSManagedObjectContext

  init() throws {
    world = try ListLawFindings(isSQLite: true)
    child = world.child(of: world.mine)
  }

  private func requireLiveLinks(_ contexts: NSManagedObjectContext...) throws {
    for context in [mine, child] + contexts { #expect(try context.checkInvariants() == []) }
    #expect(try world.brokenLinks() == [])
  }

  /// The ways in which a parent lets go of what a child has pushed to it, apart from merges.
  enum Loss: CaseIterable { case cascade, rollback, reset, refresh }

  @Test(
    "A child loses a new object that its parent lets go of before it saves it",
    arguments: [Loss.cascade, .rollback, .reset]
  )
  func newObjectLetGo(_ loss: Loss) throws {
    let region = world.add("Region", ["label": "R"])
    let nation = world.add("Nation", ["name": "n"])
    try mine.save()
    let grandchild = world.child(of: child)
    let seen = try child.existingObject(with: nation.objectID)
    let zone = world.add(
      "Zone",
      ["label": "A", "region": world.twin(region, in: child)],
      in: child
    )
    seen.setValue(zone, forKey: "home")
    try child.save()
    let held = try grandchild.existingObject(with: nation.objectID)
    #expect(held.link("home")?.value(forKey: "label") as? String == "A")
    if loss == .rollback { mine.rollback() }
    if loss == .reset { mine.reset() }
    mine.delete(mine.object(with: region.objectID))
    let posts = Posts(mine, .NSManagedObjectContextDidSave)
    try mine.save()
    let saved = try #require(posts.last)
    for context in [child, grandchild] { context.mergeChanges(fromContextDidSave: saved) }
    #expect(zone.isDeleted || zone.managedObjectContext == nil)
    #expect(seen.link("home") == nil && held.link("home") == nil)
    #expect(try child.fetch(NSFetchRequest<NSManagedObject>(entityName: "Zone")).isEmpty)
    try requireLiveLinks(grandchild)
    for context in [grandchild, child, mine] { try context.save() }
    try requireLiveLinks(grandchild)
  }

  @Test(
    "A child loses a link that its parent takes back before it saves it",
    arguments: [Loss.rollback, .reset, .refresh]
  )
  func linkTakenBack(_ loss: Loss) throws {
    let home = world.add("Zone", ["label": "A"])
    let nation = world.add("Nation", ["name": "n"])
    let tag = world.add("Tag", ["name": "T"])
    try mine.save()
    let seen = try child.existingObject(with: nation.objectID)
    let zone = try child.existingObject(with: home.objectID)
    #expect(zone.linked("nations").isEmpty)
    seen.setValue(zone, forKey: "home")
    try child.save()
    switch loss {
    case .rollback: mine.rollback()
    case .reset: mine.reset()
    default: mine.refresh(nation, mergeChanges: false)
    }
    mine.delete(mine.object(with: home.objectID))
    // With an update among the changes the save is taken to name every owner.
    mine.object(with: tag.objectID).setValue("t", forKey: "name")
    let posts = Posts(mine, .NSManagedObjectContextDidSave)
    try mine.save()
    child.mergeChanges(fromContextDidSave: try #require(posts.last))
    #expect(seen.link("home") == nil && !seen.hasChanges)
    try requireLiveLinks()
  }

  @Test("A link that a child adds, takes back and adds again is saved at both ends")
  func addedAgain() throws {
    let tag = world.add("Tag", ["name": "T"])
    let nation = world.add("Nation", ["name": "n"])
    try mine.save()
    let ids = (tag.objectID, nation.objectID)
    mine.reset()
    let kept = try mine.existingObject(with: ids.1)
    #expect(kept.linked("tags").isEmpty)
    let seen = try child.existingObject(with: ids.1)
    let twin = child.object(with: ids.0)
    for members in [[twin], [], [twin]] {
      seen.setValue(NSSet(array: members), forKey: "tags")
      child.processPendingChanges()
      if members.isEmpty { try child.save() }
    }
    try child.save()
    try mine.save()
    #expect(kept.linked("tags").count == 1)
    #expect(try mine.existingObject(with: ids.0).linked("nations") == [kept])
    #expect(twin.linked("nations") == [seen])
    try requireLiveLinks()
    let reader = world.context()
    #expect(reader.object(with: ids.1).linked("tags").count == 1)
  }

  @Test("A child is not told of its own deletion of an object that its parent has not saved")
  func ownDeletion() throws {
    let region = world.add("Region", ["label": "R"])
    let nation = world.add("Nation", ["name": "n"])
    try mine.save()
    let seen = try child.existingObject(with: nation.objectID)
    let zone = world.add("Zone", ["label": "A"], in: child)
    seen.setValue(zone, forKey: "home")
    try child.save()
    child.delete(zone)
    try child.save()
    world.twin(region).setValue("S", forKey: "label")
    let saved = try world.saveOther()
    mine.mergeChanges(fromContextDidSave: saved)
    let posts = Posts(child, .NSManagedObjectContextObjectsDidChange)
    child.mergeChanges(fromContextDidSave: saved)
    let reported = [NSUpdatedObjectsKey, NSRefreshedObjectsKey].flatMap {
      posts.last?.userInfo?[$0] as? Set<NSManagedObject> ?? []
    }
    #expect(!reported.contains(seen))
    try requireLiveLinks()
  }
}
