// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// The objects for which a policy was called, in the manager's `userInfo`.
private final class Visited {
  var labels: [String] = []
}

private final class VisitingPolicy: NSEntityMigrationPolicy {
  override func createRelationships(
    forDestination dInstance: NSManagedObject,
    in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    let visited = manager.userInfo?["visited"] as? Visited
    visited?.labels.append(dInstance.value(forKey: "label") as? String ?? "")
    try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
  }
}

/// Gives the shelf of folder 3, which has no notes, the first entry.
private final class LinkingPolicy: NSEntityMigrationPolicy {
  override func endInstanceCreation(
    forMapping mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    let shelves = NSFetchRequest<NSManagedObject>(entityName: "Shelf")
    shelves.predicate = NSPredicate(format: "label == 'folder 3'")
    let entries = NSFetchRequest<NSManagedObject>(entityName: "Entry")
    let shelf = try manager.destinationContext.fetch(shelves).first
    shelf?.setValue(Set(try manager.destinationContext.fetch(entries).prefix(1)), forKey: "entries")
  }
}

/// Objects whose to-manys are empty, among others that have members.
@Suite("Objects without partners in a mapping model")
struct UnrelatedObjectsTests {
  private func migration(_ notes: Int, folders: Int) throws -> NotesMigration {
    let migration = try NotesMigration()
    try migration.fill(notes, folders: folders)
    migration.mapping.entityMappings[0].relationshipMappings = [
      NotesMigration.property(
        "entries",
        NotesMigration.instances("NoteToEntry", "$source.notes")
      )
    ]
    return migration
  }

  private func entries(_ migration: NotesMigration) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for shelf in try migration.migrated("Shelf", by: "label") {
      let label = shelf.value(forKey: "label") as? String ?? ""
      counts[label] = (shelf.value(forKey: "entries") as? NSSet)?.count
    }
    return counts
  }

  @Test("A policy is called for each object in order, also for those without partners")
  func policy() throws {
    let migration = try migration(2, folders: 700)
    migration.mapping.entityMappings[0].entityMigrationPolicyClassName =
      MigrationPolicyClasses.name(of: VisitingPolicy.self)
    let (manager, visited) = (migration.manager(), Visited())
    manager.userInfo = ["visited": visited]
    try migration.migrate(manager)
    #expect(Set(visited.labels) == Set((0..<700).map { "folder \($0)" }))
    #expect(visited.labels.count == 700)
    let counts = try entries(migration)
    #expect(counts.count == 700 && counts["folder 0"] == 1 && counts["folder 1"] == 1)
    #expect(counts.values.reduce(0, +) == 2)
  }

  @Test("A to-many that a policy has filled is replaced by the value of the expression")
  func replaced() throws {
    let migration = try migration(3, folders: 5)
    migration.note.relationshipMappings?.removeAll { $0.name == "shelf" }
    migration.note.entityMigrationPolicyClassName =
      MigrationPolicyClasses.name(of: LinkingPolicy.self)
    try migration.migrate()
    let expected = [1, 1, 1, 0, 0]
    let counts = try entries(migration)
    #expect((0..<5).map { counts["folder \($0)"] } == expected)
  }
}
