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

  @Test("A plan for a store in a database is refused, without the password of the URL")
  func databaseIsRefused() throws {
    let teams = try Teams(Self.team(""), Self.team(Self.city))
    let url = try #require(URL(string: "postgresql://shop:secret@db.example.org/shop"))
    let error = #expect(throws: NSError.self) {
      try teams.coordinator().migrationPlan(forStoreAt: url)
    }
    #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
    let reason = try #require(error?.localizedFailureReason)
    #expect(reason.contains("postgresql://shop@db.example.org/shop is the URL of a database"))
    #expect(reason.contains("coredata transfer"))
    #expect(!reason.contains("secret"))
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

  private func checksum(_ teams: Teams, _ number: Int) throws -> String {
    try #require(NSManagedObjectModel(contentsOf: teams.model.file(number))).versionChecksum
  }

  private func reference(_ teams: Teams, _ number: Int) throws -> NSManagedObjectModelReference {
    NSManagedObjectModelReference(
      fileURL: teams.model.file(number),
      versionChecksum: try checksum(teams, number)
    )
  }

  @Test("A staged migration has the steps and issues of every version change, and its handlers")
  func staged() throws {
    let teams = try Teams(
      Self.team(Self.city),
      Self.team(Self.rank),
      Self.team(Self.rank + #"<attribute name="motto" \#(Self.text)/>"#),
      Self.team("")
    )
    let stage = try NSCustomMigrationStage(
      migratingFrom: reference(teams, 1),
      to: reference(teams, 2)
    )
    let last = try NSCustomMigrationStage(
      migratingFrom: reference(teams, 3),
      to: reference(teams, 4)
    )
    stage.didMigrateHandler = { _, _ in Issue.record("a handler ran") }
    let manager = NSStagedMigrationManager([stage, last])
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
    func texts(_ index: Int) -> [String] {
      let changes = plan.steps.compactMap(\.versionChange).reduce(into: [String]()) { found, name in
        if found.last != name { found.append(name) }
      }
      #expect(changes.count == 3, "\(changes)")
      return plan.steps.filter { $0.versionChange == changes[index] }.map(\.summary)
    }
    #expect(texts(0).contains { $0.contains("add column ZRANK") })
    #expect(texts(0).last?.contains("didMigrateHandler") == true)
    #expect(texts(1).contains { $0.contains("add column ZMOTTO") })
    // Two columns are dropped by a copy.
    #expect(texts(2).contains { $0.contains("copy rows from ZTEAM") })
    #expect(plan.isPossible)
    // The ranks are those that the first version change gives.
    let losses = plan.losses.map { "\($0.versionChange ?? "") \($0.place) \($0.count)" }
    #expect(losses.count == 2 && losses[0].hasSuffix("Team.city 3"), "\(losses)")
    #expect(losses[1].hasSuffix("Team.rank 3"), "\(losses)")
  }

  @Test("A version change that objects prevent ends the plan of a staged migration")
  func stopped() throws {
    let teams = try Teams(Self.team(Self.city), Self.team(Self.unique), Self.team(Self.rank))
    let first = try NSCustomMigrationStage(
      migratingFrom: reference(teams, 1),
      to: reference(teams, 2)
    )
    let manager = NSStagedMigrationManager([
      first, NSLightweightMigrationStage([try checksum(teams, 3)]),
    ])
    let plan = try #require(
      try teams.plan([
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSPersistentStoreStagedMigrationManagerOptionKey: manager,
      ])
    )
    #expect(!plan.isPossible)
    #expect(Set(plan.steps.map(\.versionChange)).count == 1)
  }

  @Test("A chained migration has the steps of every version change")
  func chained() throws {
    let number = #"<attribute name="city" optional="YES" attributeType="Integer 16"/>"#
    let teams = try Teams(Self.team(Self.city), Self.team(""), Self.team(number))
    let plan = try #require(
      try teams.plan([
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true, ChainedMigrationOption: true,
      ])
    )
    guard case .chained = plan.method else {
      Issue.record("\(plan.method)")
      return
    }
    let changes = plan.steps.compactMap(\.versionChange)
    #expect(changes.first == "Model 1 → Model 2" && changes.last == "Model 2 → Model 3")
    #expect(plan.steps.contains { $0.summary.contains("add column ZCITY") })
    #expect(plan.losses.map(\.place) == ["Team.city"])
  }

  @Test("The plan says that the model is older than the store, whose migration is possible")
  func older() throws {
    let teams = try Teams(Self.team(Self.rank), Self.team(""))
    let newest = try #require(NSManagedObjectModel(contentsOf: teams.model.file(2)))
    let opened = NSPersistentStoreCoordinator(managedObjectModel: newest)
    let store = try opened.addPersistentStore(
      type: .sqlite,
      at: teams.store,
      options: MigratedFile.migrating
    )
    try opened.remove(store)
    let old = try #require(NSManagedObjectModel(contentsOf: teams.model.file(1)))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: old)
    let plan = try #require(try coordinator.migrationPlan(forStoreAt: teams.store))
    #expect(plan.isPossible)
    let issue = try #require(plan.issues.first { $0.kind == .olderVersion })
    #expect(
      issue.description == "Model 1: the version is older than the store's version (“Model 2”)"
    )
    _ = try coordinator.addPersistentStore(
      type: .sqlite,
      at: teams.store,
      options: MigratedFile.migrating
    )
  }

  @Test("The steps of a deferred migration say what is dropped later")
  func deferred() throws {
    let teams = try Teams(Self.team(Self.city), Self.team(""))
    let plan = try #require(
      try teams.plan([
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true,
        NSPersistentStoreDeferredLightweightMigrationOptionKey: true,
      ])
    )
    #expect(plan.steps.contains { $0.summary.contains("to drop it later") })
    #expect(plan.losses.map(\.place) == ["Team.city"])
  }
}
