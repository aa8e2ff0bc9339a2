// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import Testing

/// No loaded relationship names an object that is deleted or gone, and no save writes such a link.
@Suite("Links to what is gone")
struct DeadLinkTests {
  private let world: ListLawFindings
  private var mine: NSManagedObjectContext { world.mine }
  private var other: NSManagedObjectContext { world.other }

  init() throws { world = try ListLawFindings(isSQLite: true) }

  /// A zone with so many nations, saved; the contexts know nothing of them afterwards.
  private func zone(_ count: Int) throws -> (zone: NSManagedObjectID, nations: [NSManagedObjectID])
  {
    let zone = world.add("Zone", ["label": "A"])
    let nations = (0..<count).map { world.add("Nation", ["name": "n\($0)", "home": zone]) }
    try mine.save()
    let ids = (zone.objectID, nations.map(\.objectID))
    mine.reset()
    return ids
  }

  private func text(_ sql: String) throws -> String { try world.sql(sql).joined(separator: " ") }

  // MARK: Deleted here, changed elsewhere

  @Test("A deletion reaches rows of an owner that a merge brought beside a pending deletion")
  func deletionBesideCountingPredicate() throws {
    let (zone, nations) = try zone(1)
    let free = world.add("Nation", ["name": "x"])
    try mine.save()
    let x = free.objectID
    let controller = world.controller("Nation", "home.nations.@count > 2", order: ["name"])
    let table = TableMirror()
    controller.delegate = table
    try controller.performFetch()
    table.reloadData(controller)
    mine.automaticallyMergesChangesFromParent = true
    mine.delete(free)
    mine.processPendingChanges()
    other.object(with: x).setValue(other.object(with: zone), forKey: "home")
    try other.save()
    mine.performAndWait {}
    #expect(try mine.checkInvariants() == [])
    #expect(mine.object(with: zone).linked("nations").map(\.objectID) == nations)
    mine.delete(mine.object(with: zone))
    try mine.save()
    #expect(try world.brokenLinks() == [])
    #expect(try text("SELECT ifnull(ZHOME, 'nil') FROM ZNATION") == "nil")
    try table.check(controller)
  }

  @Test("A to-many that is read again leaves out members that are deleted here")
  func readBesideDeletion() throws {
    let (zone, nations) = try zone(1)
    let home = try mine.existingObject(with: zone)
    #expect(home.linked("nations").count == 1)
    let new = world.add("Nation", ["name": "b", "home": other.object(with: zone)], in: other)
    let saved = try world.saveOther()
    mine.delete(mine.object(with: new.objectID))
    mine.processPendingChanges()
    mine.mergeChanges(fromContextDidSave: saved)
    #expect(home.linked("nations").map(\.objectID) == nations)
    #expect(try mine.checkInvariants() == [])
    mine.rollback()
    #expect(home.linked("nations").count == 2)
  }

  @Test("An object that a conflict brings back does not lead to what its deletion cascaded to")
  func restoredOwner() throws {
    let region = world.add("Region", ["label": "R"])
    let zone = world.add("Zone", ["label": "A", "region": region])
    try mine.save()
    let reader = world.context(merging: true)
    let seen = try reader.existingObject(with: region.objectID)
    #expect(zone.link("region") === region && seen.linked("zones").count == 1)
    other.object(with: region.objectID).setValue("S", forKey: "label")
    _ = try world.saveOther()
    mine.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
    #expect(region.linked("zones").count == 1)
    mine.delete(region)
    try mine.save()
    #expect(region.value(forKey: "label") as? String == "S" && !region.isDeleted)
    #expect(try mine.checkInvariants() == [])
    #expect(region.linked("zones").isEmpty)
    #expect(try world.brokenLinks() == [])
    reader.performAndWait {}
    #expect(seen.linked("zones").isEmpty)
    #expect(try reader.checkInvariants() == [])
  }

  // MARK: Children

