// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataModel
import _CoreDataSQLite

/// What a migration in place costs beyond opening the store, counted without a clock.
@Suite("The cost of a migration in place")
struct MigrationCostTests {
  private static let count = 40

  /// A model of many entities, the first of which has the attributes that are named.
  private static func draft(_ attributes: [String]) throws -> ModelDraft {
    let own = attributes.map {
      #"<attribute name="\#($0)" optional="YES" attributeType="String"/>"#
    }
    let others = (1..<count).map { #"<entity name="E\#($0)"/>"# }
    return try InferredMigrationTests.draft(
      #"<entity name="E0">\#(own.joined())</entity>\#(others.joined())"#
    )
  }

  private static func filled() throws -> MigratedFile {
    let file = try MigratedFile()
    try file.open(draft(["name"])) { context, _ in
      let object = NSEntityDescription.insertNewObject(forEntityName: "E0", into: context)
      object.setValue("one", forKey: "name")
      try context.save()
    }
    return file
  }

  @Test("A migration that adds an attribute compiles 12 statements, and one for each entity")
  func statements() throws {
    func compiled(_ file: MigratedFile, _ draft: ModelDraft) throws -> Int {
      try file.open(draft, options: MigratedFile.migrating) { context, store in
        let count = store.statements.counts.prepared
        let objects = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "E0"))
        #expect(objects.map { $0.value(forKey: "name") as? String } == ["one"])
        return count
      }
    }
    let file = try Self.filled()
    let opening = try compiled(file, Self.draft(["name"]))
    let new = try Self.draft(["name", "motto"])
    let migrating = try compiled(file, new)
    #expect(opening > 0)
    // A statement for each entity gives it its number.
    #expect(migrating - opening <= Self.count + 12)
    // A store that is up to date is only opened.
    #expect(try compiled(file, new) == opening)
  }

  @Test(
    "A migration decodes the store's model once, and hashes the old and the new model once",
    .enabled(if: WorkCounter.isCounting)
  )
  func models() throws {
    let file = try Self.filled()
    let model = try NSManagedObjectModel.tools(Self.draft(["name", "motto"]))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let steps = try WorkCounter.count {
      let store = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType,
        configurationName: nil,
        at: file.url,
        options: MigratedFile.migrating
      )
      try coordinator.remove(store)
    }
    #expect(steps == 3 * Self.count)
  }
}
