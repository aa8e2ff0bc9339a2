// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import Testing

/// A to-one and its to-many that were read at different times agree after the merge, so that a deletion finds
/// both.
@Suite("Links to what is gone, between rows of different age")
struct DeadLinkStaleRowTests {
  private let world: ListLawFindings
  private var mine: NSManagedObjectContext { world.mine }
  private var other: NSManagedObjectContext { world.other }

  init() throws { world = try ListLawFindings(isSQLite: true) }

  /// Deletes an object elsewhere and merges that.
  private func deleteElsewhere(_ id: NSManagedObjectID) throws {
    other.reset()
    other.delete(other.object(with: id))
    mine.mergeChanges(fromContextDidSave: try world.saveOther())
  }

  @Test("A merged move of an object with other unsaved changes reaches both loaded to-manys")
  func movedBesideChange() throws {
    let zones = ["A", "B"].map { world.add("Zone", ["label": $0]) }
    let nation = world.add("Nation", ["name": "n", "home": zones[0]])
    try mine.save()
    #expect(zones[0].linked("nations") == [nation] && zones[1].linked("nations").isEmpty)
    nation.setValue(6, forKey: "wins")
    let request = NSBatchUpdateRequest(entityName: "Nation")
    request.propertiesToUpdate = ["home": zones[1].objectID]
    try other.execute(request)
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectIDsKey: [nation.objectID]],
      into: [mine]
    )
    #expect(nation.link("home") === zones[1] && nation.value(forKey: "wins") as? Int == 6)
    #expect(zones[0].linked("nations").isEmpty && zones[1].linked("nations") == [nation])
    try deleteElsewhere(nation.objectID)
    #expect(zones[0].linked("nations").isEmpty && zones[1].linked("nations").isEmpty)
    #expect(try mine.checkInvariants() == [])
  }

  @Test(
    "An object that was read and changed before its insertion is merged joins the loaded to-many"
  )
  func changedBeforeItsMerge() throws {
    let home = world.add("Zone", ["label": "A"])
    let nation = world.add("Nation", ["name": "n", "home": home])
    try mine.save()
    let id = nation.objectID
    let reader = world.context()
    let seen = try reader.existingObject(with: id)
    try deleteElsewhere(id)
    try mine.save()
    #expect(home.linked("nations").isEmpty)
    seen.setValue(5, forKey: "wins")
    let posts = Posts(reader, .NSManagedObjectContextDidSave)
    try reader.save()
    let back = try mine.existingObject(with: id)
    back.setValue("b", forKey: "note")
    mine.mergeChanges(fromContextDidSave: try #require(posts.last))
    #expect(home.linked("nations") == [back] && back.value(forKey: "note") as? String == "b")
    mine.delete(home)
    mine.processPendingChanges()
    #expect(back.link("home") == nil)
    #expect(try mine.checkInvariants() == [])
    mine.rollback()
    #expect(home.linked("nations") == [back] && back.link("home") === home)
  }

  @Test(
    "A fetch that refreshes a moved object takes it out of the to-many that others chose for it"
  )
  func refreshedByFetch() throws {
    let zones = ["A", "B", "C"].map { world.add("Zone", ["label": $0]) }
    let nation = world.add("Nation", ["name": "n", "home": zones[0]])
    try mine.save()
    nation.setValue(zones[2], forKey: "home")
    world.twin(nation).setValue(world.twin(zones[1]), forKey: "home")
    let saved = try world.saveOther()
    #expect(zones[1].linked("nations").map(\.objectID) == [nation.objectID])
    let request = NSFetchRequest<NSManagedObject>(entityName: "Nation")
    request.shouldRefreshRefetchedObjects = true
    #expect(try mine.fetch(request) == [nation])
    #expect(zones[1].linked("nations").isEmpty && zones[2].linked("nations") == [nation])
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectIDsKey: [nation.objectID]],
      into: [mine]
    )
    _ = saved
    mine.delete(nation)
    mine.processPendingChanges()
    for zone in zones { #expect(zone.linked("nations").isEmpty) }
    #expect(try mine.checkInvariants() == [])
  }

  @Test(
    "A save names the owner from which its merge policy takes a member that others have given it"
  )
  func overwrittenOwner() throws {
    let zones = ["A", "B"].map { world.add("Zone", ["label": $0]) }
    let nation = world.add("Nation", ["name": "n"])
    try mine.save()
    let ids = zones.map(\.objectID)
    let writer = world.context()
    let seen = try writer.existingObject(with: nation.objectID)
    nation.setValue(zones[0], forKey: "home")
    try mine.save()
    // Holds the owner alone, which its members do not outlive.
    let holder = world.context()
    let owner = try holder.existingObject(with: ids[0])
    #expect(owner.linked("nations").count == 1)
    seen.setValue(writer.object(with: ids[1]), forKey: "home")
    let posts = Posts(writer, .NSManagedObjectContextDidSave)
    try writer.save()
    let saved = try #require(posts.last)
    #expect(updatedIDs(saved).isSuperset(of: ids))
    holder.mergeChanges(fromContextDidSave: saved)
    #expect(owner.linked("nations").isEmpty)
    #expect(try holder.checkInvariants() == [])
  }

  @Test("A link that a refresh discards leaves no addition or removal at its owners")
  func discardedLink() throws {
    let zones = ["A", "B", "C"].map { world.add("Zone", ["label": $0]) }
    let tag = world.add("Tag", ["name": "t"])
    let nation = world.add("Nation", ["name": "n", "home": zones[0]])
    try mine.save()
    let (ids, id, tagged) = (zones.map(\.objectID), nation.objectID, tag.objectID)
    mine.reset()
    let owners = ids.map { mine.object(with: $0) }
    let label = mine.object(with: tagged)
    let seen = try mine.existingObject(with: id)
    seen.setValue(owners[1], forKey: "home")
    seen.setValue(NSSet(object: label), forKey: "tags")
    mine.refresh(seen, mergeChanges: false)
    let twin = other.object(with: id)
    for (index, there) in [2, 1].enumerated() {
      twin.setValue(other.object(with: ids[there]), forKey: "home")
      twin.setValue(NSSet(object: other.object(with: tagged)), forKey: "tags")
      mine.mergeChanges(fromContextDidSave: try world.saveOther())
      #expect(owners.map { $0.linked("nations").count } == [0, index, 1 - index])
      #expect(label.linked("nations").count == 1 && seen.linked("tags").count == 1)
      #expect(try mine.checkInvariants() == [])
    }
  }

  private func updatedIDs(_ saved: Notification) -> Set<NSManagedObjectID> {
    let objects = saved.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject> ?? []
    return Set(objects.map(\.objectID))
  }
}