  @Test("A child's save links to no object that its parent has deleted", arguments: [false, true])
  func childLinksToDeleted(_ changesIt: Bool) throws {
    let (zone, _) = try zone(0)
    mine.mergePolicy = NSErrorMergePolicy
    let held = try mine.existingObject(with: zone)
    let child = world.child(of: mine)
    let seen = try child.existingObject(with: zone)
    if changesIt { seen.setValue("changed", forKey: "note") }
    other.delete(other.object(with: zone))
    mine.mergeChanges(fromContextDidSave: try world.saveOther())
    #expect(held.isDeleted)
    let nation = world.add("Nation", ["name": "new", "home": seen], in: child)
    try child.save()
    try mine.save()
    #expect(try text("SELECT ZNAME || ifnull(ZHOME, '-') FROM ZNATION") == "new-")
    #expect(try world.brokenLinks() == [])
    #expect(nation.link("home") == nil)
    #expect(try mine.checkInvariants() == [] && child.checkInvariants() == [])
    #expect(!child.hasChanges && !mine.hasChanges)
  }

  @Test("A link to a row that no context knows to be gone is a conflict, or empty by the policy")
  func linkToUnknownGone() throws {
    for policy in [
      NSMergePolicy.error, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite,
      .rollback,
    ] {
      let (zone, _) = try zone(0)
      let judge = world.add("Judge", ["grade": 1])
      try mine.save()
      let ids = (zone: zone, judge: judge.objectID)
      mine.reset()
      mine.mergePolicy = policy
      other.delete(other.object(with: ids.zone))
      other.delete(other.object(with: ids.judge))
      _ = try world.saveOther()
      for (key, id) in [("home", ids.zone), ("judge", ids.judge)] {
        let nation = world.add("Nation", ["name": key, key: mine.object(with: id)])
        do {
          try mine.save()
          #expect(policy.mergeType != .errorMergePolicyType)
          #expect(nation.link(key) == nil)
        } catch let error as NSError {
          #expect(policy.mergeType == .errorMergePolicyType, "\(error)")
          #expect(error.code == NSManagedObjectMergeError, "\(error)")
          mine.rollback()
        }
        #expect(try world.brokenLinks() == [], "\(policy.mergeType) \(key)")
        #expect(try text("SELECT count(*) FROM ZZONE") == "0", "\(policy.mergeType) \(key)")
      }
    }
  }

  @Test("A link to an object that is deleted here is empty when pending changes are processed")
  func linkToDeletedHere() throws {
    let (zone, nations) = try zone(1)
    let judge = world.add("Judge", ["grade": 1])
    try mine.save()
    let home = try mine.existingObject(with: zone)
    let nation = try mine.existingObject(with: nations[0])
    mine.delete(home)
    mine.delete(judge)
    mine.processPendingChanges()
    nation.setValue(home, forKey: "home")
    nation.setValue(judge, forKey: "judge")
    mine.processPendingChanges()
    #expect(nation.link("home") == nil && nation.link("judge") == nil)
    try mine.save()
    #expect(try world.brokenLinks() == [])
  }

  @Test("A child's save makes no link to a row that its parent does not know to be gone")
  func childLinksToUnknownGone() throws {
    let (zone, _) = try zone(0)
    let tag = world.add("Tag", ["name": "T"])
    try mine.save()
    let tagID = tag.objectID
    mine.reset()
    let child = world.child(of: mine)
    let seen = try (child.existingObject(with: zone), child.existingObject(with: tagID))
    for id in [zone, tagID] { mine.delete(mine.object(with: id)) }
    try mine.save()
    let nation = world.add("Nation", ["name": "new", "home": seen.0], in: child)
    nation.mutableSetValue(forKey: "tags").add(seen.1)
    try child.save()
    #expect(try mine.checkInvariants() == [] && child.checkInvariants() == [])
    #expect(nation.link("home") == nil && nation.linked("tags").isEmpty)
    try mine.save()
    #expect(try world.brokenLinks() == [])
  }

