// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// The plan of a migration says what adding the store would do, and changes nothing.
@Suite("Plan of a migration")
struct StoreMigrationPlanTests {
  private static let text = #"optional="YES" attributeType="String""#
  private static func team(_ more: String) -> String {
    "<entity name=\"Team\"><attribute name=\"name\" \(text)/>\(more)</entity>"
  }
  private static let city = "<attribute name=\"city\" \(text)/>"
  private static let rank =
    #"<attribute name="rank" attributeType="Integer 32" defaultValueString="5"/>"#
  private static let unique =
    #"<uniquenessConstraints><uniquenessConstraint><constraint value="name"/></uniquenessConstraint>"#
    + "</uniquenessConstraints>"

  private final class Teams {
    let model: VersionedModel
    var store: URL { model.folder.appendingPathComponent("Teams.sqlite") }

    /// Makes a store of the first version with three teams.
    init(_ versions: String...) throws {
      model = try VersionedModel(versions)
      let first = try #require(NSManagedObjectModel(contentsOf: model.file(1)))
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: first)
      let opened = try coordinator.addPersistentStore(type: .sqlite, at: store)
      let context = NSManagedObjectContext(.privateQueue)
      context.persistentStoreCoordinator = coordinator
      try context.performAndWait {
        for name in ["A", "B", "B"] {
          let team = NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
          team.setValue(name, forKey: "name")
          if team.entity.propertiesByName["city"] != nil { team.setValue("Rome", forKey: "city") }
        }
        try context.save()
        context.reset()
      }
      try coordinator.remove(opened)
    }

    func coordinator() throws -> NSPersistentStoreCoordinator {
      let model = try #require(NSManagedObjectModel(contentsOf: model.url))
      return NSPersistentStoreCoordinator(managedObjectModel: model)
    }

    func plan(_ options: [AnyHashable: Any]? = nil) throws -> StoreMigrationPlan? {
      let before = try state()
      defer { #expect((try? state()) == before) }
      return try coordinator().migrationPlan(forStoreAt: store, options: options)
    }

    private func state() throws -> [String: Data] {
      let names = try FileManager.default.contentsOfDirectory(atPath: model.folder.path)
        .filter { $0.contains("Teams") }
      return try Dictionary(
        uniqueKeysWithValues: names.map {
          ($0, try Data(contentsOf: model.folder.appendingPathComponent($0)))
        }
      )
    }
  }

  @Test("An inferred migration has its steps and rows")
  func inferred() throws {
    let teams = try Teams(Self.team(""), Self.team(Self.rank))
    let plan = try #require(try teams.plan())
    #expect(plan.steps.map(\.summary).contains { $0.contains("ZTEAM: add column ZRANK") })
    #expect(plan.issues == [] && plan.isPossible && plan.losses == [])
    #expect(plan.estimatedTime < 1)
    guard case .inferred = plan.method else {
      Issue.record("\(plan.method)")
      return
    }
  }

  @Test("The description counts one row and several rows")
  func rows() throws {
    let teams = try Teams(Self.team(Self.city), Self.team(""))
    #expect(try #require(try teams.plan()).description.contains("drop column ZCITY (3 rows)"))
    try SQLFile(url: teams.store).run("DELETE FROM ZTEAM WHERE Z_PK > 1")
    #expect(try #require(try teams.plan()).description.contains("drop column ZCITY (1 row)"))
  }

  @Test("Dropped values are losses with counts and examples, and rows that break a rule obstacles")
  func issues() throws {
    let teams = try Teams(Self.team(Self.city), Self.team(Self.unique))
    let plan = try #require(try teams.plan())
    let loss = try #require(plan.losses.first)
    #expect(loss.place == "Team.city" && loss.count == 3 && loss.examples.count == 3)
    #expect(!plan.isPossible)
    let obstacle = try #require(plan.issues.first { $0.kind == .obstacle })
    #expect(obstacle.place == "Team: name" && obstacle.count == 2)
  }

  @Test("A store that needs no migration, or does not exist, has no plan")
  func none() throws {
    let teams = try Teams(Self.team(""))
    #expect(try teams.plan() == nil)
    try FileManager.default.removeItem(at: teams.store)
    #expect(try teams.plan() == nil)
  }

  @Test(
    "A migration that cannot be inferred, or is not allowed, throws what adding the store throws"
  )
  func refused() throws {
    let number = "<attribute name=\"city\" optional=\"YES\" attributeType=\"Integer 16\"/>"
    let teams = try Teams(Self.team(Self.city), Self.team(number))
    let error = #expect(throws: NSError.self) { try teams.plan() }
    #expect(error?.code == NSMigrationMissingMappingModelError)
    #expect(error?.localizedFailureReason?.contains("Team.city") == true)
    let forbidden = #expect(throws: NSError.self) { try teams.plan([:]) }
    #expect(forbidden?.code == NSPersistentStoreIncompatibleVersionHashError)
  }

  @Test(
    "Missing values that become the default, and objects that become invalid, do not prevent it"
  )
  func missingValues() throws {
    let mandatory =
      #"<attribute name="city" attributeType="String" defaultValueString="Bonn"/>"#
      + #"<relationship name="rival" maxCount="1" destinationEntity="Team"/>"#
    let teams = try Teams(Self.team(Self.city), Self.team(mandatory))
    let file = teams.store
    try SQLFile(url: file).run("UPDATE ZTEAM SET ZCITY = NULL WHERE ZNAME = 'A'")
    let plan = try #require(try teams.plan())
    #expect(plan.isPossible && plan.losses == [])
    let texts = plan.issues.map { "\($0.kind) \($0.place) \($0.count)" }.sorted()
    #expect(texts == ["defaultValues Team.city 1", "invalidObjects Team.rival 3"])
  }

  @Test(
    "A staged migration has the steps of the first version in detail, and the others as one step"
  )
  func staged() throws {
    let teams = try Teams(Self.team(""), Self.team(Self.rank), Self.team(Self.rank + Self.city))
    let checksums = try (1...3).map { number in
      try #require(NSManagedObjectModel(contentsOf: teams.model.file(number))).versionChecksum
    }
    let manager = NSStagedMigrationManager([
      NSLightweightMigrationStage([checksums[0]]),
      NSLightweightMigrationStage([checksums[1]]),
      NSLightweightMigrationStage([checksums[2]]),
    ])
    let plan = try #require(
      try teams.plan([
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true,
        NSPersistentStoreStagedMigrationManagerOptionKey: manager,
      ])
    )
    guard case .staged = plan.method else {
      Issue.record("\(plan.method)")
      return
    }
    #expect(!plan.steps.isEmpty && plan.isPossible)
  }
}
