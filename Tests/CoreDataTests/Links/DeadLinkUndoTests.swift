// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import Testing

/// Undoing after rows were deleted elsewhere.
@Suite("Links to what is gone, after undoing")
struct DeadLinkUndoTests {
  private let world: ListLawFindings
  private var mine: NSManagedObjectContext { world.mine }
  private var other: NSManagedObjectContext { world.other }

  init() throws { world = try ListLawFindings(isSQLite: true) }

  /// The ways in which an object gets a newer row while its changes are not registered yet.
  enum Refresh: CaseIterable {
    case merging, all, discarding
  }

  @Test(
    "A newer row is no step of undo: the former link does not come back",
    arguments: Refresh.allCases
  )
  func newerRow(_ refresh: Refresh) throws {
    let home = world.add("Zone", ["label": "A"])
    let nation = world.add("Nation", ["name": "n", "home": home, "wins": 1, "note": "a"])
    try mine.save()
    let (zone, id) = (home.objectID, nation.objectID)
    mine.reset()
    mine.undoManager = UndoManager()
    let seen = try mine.existingObject(with: id)
    other.delete(other.object(with: zone))
    other.object(with: id).setValue("b", forKey: "note")
    let saved = try world.saveOther()
    seen.setValue(5, forKey: "wins")
    switch refresh {
    case .merging: mine.refresh(seen, mergeChanges: true)
    case .all: mine.refreshAllObjects()
    case .discarding:
      mine.refresh(seen, mergeChanges: false)
      #expect(seen.link("home") == nil)
    }
    mine.mergeChanges(fromContextDidSave: saved)
    mine.undo()
    mine.processPendingChanges()
    #expect(seen.link("home") == nil && seen.value(forKey: "note") as? String == "b")
    #expect(seen.value(forKey: "wins") as? Int == 1)
    #expect(try mine.checkInvariants() == [])
    mine.redo()
    mine.processPendingChanges()
    #expect(seen.value(forKey: "wins") as? Int == (refresh == .discarding ? 1 : 5))
    #expect(try mine.checkInvariants() == [])
  }

