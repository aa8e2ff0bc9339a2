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

  @Test(
    "What moves away before its insertion is merged does not come back with the merge",
    arguments: [false, true]
  )
  func movedBeforeItsMerge(_ isOneToMany: Bool) throws {
    let (kind, label, key) = isOneToMany ? ("Zone", "label", "home") : ("Tag", "name", "tags")
    let owner = world.add(kind, [label: "A"])
    let next = world.add(kind, [label: "B"])
    try mine.save()
    #expect(owner.linked("nations").isEmpty && next.linked("nations").isEmpty)
    let twin = world.twin(owner)
    let new = world.add(
      "Nation",
      ["name": "n", key: isOneToMany ? twin : NSSet(object: twin)],
      in: other
    )
    let saved = try world.saveOther()
    let seen = mine.object(with: new.objectID)
    #expect(isOneToMany ? seen.link(key) === owner : seen.linked(key) == [owner])
    seen.setValue(isOneToMany ? next : NSSet(object: next), forKey: key)
    mine.processPendingChanges()
    mine.mergeChanges(fromContextDidSave: saved)
    #expect(owner.linked("nations").isEmpty && next.linked("nations") == [seen])
    mine.delete(seen)
    mine.processPendingChanges()
    #expect(owner.linked("nations").isEmpty && next.linked("nations").isEmpty)
    #expect(try mine.checkInvariants() == [])
    mine.rollback()
    #expect(owner.linked("nations") == [seen])
    #expect(try mine.checkInvariants() == [])
  }

  // MARK: Conflicts

  @Test(
    "A save names both ends of a link that its merge policy takes away from another's",
    arguments: [false, true]
  )
  func overwrittenLink(_ isHeld: Bool) throws {
    let tags = ["T1", "T2"].map { world.add("Tag", ["name": $0]) }
    let nation = world.add("Nation", ["name": "n", "tags": NSSet(object: tags[0])])
    try mine.save()
    let ids = tags.map(\.objectID)
    let reader = world.context(.overwrite)
    let seen = try reader.existingObject(with: nation.objectID)
    let held = isHeld ? try reader.existingObject(with: ids[1]) : nil
    #expect(seen.linked("tags").count == 1)
    nation.mutableSetValue(forKey: "tags").add(tags[1])
    try mine.save()
    #expect(tags[1].linked("nations") == [nation])
    seen.setValue(NSSet(), forKey: "tags")
    let posts = Posts(reader, .NSManagedObjectContextDidSave)
    try reader.save()
    #expect(try world.context().existingObject(with: ids[1]).linked("nations").isEmpty)
    mine.mergeChanges(fromContextDidSave: try #require(posts.last))
    #expect(nation.linked("tags").isEmpty && tags[1].linked("nations").isEmpty)
    #expect(try mine.checkInvariants() == [])
    withExtendedLifetime(held) {}
  }
}
