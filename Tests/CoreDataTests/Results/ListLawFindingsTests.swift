// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import Testing

/// A small test for each cause that the law of lists has found.
@Suite("What the law of lists found")
struct ListLawFindingsTests {
  private let world: ListLawFindings
  private var mine: NSManagedObjectContext { world.mine }

  init() throws { world = try ListLawFindings() }

  private func names(_ controller: NSFetchedResultsController<NSManagedObject>) -> [String] {
    (controller.fetchedObjects ?? []).map { name($0) }
  }

  /// Two zones, A and C, with a nation each: n1 and n2; saved.
  private func zones() throws -> (
    a: NSManagedObject, c: NSManagedObject, nations: [NSManagedObject]
  ) {
    let a = world.add("Zone", ["label": "A"])
    let c = world.add("Zone", ["label": "C"])
    let nations = [
      world.add("Nation", ["name": "n1", "home": a, "wins": 1]),
      world.add("Nation", ["name": "n2", "home": c, "wins": 2]),
    ]
    try mine.save()
    return (a, c, nations)
  }

  // MARK: Fetches and lists

  @Test("A fetch counts with unsaved changes of the objects that its predicate and order read")
  func unsavedRelated() throws {
    let (a, c, nations) = try zones()
    a.setValue("D", forKey: "label")
    #expect(try world.fetch("home.label > 'C'") == [nations[0]])
    #expect(try world.fetch("name != nil", order: ["home.label"]) == [nations[1], nations[0]])
    c.setValue("E", forKey: "label")
    #expect(try mine.count(for: request("home.label > 'C'")) == 2)
  }

