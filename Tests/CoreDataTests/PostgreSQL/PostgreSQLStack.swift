// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CoreData
import Foundation
import Testing

/// A schema of its own on the server of the tests, and containers whose stores are in it.
struct PostgreSQLStack: Sendable {
  static let url = ProcessInfo.processInfo.environment["COREDATA_POSTGRES_URL"]

  var address: String
  let schema = "shell_" + UUID().uuidString.lowercased()

  /// Runs `body`, and drops the schema afterwards.
  static func with(_ body: (PostgreSQLStack) throws -> Void) throws {
    let stack = PostgreSQLStack(address: try #require(url))
    defer { stack.drop() }
    try body(stack)
  }

  /// Runs `body`, and drops the schema afterwards.
  static func with(_ body: @Sendable (PostgreSQLStack) async throws -> Void) async throws {
    let stack = PostgreSQLStack(address: try #require(url))
    defer { stack.drop() }
    try await body(stack)
  }

  private init(address: String) { self.address = address }

  private func drop() {
    #expect(throws: Never.self) {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.makeModel())
      try coordinator.destroyPersistentStore(
        at: #require(URL(string: address)),
        type: .postgreSQL,
        options: [PostgreSQLSchemaOption: schema]
      )
    }
  }

  static func makeModel() -> NSManagedObjectModel {
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      attribute.isOptional = true
      return attribute
    }
    func relationship(
      _ name: String,
      _ destination: NSEntityDescription,
      _ maximum: Int
    )
      -> NSRelationshipDescription
    {
      let relationship = NSRelationshipDescription()
      relationship.name = name
      relationship.destinationEntity = destination
      relationship.maxCount = maximum
      relationship.isOptional = true
      return relationship
    }
    let team = NSEntityDescription()
    team.name = "Team"
    let player = NSEntityDescription()
    player.name = "Player"
    let players = relationship("players", player, 0)
    players.deleteRule = .cascadeDeleteRule
    let owner = relationship("team", team, 1)
    owner.deleteRule = .nullifyDeleteRule
    players.inverseRelationship = owner
    owner.inverseRelationship = players
    team.properties = [
      attribute("name", .stringAttributeType), attribute("wins", .integer32AttributeType),
      attribute("code", .stringAttributeType), players,
    ]
    team.uniquenessConstraints = [["code"]]
    player.properties = [attribute("name", .stringAttributeType), owner]
    let model = NSManagedObjectModel()
    model.entities = [team, player]
    return model
  }

  /// Returns a container with a coordinator of its own.
  func container(
    _ model: NSManagedObjectModel = PostgreSQLStack.makeModel(),
    notifies: Bool = false,
    tracksHistory: Bool = false
  ) throws -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "Teams", managedObjectModel: model)
    let description = NSPersistentStoreDescription(url: try #require(URL(string: address)))
    description.setOption(schema as NSString, forKey: PostgreSQLSchemaOption)
    if notifies {
      description.setOption(
        true as NSNumber,
        forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey
      )
    }
    if tracksHistory {
      description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    }
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    return container
  }

  @discardableResult
  func add(
    _ name: String,
    wins: Int,
    code: String? = nil,
    to context: NSManagedObjectContext
  ) -> NSManagedObject {
    let team = NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
    team.setValue(name, forKey: "name")
    team.setValue(wins, forKey: "wins")
    team.setValue(code, forKey: "code")
    return team
  }

  func teams(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return try context.fetch(request)
  }
}
#endif
