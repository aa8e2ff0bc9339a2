// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CoreData
import Foundation
import Testing
import _CoreDataPostgres

@Suite(
  "Migrations of PostgreSQL stores",
  .enabled(
    if: PostgreSQLStack.url != nil,
    "COREDATA_POSTGRES_URL is not set; run the tests with scripts/lib/postgres"
  )
)
@MainActor
struct PostgreSQLMigrationTests {
  private nonisolated static let wins = #"name="wins" optional="YES" attributeType="Integer 32""#
  private nonisolated static let first = """
    <entity name="Team"><attribute name="name" optional="YES" attributeType="String"/>\
    <attribute \(wins)/><attribute name="motto" optional="YES" attributeType="String"/>\
    <relationship name="players" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" \
    destinationEntity="Player" inverseName="team" inverseEntity="Player"/></entity>\
    <entity name="Player"><attribute name="name" optional="YES" attributeType="String"/>\
    <relationship name="team" optional="YES" maxCount="1" deletionRule="Nullify" \
    destinationEntity="Team" inverseName="players" inverseEntity="Team"/></entity>\
    <entity name="Medal"><attribute name="name" optional="YES" attributeType="String"/></entity>
    """
  /// An attribute is renamed, one removed, one added with a default, one becomes mandatory; an entity is renamed, one
  /// is removed, and one is added with a relationship.
  private nonisolated static let second =
    first.replacing(
      wins,
      with: #"name="victories" optional="YES" attributeType="Integer 32" elementID="wins""#
    )
    .replacing(
      #"<attribute name="motto" optional="YES" attributeType="String"/>"#,
      with: #"<attribute name="rank" attributeType="Integer 16" defaultValueString="7"/>"#
        + #"<relationship name="cups" optional="YES" toMany="YES" deletionRule="Nullify" "#
        + #"destinationEntity="Cup" inverseName="teams" inverseEntity="Cup"/>"#
    )
    .replacing(
      #"<entity name="Player"><attribute name="name" optional="YES" attributeType="String"/>"#,
      with: #"<entity name="Athlete" elementID="Player">"#
        + #"<attribute name="name" attributeType="String" defaultValueString="?"/>"#
    )
    .replacing(#"destinationEntity="Player""#, with: #"destinationEntity="Athlete""#)
    .replacing(#"inverseEntity="Player""#, with: #"inverseEntity="Athlete""#)
    .replacing(
      #"<entity name="Medal"><attribute name="name" optional="YES" attributeType="String"/></entity>"#,
      with: #"<entity name="Cup"><relationship name="teams" optional="YES" toMany="YES" "#
        + #"deletionRule="Nullify" destinationEntity="Team" inverseName="cups" inverseEntity="Team"/></entity>"#
    )

  private nonisolated func model(_ body: String) throws -> NSManagedObjectModel {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).contents")
    try Data("<model>\(body)</model>".utf8).write(to: file)
    defer {
      #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) }
    }
    return try #require(NSManagedObjectModel(contentsOf: file))
  }

  /// Saves a team with two players, one without a name, and a medal, and returns the URI of the team.
  private func fill(_ stack: PostgreSQLStack, _ body: String = Self.first) throws -> URL {
    let container = try stack.container(model(body), tracksHistory: true)
    let context = container.viewContext
    func make(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
      let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
      object.setValuesForKeys(values)
      return object
    }
    let players = [make("Player", ["name": "one"]), make("Player", [:])]
    let team = make(
      "Team",
      ["name": "A", "wins": 3]
    )
    for player in players.reversed() { player.setValue(team, forKey: "team") }
    _ = make("Medal", ["name": "gold"])
    try context.save()
    let coordinator = container.persistentStoreCoordinator
    coordinator.setMetadata(["mine": 1], for: try #require(coordinator.persistentStores.first))
    return team.objectID.uriRepresentation()
  }

  /// Returns the identity of the table of teams, which a copy does not keep.
  private func table(_ stack: PostgreSQLStack) throws -> Int64 {
    let connection = try PostgresConnection(
      PostgresAddress(stack.address, schema: stack.schema)
    )
    return try connection.run(#"SELECT '"Team"'::regclass::oid::bigint"#).integer(0, 0)
  }

  @Test("A relationship that becomes ordered copies the objects, with their IDs and the history")
  func copied() throws {
    try PostgreSQLStack.with { stack in
      let uri = try fill(stack, Self.first.replacing(#" ordered="YES""#, with: ""))
      let before = try table(stack)
      let container = try stack.container(model(Self.first), tracksHistory: true)
      #expect(try table(stack) != before)
      let (context, coordinator) = (container.viewContext, container.persistentStoreCoordinator)
      let id = try #require(coordinator.managedObjectID(forURIRepresentation: uri))
      let team = try context.existingObject(with: id)
      #expect((team.value(forKey: "players") as? NSOrderedSet)?.count == 2)
      let new = NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
      try context.save()
      let numbers = [team, new].compactMap {
        Int($0.objectID.uriRepresentation().lastPathComponent.dropFirst())
      }
      #expect(numbers[1] > numbers[0])
      let request = NSPersistentHistoryChangeRequest.fetchHistory(
        after: nil as NSPersistentHistoryToken?
      )
      let result = try context.execute(request) as? NSPersistentHistoryResult
      #expect((result?.result as? [NSPersistentHistoryTransaction])?.count == 2)
    }
  }

  @Test("An inferred migration keeps objects, IDs, the UUID, metadata and history, in place")
  func inferred() throws {
    try PostgreSQLStack.with { stack in
      let uri = try fill(stack)
      let before = try table(stack)
      for count in 1...2 {
        let container = try stack.container(model(Self.second), tracksHistory: true)
        let (context, coordinator) = (container.viewContext, container.persistentStoreCoordinator)
        let id = try #require(coordinator.managedObjectID(forURIRepresentation: uri))
        let team = try context.existingObject(with: id)
        #expect(try table(stack) == before)
        #expect(team.value(forKey: "victories") as? Int == 3)
        #expect(team.value(forKey: "rank") as? Int == 7)
        let players = (team.value(forKey: "players") as? NSOrderedSet)?.array ?? []
        let names = players.map { ($0 as? NSManagedObject)?.value(forKey: "name") as? String }
        #expect(Set(names) == ["?", "one"])
        let cup = NSEntityDescription.insertNewObject(forEntityName: "Cup", into: context)
        cup.setValue(NSSet(object: team), forKey: "teams")
        try context.save()
        #expect((team.value(forKey: "cups") as? NSSet)?.count == count)
        #expect(coordinator.persistentStores.first?.metadata["mine"] as? Int == 1)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(
          after: nil as NSPersistentHistoryToken?
        )
        let result = try context.execute(request) as? NSPersistentHistoryResult
        let history = try #require(result?.result as? [NSPersistentHistoryTransaction])
        #expect(history.count == count + 1)
        let changed = history.first?.changes?.compactMap(\.changedObjectID.entity.name).sorted()
        #expect(changed == ["Athlete", "Athlete", "Team"])
      }
    }
  }

  @Test("A program with a version from which the store was migrated does not migrate it back")
  func formerVersion() throws {
    try PostgreSQLStack.with { stack in
      _ = try fill(stack)
      _ = try stack.container(model(Self.second), tracksHistory: true)
      let error = #expect(throws: NSError.self) {
        try stack.container(model(Self.first), tracksHistory: true)
      }
      #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError, "\(error as Any)")
      #expect(error?.localizedFailureReason?.contains("to a later one") == true)
      _ = try stack.container(model(Self.second), tracksHistory: true)
    }
  }

  @Test("Programs that add the store at the same time migrate it once, and all of them open it")
  func atTheSameTime() async throws {
    try await PostgreSQLStack.with { @MainActor stack in
      _ = try fill(stack)
      let counts = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<3 {
          group.addTask {
            let container = try stack.container(model(Self.second), tracksHistory: true)
            let context = container.newBackgroundContext()
            return try context.performAndWait {
              try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Athlete"))
            }
          }
        }
        var counts: [Int] = []
        for try await count in group { counts.append(count) }
        return counts
      }
      #expect(counts == [2, 2, 2])
    }
  }

  @Test(
    "A migration that is not asked for, or not possible, changes nothing and names the property"
  )
  func refused() throws {
    try PostgreSQLStack.with { stack in
      let uri = try fill(stack)
      func open(_ body: String, _ options: [String: Bool]) throws {
        var all: [AnyHashable: Any] = [
          PostgreSQLSchemaOption: stack.schema, NSPersistentHistoryTrackingKey: true,
        ]
        for (key, value) in options { all[key] = value }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try model(body))
        try coordinator.addPersistentStore(
          type: .postgreSQL,
          at: #require(URL(string: stack.address)),
          options: all
        )
      }
      let plain = #expect(throws: NSError.self) { try open(Self.second, [:]) }
      #expect(plain?.code == NSPersistentStoreIncompatibleVersionHashError)
      #expect(plain?.localizedFailureReason?.contains("victories") == true, "\(plain as Any)")
      let migrates = [
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true,
      ]
      let impossible = Self.first.replacing(Self.wins, with: #"name="wins" attributeType="Date""#)
      let error = #expect(throws: NSError.self) { try open(impossible, migrates) }
      #expect(error?.code == NSMigrationMissingMappingModelError)
      #expect(error?.localizedFailureReason?.contains("Team.wins") == true, "\(error as Any)")
      #expect((error?.userInfo[NSFilePathErrorKey] as? String)?.contains("only-for-tests") == false)
      let reader = #expect(throws: NSError.self) {
        try open(Self.second, migrates.merging([NSReadOnlyPersistentStoreOption: true]) { $1 })
      }
      #expect(reader?.code == NSMigrationError)
      let container = try stack.container(model(Self.first), tracksHistory: true)
      let id = container.persistentStoreCoordinator.managedObjectID(forURIRepresentation: uri)
      let team = try container.viewContext.existingObject(with: #require(id))
      #expect(team.value(forKey: "wins") as? Int == 3)
    }
  }
}
#endif