  @Test("Undoing takes an object out of the to-many to which a merge has moved it since")
  func movedSince() throws {
    let zones = ["A", "B", "C"].map { world.add("Zone", ["label": $0]) }
    let nation = world.add("Nation", ["name": "n", "home": zones[0]])
    try mine.save()
    mine.undoManager = UndoManager()
    nation.setValue(zones[1], forKey: "home")
    mine.processPendingChanges()
    try mine.save()
    world.twin(nation).setValue(world.twin(zones[2]), forKey: "home")
    mine.mergeChanges(fromContextDidSave: try world.saveOther())
    for zone in zones { #expect(zone.linked("nations").count == (zone === zones[2] ? 1 : 0)) }
    mine.undo()
    mine.processPendingChanges()
    #expect(nation.link("home") === zones[0] && zones[0].linked("nations") == [nation])
    #expect(zones[1].linked("nations").isEmpty && zones[2].linked("nations").isEmpty)
    #expect(try mine.checkInvariants() == [])
    mine.redo()
    mine.processPendingChanges()
    #expect(nation.link("home") === zones[2] && zones[2].linked("nations") == [nation])
    #expect(try mine.checkInvariants() == [])
    mine.undo()
    mine.delete(nation)
    mine.processPendingChanges()
    for zone in zones { #expect(zone.linked("nations").isEmpty) }
    try mine.save()
    #expect(try world.brokenLinks() == [])
  }

  @Test("Undoing two moves in one event leaves the owner between them without the object")
  func movedTwice() throws {
    let zones = ["A", "B"].map { world.add("Zone", ["label": $0]) }
    let nation = world.add("Nation", ["name": "n"])
    try mine.save()
    let ids = zones.map(\.objectID)
    let id = nation.objectID
    mine.reset()
    mine.undoManager = UndoManager()
    let seen = try mine.existingObject(with: id)
    let owners = ids.map { mine.object(with: $0) }
    for owner in owners { seen.setValue(owner, forKey: "home") }
    mine.processPendingChanges()
    mine.undo()
    mine.processPendingChanges()
    #expect(seen.link("home") == nil)
    #expect(owners[0].linked("nations").isEmpty && owners[1].linked("nations").isEmpty)
    mine.redo()
    mine.processPendingChanges()
    #expect(owners[0].linked("nations").isEmpty && owners[1].linked("nations") == [seen])
    #expect(try mine.checkInvariants() == [])
  }

  @Test("Undoing a removal from a to-many that was not read leaves no addition to save")
  func takenBack() throws {
    let tag = world.add("Tag", ["name": "t"])
    let nation = world.add("Nation", ["name": "n", "tags": NSSet(object: tag)])
    try mine.save()
    let (id, tagged) = (nation.objectID, tag.objectID)
    mine.reset()
    mine.undoManager = UndoManager()
    let seen = try mine.existingObject(with: id)
    let label = mine.object(with: tagged)
    mine.delete(label)
    mine.processPendingChanges()
    mine.undo()
    mine.processPendingChanges()
    #expect(label.linked("nations") == [seen])
    other.object(with: id).setValue(NSSet(), forKey: "tags")
    mine.mergeChanges(fromContextDidSave: try world.saveOther())
    #expect(seen.linked("tags").isEmpty && label.linked("nations").isEmpty)
    #expect(try mine.checkInvariants() == [])
  }

  @Test("A member that comes back by undoing, though others have deleted it, is a member again")
  func deletedByBoth() throws {
    let region = world.add("Region", ["label": "R"])
    let zones = ["A", "B"].map { world.add("Zone", ["label": $0, "region": region]) }
    try mine.save()
    mine.undoManager = UndoManager()
    #expect(region.linked("zones").count == 2)
    mine.delete(region)
    mine.processPendingChanges()
    other.delete(world.twin(zones[0]))
    mine.mergeChanges(fromContextDidSave: try world.saveOther())
    mine.undo()
    mine.processPendingChanges()
    #expect(zones[0].link("region") === region && region.linked("zones") == Set(zones))
    #expect(try mine.checkInvariants() == [])
    try mine.save()
    #expect(try world.brokenLinks() == [])
    let reader = world.context()
    #expect(world.twin(region, in: reader).linked("zones").count == 2)
  }

  @Test("An owner that comes back by undoing has no member that a merge has kept from it")
  func linkedBesideDeletion() throws {
    let home = world.add("Zone", ["label": "A"])
    let nation = world.add("Nation", ["name": "n"])
    try mine.save()
    mine.undoManager = UndoManager()
    mine.delete(home)
    world.twin(nation).setValue(world.twin(home), forKey: "home")
    mine.mergeChanges(fromContextDidSave: try world.saveOther())
    #expect(nation.link("home") == nil)
    mine.undo()
    mine.processPendingChanges()
    #expect(!home.isDeleted && (nation.link("home") == nil) == home.linked("nations").isEmpty)
    #expect(try mine.checkInvariants() == [])
  }

  @Test("An owner whose deletion is undone after its save leaves out a member whose row is gone")
  func vanishedMember() throws {
    let home = world.add("Zone", ["label": "A"])
    let nation = world.add("Nation", ["name": "n", "home": home])
    let kept = world.add("Nation", ["name": "k", "home": home])
    try mine.save()
    let ids = [home, nation, kept].map(\.objectID)
    mine.reset()
    mine.undoManager = UndoManager()
    let zone = try mine.existingObject(with: ids[0])
    #expect(zone.linked("nations").count == 2)
    other.delete(other.object(with: ids[1]))
    let saved = try world.saveOther()
    mine.delete(zone)
    try mine.save()
    mine.mergeChanges(fromContextDidSave: saved)
    mine.undo()
    mine.processPendingChanges()
    #expect(!zone.isDeleted && zone.linked("nations") == [mine.object(with: ids[2])])
    #expect(try mine.checkInvariants() == [])
    try mine.save()
    #expect(try world.brokenLinks() == [])
  }

  @Test(
    "A to-many that was read beside a deletion has the member again once the deletion is undone"
  )
  func undoneDeletion() throws {
    let tag = world.add("Tag", ["name": "t"])
    let home = world.add("Zone", ["label": "A"])
    let nation = world.add("Nation", ["name": "n"])
    try mine.save()
    mine.undoManager = UndoManager()
    mine.delete(tag)
    mine.delete(nation)
    mine.processPendingChanges()
    let new = world.add("Nation", ["name": "m"], in: other)
    new.mutableSetValue(forKey: "tags").add(world.twin(tag))
    world.twin(nation).setValue(world.twin(home), forKey: "home")
    // The levels hear of the new objects alone: the deletions do not reach them by the merge.
    _ = try world.saveOther()
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSInsertedObjectIDsKey: [new.objectID]],
      into: [mine]
    )
    let reader = mine.object(with: new.objectID)
    #expect(reader.linked("tags").isEmpty && home.linked("nations").isEmpty)
    reader.setValue(3, forKey: "wins")
    mine.processPendingChanges()
    mine.undo()
    mine.processPendingChanges()
    #expect(tag.isDeleted && reader.linked("tags").isEmpty)
    #expect(try mine.checkInvariants() == [])
    mine.undo()
    mine.processPendingChanges()
    #expect(!tag.isDeleted && !nation.isDeleted)
    #expect(reader.linked("tags") == [tag] && tag.linked("nations") == [reader])
    #expect(nation.link("home") == nil && home.linked("nations").isEmpty)
    #expect(try mine.checkInvariants() == [])
    mine.redo()
    mine.processPendingChanges()
    #expect(reader.linked("tags").isEmpty && tag.isDeleted)
    #expect(try mine.checkInvariants() == [])
  }

