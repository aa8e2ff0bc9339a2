// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataModel

/// The log of a store that is migrated while it is added.
@Suite("The log of a migration in place")
struct MigrationLogTests {
  private let old = InferredMigrationTests.team
  private let new = InferredMigrationTests.team + #"<entity name="Cup"/>"#

  private func filled() throws -> MigratedFile {
    let file = try MigratedFile()
    try file.open(InferredMigrationTests.draft(old)) { context, _ in
      for number in 0..<3 {
        let team = NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
        team.setValue("team \(number)", forKey: "name")
      }
      try context.save()
    }
    return file
  }

  private func logSize(_ file: MigratedFile) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.url.path + "-wal")
    return (attributes?[.size] as? NSNumber)?.intValue ?? 0
  }

  private func teams(_ file: MigratedFile, _ options: [AnyHashable: Any]) throws -> Int {
    try file.open(InferredMigrationTests.draft(new), options: options) { context, _ in
      try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Team"))
    }
  }

  @Test("The open store has the migration in its log, and the closed file has all of it")
  func log() throws {
    let file = try filled()
    try file.open(InferredMigrationTests.draft(new), options: MigratedFile.migrating) { _, _ in
      #expect(logSize(file) > 0)
      // A copy of the file and its log, as after a kill.
      let copy = try file.copy()
      #expect(try teams(copy, [:]) == 3)
    }
    #expect(logSize(file) == 0)
    #expect(try teams(file, [:]) == 3)
  }

  @Test(
    "A store is migrated with other modes of journal, locking and waiting for the disk",
    arguments: [
      ["journal_mode": "DELETE"], ["locking_mode": "EXCLUSIVE"], ["synchronous": "FULL"],
      ["journal_mode": "DELETE", "locking_mode": "EXCLUSIVE"],
    ]
  )
  func modes(_ pragmas: [String: String]) throws {
    let file = try filled()
    try file.migrate(
      to: InferredMigrationTests.draft(new),
      options: [NSSQLitePragmasOption: pragmas, NSPersistentStoreTimeoutOption: 5]
    )
    #expect(try teams(file, [:]) == 3)
  }
}
