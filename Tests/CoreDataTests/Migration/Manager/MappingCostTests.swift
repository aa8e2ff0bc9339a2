// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataSQLite

/// The counters of a migration's stores, which its policy finds.
private final class StatementCounts {
  private var observers: [StatementObserver] = []
  var started: Int { observers.reduce(0) { $0 + $1.counts.started } }

  func observe(_ manager: NSMigrationManager) {
    if !observers.isEmpty { return }
    for context in [manager.sourceContext, manager.destinationContext] {
      observers += (context.persistentStoreCoordinator?.persistentStores ?? []).map(\.statements)
    }
  }
}

private final class CountedPolicy: NSEntityMigrationPolicy {
  override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
    (manager.userInfo?["counts"] as? StatementCounts)?.observe(manager)
  }
}

@Suite("The cost of a migration with a mapping model")
struct MappingCostTests {
  /// The statements of a migration of notes, each with a folder and two tags.
  private func statements(_ notes: Int) throws -> Int {
    let migration = try NotesMigration()
    try migration.fill(notes)
    migration.mapping.entityMappings[0].entityMigrationPolicyClassName =
      MigrationPolicyClasses.name(of: CountedPolicy.self)
    let counts = StatementCounts()
    let manager = migration.manager()
    manager.userInfo = ["counts": counts]
    try migration.migrate(manager)
    #expect(try migration.migrated("Entry", by: "rank").count == notes)
    return counts.started
  }

  @Test("1,000 objects with a to-one and a to-many need at most 70 statements in both stores")
  func statements() throws {
    let few = try statements(1_024)
    let many = try statements(3_072)
    #expect(few > 0)
    let perThousand = Double(many - few) / 2.048
    #expect(perThousand <= 70)
  }
}