  @Test(
    "A link that is cut because its row vanished does not come back by undoing",
    arguments: [false, true]
  )
  func cutByVanishedRow(_ changesOwner: Bool) throws {
    let home = world.add("Zone", ["label": "A"])
    let nation = world.add("Nation", ["name": "n", "home": home])
    let free = world.add("Nation", ["name": "x"])
    try mine.save()
    mine.undoManager = UndoManager()
    other.delete(world.twin(home))
    _ = try world.saveOther()
    mine.refresh(home, mergeChanges: false)
    (changesOwner ? nation : free).setValue(5, forKey: "wins")
    #expect(home.value(forKey: "label") == nil && nation.link("home") != nil)
    mine.processPendingChanges()
    #expect(nation.link("home") == nil)
    try mine.save()
    mine.undo()
    mine.processPendingChanges()
    #expect(nation.link("home") == nil && nation.value(forKey: "wins") as? Int != 5)
    #expect(try mine.checkInvariants() == [])
  }

  @Test("Undoing a saved insertion empties the links that others have made to it, of faults too")
  func undoneInsertion() throws {
    let nation = world.add("Nation", ["name": "n"], in: other)
    _ = try world.saveOther()
    mine.undoManager = UndoManager()
    let home = world.add("Zone", ["label": "A"])
    try mine.save()
    nation.setValue(world.twin(home), forKey: "home")
    mine.mergeChanges(fromContextDidSave: try world.saveOther())
    mine.undo()
    #expect(home.isDeleted)
    try mine.save()
    #expect(try world.brokenLinks() == [])
    #expect(try mine.existingObject(with: nation.objectID).link("home") == nil)
    #expect(try mine.checkInvariants() == [])
  }

  @Test("An object whose deletion is undone leaves out what a merge has deleted along with it")
  func undoneCascade() throws {
    let region = world.add("Region", ["label": "R"])
    let zone = world.add("Zone", ["label": "A", "region": region])
    try mine.save()
    mine.undoManager = UndoManager()
    mine.delete(region)
    mine.processPendingChanges()
    let new = world.add("Zone", ["label": "B", "region": world.twin(region)], in: other)
    mine.mergeChanges(fromContextDidSave: try world.saveOther())
    #expect(mine.object(with: new.objectID).isDeleted && zone.isDeleted)
    mine.undo()
    mine.processPendingChanges()
    #expect(!region.isDeleted && region.linked("zones") == [zone])
    #expect(try mine.checkInvariants() == [])
    try mine.save()
    #expect(try world.brokenLinks() == [])
  }

  @Test("A link that a merge cuts is no step of undo")
  func cutByMerge() throws {
    let home = world.add("Zone", ["label": "A"])
    try mine.save()
    let nation = world.add("Nation", ["name": "n"], in: other)
    _ = try world.saveOther()
    mine.undoManager = UndoManager()
    let seen = try mine.existingObject(with: nation.objectID)
    mine.delete(home)
    mine.processPendingChanges()
    nation.setValue(world.twin(home), forKey: "home")
    let saved = try world.saveOther()
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectsKey: [seen.objectID]],
      into: [mine]
    )
    _ = saved
    #expect(seen.link("home") == nil)
    mine.undo()
    mine.processPendingChanges()
    #expect(!home.isDeleted)
    #expect(try mine.checkInvariants() == [])
  }
}