  private func request(_ predicate: String) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Nation")
    request.predicate = NSPredicate(format: predicate)
    return request
  }

  @Test("Neighbours that move together with what they read all move")
  func neighboursMoveTogether() throws {
    let (a, _, _) = try zones()
    world.add("Nation", ["name": "n0", "home": a])
    try mine.save()
    let controller = world.controller(order: ["home.label", "name"])
    let table = TableMirror()
    controller.delegate = table
    try controller.performFetch()
    table.reloadData(controller)
    #expect(names(controller) == ["n0", "n1", "n2"])
    a.setValue("D", forKey: "label")
    mine.processPendingChanges()
    #expect(names(controller) == ["n2", "n0", "n1"])
    try table.check(controller)
  }

  @Test("What reaches a changed object through a relationship without inverse comes, known or not")
  func withoutInverse() throws {
    let judge = world.add("Judge", ["grade": 1])
    world.add("Nation", ["name": "n1", "judge": judge])
    try mine.save()
    mine.reset()
    let controller = world.controller("Nation", "judge.grade > 2", order: ["name"])
    let table = TableMirror()
    controller.delegate = table
    try controller.performFetch()
    table.reloadData(controller)
    mine.object(with: judge.objectID).setValue(3, forKey: "grade")
    mine.processPendingChanges()
    #expect(names(controller) == ["n1"])
    try table.check(controller)
  }

  @Test("Rows placed beside newer rows than the list knows are looked at after the merge")
  func unsureRows() throws {
    let nations = (1...7).map { world.add("Nation", ["name": "n\($0)", "wins": $0 * 10]) }
    try mine.save()
    let ids = nations.map(\.objectID)
    mine.reset()
    let controller = world.controller(order: ["wins"], batchSize: 1)
    let table = TableMirror()
    controller.delegate = table
    try controller.performFetch()
    table.reloadData(controller)
    world.other.object(with: ids[2]).setValue(90, forKey: "wins")
    let saved = try world.saveOther()
    // The search for n7's place reads n3's new row, which the list does not know of.
    mine.object(with: ids[6]).setValue(45, forKey: "wins")
    mine.processPendingChanges()
    mine.mergeChanges(fromContextDidSave: saved)
    #expect(names(controller) == ["n1", "n2", "n4", "n7", "n5", "n6", "n3"])
    try table.check(controller)
  }

  @Test("A fetch whose rows others have changed goes by the values that objects have here")
  func staleOrder() throws {
    let nations = ["Asia", "Asia", "Europe"].enumerated().map { index, zone in
      world.add("Nation", ["name": "n\(index)", "zone": zone, "wins": index])
    }
    world.add("Nation", ["name": "n3", "zone": "Oceania"])
    try mine.save()
    // The store has n0 at the end now, behind Oceania.
    world.twin(nations[0]).setValue("Zealandia", forKey: "zone")
    _ = try world.saveOther()
    #expect(nations[0].value(forKey: "zone") as? String == "Asia")
    let controller = world.controller(order: ["zone", "name"], sections: "zone")
    try controller.performFetch()
    #expect(text(controller) == "Asia: n0 n1 | Europe: n2 | Oceania: n3")
  }

  @Test("Differences replace temporary IDs that the fetch showed, in a child context too")
  func fetchedTemporaryIDs() throws {
    for context in [mine, world.child(of: mine)] {
      world.add("Nation", ["name": "n1"], in: context)
      context.processPendingChanges()
      let controller = world.controller(order: ["name"], in: context)
      let recorder = DifferenceRecorder()
      controller.delegate = recorder
      try controller.performFetch()
      recorder.ids = (controller.fetchedObjects ?? []).map(\.objectID)
      #expect(recorder.ids.contains { $0.isTemporaryID })
      if context !== mine {
        // The root gives permanent IDs while the child has them in use.
        try context.save()
        try mine.save()
        world.add("Nation", ["name": "n2"], in: context)
      }
      try context.save()
      let shown = (controller.fetchedObjects ?? []).map(\.objectID)
      #expect(recorder.ids == shown)
      #expect(recorder.ids.map(\.isTemporaryID) == shown.map(\.isTemporaryID))
      #expect(!recorder.ids[0].isTemporaryID)
    }
  }

  // MARK: Undo and rollback

  @Test("An insertion that is undone and done again is found once")
  func insertedAgain() throws {
    mine.undoManager = UndoManager()
    world.add("Nation", ["name": "n1"])
    mine.processPendingChanges()
    mine.undo()
    mine.redo()
    #expect(try world.fetch("name == 'n1'").count == 1)
    try mine.save()
    #expect(try world.fetch("name == 'n1'").count == 1)
  }

  @Test("What a refresh takes back is not undone")
  func refreshIsNoStep() throws {
    let (a, c, nations) = try zones()
    mine.undoManager = UndoManager()
    nations[0].setValue(c, forKey: "home")
    mine.processPendingChanges()
    mine.refresh(nations[0], mergeChanges: false)
    mine.processPendingChanges()
    mine.undo()
    #expect(nations[0].link("home") === a)
    #expect(c.linked("nations") == [nations[1]])
  }

  @Test("A rollback reports what was refreshed since the last event")
  func rollbackAfterRefresh() throws {
    let (a, _, nations) = try zones()
    let controller = world.controller(order: ["wins"])
    let table = TableMirror()
    controller.delegate = table
    try controller.performFetch()
    table.reloadData(controller)
    world.twin(nations[0]).setValue(9, forKey: "wins")
    _ = try world.saveOther()
    mine.refresh(nations[0], mergeChanges: true)
    // Nothing that the list shows or reads.
    a.setValue("unsaved", forKey: "note")
    mine.rollback()
    #expect(names(controller) == ["n2", "n1"])
    try table.check(controller)
  }

  @Test("Undoing a deletion brings an object back whose row went meanwhile: as a new one")
  func undoAfterMergedDeletion() throws {
    let (_, _, nations) = try zones()
    mine.undoManager = UndoManager()
    mine.delete(nations[0])
    mine.processPendingChanges()
    world.other.delete(world.twin(nations[0]))
    mine.mergeChanges(fromContextDidSave: try world.saveOther())
    mine.undo()
    #expect(nations[0].isInserted && !nations[0].isDeleted)
    try mine.save()
    #expect(try world.fetch("name == 'n1'") == [nations[0]])
  }

  // MARK: Merges under unsaved changes

  @Test("A merged deletion cuts unsaved links to the object, and a list drops what led there")
  func unsavedLinks() throws {
    let (a, c, nations) = try zones()
    let controller = world.controller("Nation", "home.label == 'C'", order: ["name"])
    let recorder = ResultsRecorder(controller)
    controller.delegate = recorder
    nations[0].setValue(c, forKey: "home")
    mine.processPendingChanges()
    try controller.performFetch()
    #expect(names(controller) == ["n1", "n2"])
    world.other.delete(world.twin(c))
    mine.mergeChanges(fromContextDidSave: try world.saveOther())
    #expect(nations[0].link("home") == nil && names(controller) == [])
    #expect(a.linked("nations") == [])
    #expect(recorder.removeEvents().filter { $0.hasPrefix("delete") }.count == 2)
  }

  @Test("A merged deletion cascades along unsaved links, in the merge and not in an undo step")
  func unsavedCascade() throws {
    let (a, _, nations) = try zones()
    let region = world.add("Region", ["label": "R"])
    try mine.save()
    mine.undoManager = UndoManager()
    a.setValue(region, forKey: "region")
    mine.processPendingChanges()
    mine.undoManager?.removeAllActions()
    world.other.delete(world.twin(region))
    mine.mergeChanges(fromContextDidSave: try world.saveOther())
    #expect(a.isDeleted && nations[0].link("home") == nil)
    #expect(mine.undoManager?.canUndo == false)
  }

  @Test("Where a parent's unsaved links are cut by a merged deletion, its children hear of it")
  func followersInChildren() throws {
    let (_, c, nations) = try zones()
    nations[0].setValue(c, forKey: "home")
    let child = world.child(of: mine)
    let held = world.twin(nations[0], in: child)
    #expect(held.link("home") != nil)
    world.other.delete(world.twin(c))
    _ = try world.saveOther()
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: [c.objectID]],
      into: [mine, child]
    )
    #expect(nations[0].link("home") == nil && held.link("home") == nil)
  }

  private static func ids(_ objects: Any?) -> [NSManagedObjectID] {
    (objects as? Set<NSManagedObject> ?? []).map(\.objectID)
  }

  @Test("The delete rules of a deletion here reach what another context has linked to it since")
  func renewedDeletion() throws {
    let (a, _, nations) = try zones()
    mine.delete(a)
    mine.processPendingChanges()
    world.twin(nations[1]).setValue(world.twin(a), forKey: "home")
    let saved = try world.saveOther()
    let info = saved.userInfo ?? [:]
    var updated = Self.ids(info[NSUpdatedObjectsKey])
    if !updated.contains(a.objectID) { updated.append(a.objectID) }
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectsKey: updated],
      into: [mine]
    )
    #expect(nations[1].link("home") == nil)
    try mine.save()
    #expect(try world.fetch("home != nil").isEmpty)
  }

  @Test("What leads elsewhere by an unsaved change is gained by no other to-many in a merge")
  func keptReferences() throws {
    let (a, c, nations) = try zones()
    let b = world.add("Zone", ["label": "B"])
    try mine.save()
    #expect(c.linked("nations").count == 1 && b.linked("nations").isEmpty)
    nations[0].setValue(b, forKey: "home")
    world.twin(nations[0]).setValue(world.twin(c), forKey: "home")
    mine.mergeChanges(fromContextDidSave: try world.saveOther())
    #expect(nations[0].link("home") === b && b.linked("nations") == [nations[0]])
    #expect(c.linked("nations") == [nations[1]] && a.linked("nations").isEmpty)
  }

  // MARK: To-manys that were loaded

  @Test("A to-one that another context changed moves the object between to-manys that were loaded")
  func newReferences() throws {
    let (a, c, nations) = try zones()
    #expect(a.linked("nations").count == 1 && c.linked("nations").count == 1)
    world.twin(nations[0]).setValue(world.twin(c), forKey: "home")
    _ = try world.saveOther()
    // The object alone is named, not the zones.
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectsKey: [nations[0].objectID]],
      into: [mine]
    )
    #expect(a.linked("nations").isEmpty && c.linked("nations") == Set(nations))
  }

  @Test("An object whose deletion is merged leaves to-manys that were loaded")
  func lostMembership() throws {
    let (a, _, nations) = try zones()
    #expect(a.linked("nations") == [nations[0]])
    world.other.delete(world.twin(nations[0]))
    _ = try world.saveOther()
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: [nations[0].objectID]],
      into: [mine]
    )
    #expect(a.linked("nations").isEmpty)
  }

  @Test("A fault that has read its members reads them again after a merge that names it")
  func faultWithMembers() throws {
    let (a, _, nations) = try zones()
    mine.refresh(a, mergeChanges: false)
    #expect(a.mutableSetValue(forKey: "nations").count == 1)
    world.twin(nations[1]).setValue(world.twin(a), forKey: "home")
    _ = try world.saveOther()
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectsKey: [a.objectID]],
      into: [mine]
    )
    #expect(a.linked("nations") == Set(nations))
  }

  // MARK: Child contexts

  @Test("What a child has deleted, saved and brought back comes back in the parent")
  func revived() throws {
    let (_, c, nations) = try zones()
    let child = world.child(of: mine)
    child.undoManager = UndoManager()
    let held = world.twin(nations[0], in: child)
    held.setValue("kept", forKey: "note")
    child.processPendingChanges()
    child.delete(held)
    try child.save()
    #expect(nations[0].isDeleted)
    child.undo()
    held.setValue(world.twin(c, in: child), forKey: "home")
    try child.save()
    #expect(!nations[0].isDeleted && nations[0].link("home") === c)
    try mine.save()
    #expect(try world.fetch("name == 'n1' AND home.label == 'C'") == [nations[0]])
  }

  @Test("A child's save leaves members out whose rows are gone")
  func goneMembers() throws {
    let tags = ["T1", "T2"].map { world.add("Tag", ["name": $0]) }
    let nation = world.add("Nation", ["name": "n1", "tags": NSSet(object: tags[0])])
    try mine.save()
    let ids = tags.map(\.objectID)
    let child = world.child(of: mine)
    let held = world.twin(nation, in: child)
    let members = held.mutableSetValue(forKey: "tags")
    let twins = tags.map { world.twin($0, in: child) }
    for tag in tags { world.other.delete(world.twin(tag)) }
    _ = try world.saveOther()
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: ids],
      into: [mine, child]
    )
    // The parent has no objects any more that stand for the rows.
    try mine.save()
    members.remove(twins[0])
    members.add(twins[1])
    try child.save()
    try mine.save()
    #expect(nation.linked("tags").isEmpty && mine.registeredObject(for: ids[1]) == nil)
  }

  // MARK: Batches

  @Test("Owners of members that a batch moves or deletes hear of it, the members known here or not")
  func batchOwners() throws {
    let world = try ListLawFindings(isSQLite: true)
    world.mine.automaticallyMergesBatchChanges = true
    var zones = ["A", "C"].map { world.add("Zone", ["label": $0]) }
    world.add("Nation", ["name": "n1", "home": zones[0]])
    try world.mine.save()
    let ids = zones.map(\.objectID)
    world.mine.reset()
    zones = ids.map { world.mine.object(with: $0) }
    // Counts the members without making objects of them.
    let counts = { zones.map { $0.mutableSetValue(forKey: "nations").count } }
    #expect(counts() == [1, 0])
    let update = NSBatchUpdateRequest(entityName: "Nation")
    update.propertiesToUpdate = ["home": zones[1]]
    update.resultType = .updatedObjectsCountResultType
    _ = try world.mine.execute(update)
    #expect(counts() == [0, 1])
    let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: "Nation")
    _ = try world.mine.execute(NSBatchDeleteRequest(fetchRequest: fetch))
    #expect(counts() == [0, 0])
  }
}