  @Test("Undoing makes no link to a row that is gone", arguments: [false, true])
  func undoneLink(_ saves: Bool) throws {
    let (first, nations) = try zone(1)
    let second = world.add("Zone", ["label": "B"])
    try mine.save()
    mine.undoManager = UndoManager()
    let nation = try mine.existingObject(with: nations[0])
    let home = mine.object(with: first)
    #expect(home.linked("nations").count == 1)
    nation.setValue(second, forKey: "home")
    mine.processPendingChanges()
    other.delete(other.object(with: nations[0]))
    mine.mergeChanges(fromContextDidSave: try world.saveOther())
    if saves { try mine.save() }
    mine.undo()
    mine.processPendingChanges()
    #expect(home.linked("nations").isEmpty && second.linked("nations").isEmpty)
    #expect(try mine.checkInvariants() == [])
  }

  // MARK: Batches merged by hand

  @Test(
    "A batch deletion merged by hand leaves no ghost in loaded relationships, in children neither",
    arguments: [false, true]
  )
  func batchDeletion(_ tellsChild: Bool) throws {
    let (zone, _) = try zone(3)
    let child = world.child(of: mine)
    let below = try child.existingObject(with: zone)
    let home = try mine.existingObject(with: zone)
    #expect(home.linked("nations").count == 3 && below.linked("nations").count == 3)
    let predicate = NSPredicate(format: "nations.@count == 2")
    let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: "Nation")
    fetch.predicate = NSPredicate(format: "name == 'n1'")
    let request = NSBatchDeleteRequest(fetchRequest: fetch)
    request.resultType = .resultTypeObjectIDs
    let result = try other.execute(request) as? NSBatchDeleteResult
    let ids = try #require(result?.result as? [NSManagedObjectID])
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: ids],
      into: tellsChild ? [mine, child] : [mine]
    )
    #expect(home.linked("nations").count == 2)
    #expect(predicate.evaluate(with: home))
    #expect(try mine.checkInvariants() == [])
    if !tellsChild { child.refresh(below, mergeChanges: true) }
    #expect(below.linked("nations").count == 2)
    #expect(predicate.evaluate(with: below))
    #expect(try child.checkInvariants() == [])
    #expect(!mine.hasChanges && !child.hasChanges)
  }

  @Test("A batch deletion merged by hand empties to-ones, and a list that counts members follows")
  func batchDeletionOfOwners() throws {
    let (zone, nations) = try zone(3)
    let held = try nations.map { try mine.existingObject(with: $0) }
    #expect(held.allSatisfy { $0.link("home")?.objectID == zone })
    let lists = try ["home.nations.@count > 2", "home == nil"].map { predicate in
      let controller = world.controller("Nation", predicate, order: ["name"])
      let table = TableMirror()
      controller.delegate = table
      try controller.performFetch()
      table.reloadData(controller)
      return (controller, table)
    }
    #expect(lists.map { $0.0.fetchedObjects?.count } == [3, 0])
    let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: "Zone")
    let request = NSBatchDeleteRequest(fetchRequest: fetch)
    request.resultType = .resultTypeObjectIDs
    let result = try other.execute(request) as? NSBatchDeleteResult
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: result?.result ?? []],
      into: [mine]
    )
    #expect(lists.map { $0.0.fetchedObjects?.count } == [0, 3])
    for (controller, table) in lists { try table.check(controller) }
    #expect(held.allSatisfy { $0.link("home") == nil })
    #expect(try mine.checkInvariants() == [] && !mine.hasChanges)
  }

  @Test("A save's deletions are merged without a look at other objects, those of a batch with one")
  func cost() throws {
    let (zone, nations) = try zone(50)
    let held = try mine.existingObject(with: zone).linked("nations")
    #expect(held.count == 50)
    let before = mine.registry.visits
    other.delete(other.object(with: nations[0]))
    mine.mergeChanges(fromContextDidSave: try world.saveOther())
    #expect(mine.registry.visits == before)
    let known = mine.registry.count
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectIDsKey: [nations[0]]],
      into: [mine]
    )
    #expect(mine.registry.visits - before <= known)
    #expect(held.count == 50)
  }

  @Test("A fault whose row vanished leaves the relationships that named it")
  func vanishedFault() throws {
    let (zone, nations) = try zone(2)
    let home = try mine.existingObject(with: zone)
    #expect(home.linked("nations").count == 2)
    other.delete(other.object(with: nations[0]))
    _ = try world.saveOther()
    let fault = mine.object(with: nations[0])
    #expect(fault.value(forKey: "name") == nil)
    mine.processPendingChanges()
    #expect(home.linked("nations").map(\.objectID) == [nations[1]])
    #expect(try mine.checkInvariants() == [])
  }

  @Test("Undoing brings back no object whose row vanished")
  func vanishedFaultAndUndo() throws {
    let (_, nations) = try zone(1)
    let nation = try mine.existingObject(with: nations[0])
    mine.undoManager = UndoManager()
    other.delete(other.object(with: nations[0]))
    _ = try world.saveOther()
    mine.refresh(nation, mergeChanges: false)
    #expect(nation.value(forKey: "name") == nil)
    mine.processPendingChanges()
    mine.undo()
    #expect(!nation.isInserted && mine.insertedObjects.isEmpty)
  }

  // MARK: Rows that come back

  @Test("A row that another context's save brings back is not deleted any more")
  func broughtBack() throws {
    let world = try ListLawFindings(isSQLite: true)
    let object = world.add("Nation", ["name": "x", "wins": 1])
    try world.mine.save()
    let id = object.objectID
    let first = world.context(merging: true)
    let second = world.context()
    world.mine.automaticallyMergesChangesFromParent = true
    first.object(with: id).setValue(2, forKey: "wins")
    second.object(with: id).setValue(3, forKey: "wins")
    let list = world.controller(order: ["name"])
    let table = TableMirror()
    list.delegate = table
    try list.performFetch()
    table.reloadData(list)
    world.mine.delete(object)
    try world.mine.save()
    first.performAndWait {}
    #expect(first.object(with: id).isDeleted)
    try second.save()
    first.performAndWait {}
    #expect(!first.object(with: id).isDeleted)
    #expect(first.object(with: id).value(forKey: "wins") as? Int == 3)
    let posts = Posts(first, .NSManagedObjectContextDidSave)
    try first.save()
    world.mine.performAndWait {}
    #expect(posts.infos.allSatisfy { $0[NSDeletedObjectsKey] == nil })
    #expect(list.fetchedObjects?.map(\.objectID) == [id])
    try table.check(list)
    #expect(try world.sql("SELECT ZWINS FROM ZNATION") == ["3"])
  }

  @Test("A deletion that a later save has overtaken is not taken over", arguments: [false, true])
  func overtakenDeletion(_ isKnown: Bool) throws {
    let object = world.add("Nation", ["name": "x", "wins": 1])
    try mine.save()
    let id = object.objectID
    let reader = world.context()
    let seen = isKnown ? try reader.existingObject(with: id) : nil
    let second = world.context()
    second.object(with: id).setValue(3, forKey: "wins")
    let deletion = Posts(other, .NSManagedObjectContextDidSave)
    other.delete(other.object(with: id))
    try other.save()
    try second.save()
    reader.mergeChanges(fromContextDidSave: try #require(deletion.last))
    #expect(seen?.isDeleted != true)
    if isKnown { #expect(seen?.value(forKey: "wins") as? Int == 3) }
    #expect(!reader.hasChanges)
  }

  @Test(
    "Two saves that insert one row again meet as a conflict of their values",
    arguments: [true, false]
  )
  func insertedAgainTwice(_ isSQLite: Bool) throws {
    let world = try ListLawFindings(isSQLite: isSQLite)
    let object = world.add("Nation", ["name": "x", "wins": 1, "note": "a"])
    try world.mine.save()
    let id = object.objectID
    let rival = world.context()
    let own = world.context(RivalPolicy(rival))
    own.object(with: id).setValue(2, forKey: "wins")
    rival.object(with: id).setValue("b", forKey: "note")
    world.mine.delete(object)
    try world.mine.save()
    try own.save()
    let fresh = world.context()
    let read = try fresh.existingObject(with: id)
    #expect(read.value(forKey: "wins") as? Int == 2)
    #expect(read.value(forKey: "note") as? String == "b")
    #expect(own.object(with: id).value(forKey: "note") as? String == "b")
    #expect(!own.hasChanges)
  }

  @Test("A row inserted again does not lead to a row that is gone")
  func insertedAgainWithoutDestination() throws {
    let (zone, nations) = try zone(1)
    let nation = try mine.existingObject(with: nations[0])
    nation.setValue(7, forKey: "wins")
    other.delete(other.object(with: zone))
    other.delete(other.object(with: nations[0]))
    _ = try world.saveOther()
    try mine.save()
    #expect(try world.brokenLinks() == [])
    #expect(try text("SELECT ZWINS || ifnull(ZHOME, '-') FROM ZNATION") == "7-")
    #expect(nation.link("home") == nil && !mine.hasChanges)
  }

  // MARK: Lists

  @Test("A difference that a save's merge tells gives the IDs that the save has made permanent")
  func differenceInSave() throws {
    let old = world.add("Nation", ["name": "a", "wins": 1])
    try mine.save()
    let controller = world.controller(order: ["name"])
    let mirror = ExactDifferences()
    controller.delegate = mirror
    try controller.performFetch()
    mirror.ids = (controller.fetchedObjects ?? []).map(\.objectID)
    world.add("Nation", ["name": "b"])
    world.add("Nation", ["name": "0"])
    mine.processPendingChanges()
    world.twin(old).setValue("z", forKey: "name")
    _ = try world.saveOther()
    old.setValue(2, forKey: "wins")
    try mine.save()
    #expect(mirror.failures == [])
    #expect(mirror.ids == (controller.fetchedObjects ?? []).map(\.objectID))
    #expect(mirror.ids.allSatisfy { !$0.isTemporaryID })
  }

  @Test("A child's list is told nothing of rows that it saved itself once the parent saves them")
  func ownRowsOfAChild() throws {
    let (_, nations) = try zone(2)
    let child = world.child(of: mine)
    child.automaticallyMergesChangesFromParent = true
    let controller = world.controller(order: ["name"], in: child)
    let table = TableMirror()
    controller.delegate = table
    try controller.performFetch()
    table.reloadData(controller)
    child.object(with: nations[0]).setValue(5, forKey: "wins")
    world.add("Nation", ["name": "new"], in: child)
    try child.save()
    table.forgetRounds()
    try mine.save()
    child.performAndWait {}
    #expect(table.rounds.isEmpty, "\(table.rounds)")
    // What the parent has changed besides is told.
    mine.object(with: nations[1]).setValue(6, forKey: "wins")
    try mine.save()
    child.performAndWait {}
    #expect(table.rounds.count == 1)
    try table.check(controller)
  }
}

/// Lets another context save while a save resolves its conflicts, once.
private final class RivalPolicy: NSMergePolicy, @unchecked Sendable {
  // Unchecked: used on one thread.
  private var rival: NSManagedObjectContext?

  init(_ rival: NSManagedObjectContext) {
    self.rival = rival
    super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType)
  }

  override func resolve(mergeConflicts list: [Any]) throws {
    try super.resolve(mergeConflicts: list)
    try rival?.save()
    rival = nil
  }
}

/// Applies each difference where it is told, and compares with the controller there.
private final class ExactDifferences: NSFetchedResultsControllerDelegate {
  var ids: [NSManagedObjectID] = []
  private(set) var failures: [String] = []

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) {
    guard let new = ids.applying(diff) else {
      failures.append("\(diff) does not fit \(ids)")
      return
    }
    ids = new
    let shown = (controller.fetchedObjects ?? []).compactMap { ($0 as? NSManagedObject)?.objectID }
    if ids != shown { failures.append("\(ids) where the content is \(shown)") }
  }
}
