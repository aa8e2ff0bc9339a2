// SPDX-License-Identifier: Apache-2.0

import CoreData
import SharedFolder

/// Model files that lie beside the package, and small models built in code.
enum ModelFixtures {
  /// The folder of shared test data; nil where it is absent.
  static var shared: URL? { Shared.isThere ? Shared.root : nil }

  /// Xcode's contents files of public projects; empty where the folder is absent.
  static var modelFiles: [URL] {
    guard let folder = shared?.appendingPathComponent("fixtures/models") else { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".contents") }.sorted()
      .map { folder.appendingPathComponent($0) }
  }

  static func attribute(
    _ name: String,
    _ type: NSAttributeDescription.AttributeType,
    default value: Any? = nil
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.type = type
    attribute.defaultValue = value
    return attribute
  }

  /// Team ⟷ Player, and Goalkeeper below Player.
  static func football() -> NSManagedObjectModel {
    let team = NSEntityDescription()
    team.name = "Team"
    let player = NSEntityDescription()
    player.name = "Player"
    let keeper = NSEntityDescription()
    keeper.name = "Goalkeeper"
    player.subentities = [keeper]
    let players = NSRelationshipDescription()
    players.name = "players"
    players.destinationEntity = player
    players.deleteRule = .cascadeDeleteRule
    let home = NSRelationshipDescription()
    home.name = "team"
    home.maxCount = 1
    home.destinationEntity = team
    home.inverseRelationship = players
    players.inverseRelationship = home
    team.properties = [
      attribute("name", .string), attribute("wins", .integer32, default: 0), players,
    ]
    player.properties = [attribute("name", .string), home]
    keeper.properties = [attribute("saves", .integer64)]
    let model = NSManagedObjectModel()
    model.entities = [team, player, keeper]
    return model
  }
}
