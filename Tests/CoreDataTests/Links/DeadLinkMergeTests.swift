// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import Testing

/// Merges that meet deletions made, or made again, in the context.
@Suite("Links to what is gone, after merges")
struct DeadLinkMergeTests {
  private let world: ListLawFindings
  private var mine: NSManagedObjectContext { world.mine }
  private var other: NSManagedObjectContext { world.other }

  init() throws { world = try ListLawFindings(isSQLite: true) }

  @Test("A changed to-many that a merge reads again leaves out members that are deleted here")
  func changedToMany() throws {
    let home = world.add("Zone", ["label": "A"])
    let leaving = world.add("Nation", ["name": "n", "home": home])
    try mine.save()
    #expect(home.linked("nations").count == 1)
    leaving.setValue(nil, forKey: "home")
    mine.processPendingChanges()
    let zone = other.object(with: home.objectID)
    zone.setValue("B", forKey: "label")
    let new = world.add("Nation", ["name": "b", "home": zone], in: other)
    let saved = try world.saveOther()
    mine.delete(mine.object(with: new.objectID))
    mine.processPendingChanges()
    mine.mergeChanges(fromContextDidSave: saved)
    #expect(home.linked("nations").isEmpty)
    #expect(try mine.checkInvariants() == [])
    try mine.save()
    #expect(home.linked("nations").isEmpty)
    #expect(try world.brokenLinks() == [])
  }

  @Test("A deletion made again takes the object out of what a merge led to it")
  func redoneDeletion() throws {
    let home = world.add("Zone", ["label": "A"])
    let nation = world.add("Nation", ["name": "n"])
    try mine.save()
    mine.undoManager = UndoManager()
    mine.delete(nation)
    mine.processPendingChanges()
    mine.undo()
    mine.processPendingChanges()
    try mine.save()
    #expect(home.linked("nations").isEmpty)
    other.object(with: nation.objectID).setValue(other.object(with: home.objectID), forKey: "home")
    mine.mergeChanges(fromContextDidSave: try world.saveOther())
    #expect(home.linked("nations") == [nation])
    mine.redo()
    mine.processPendingChanges()
    #expect(nation.isDeleted)
    #expect(home.linked("nations").isEmpty)
    #expect(try mine.checkInvariants() == [])
    mine.undo()
    mine.processPendingChanges()
    #expect(home.linked("nations") == [nation] && nation.link("home") === home)
    #expect(try mine.checkInvariants() == [])
  }

  @Test("A rollback brings an object back without a link to a row that a batch has deleted")
  func rolledBackDeletion() throws {
    let home = world.add("Zone", ["label": "A"])
    let nation = world.add("Nation", ["name": "n", "home": home])
    try mine.save()
    mine.delete(nation)
    mine.processPendingChanges()
    let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Zone"))
    request.resultType = .resultTypeObjectIDs
    let result = try other.execute(request) as? NSBatchDeleteResult
    let ids = try #require(result?.result as? [NSManagedObjectID])
    #expect(ids == [home.objectID])
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: ids],
      into: [mine]
    )
    mine.rollback()
    #expect(!nation.isDeleted && nation.value(forKey: "name") as? String == "n")
    #expect(nation.link("home") == nil)
    #expect(try mine.checkInvariants() == [])
  }
}
