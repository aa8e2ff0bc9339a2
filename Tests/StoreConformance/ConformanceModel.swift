// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The model that every store is asked to keep: one of each kind of property.
package enum ConformanceModel {
  package static func make() throws -> ModelDefinition { try ModelDefinition(draft) }

  package static var draft: ModelDraft {
    var draft = ModelDraft()
    draft.entities = [team, player, goalkeeper, tag, honour]
    return draft
  }

  private static var team: EntityDraft {
    var team = EntityDraft(name: "Team")
    let kinds: [(String, AttributeType)] = [
      ("name", .string), ("zone", .string), ("wins", .integer32), ("rank", .integer16),
      ("points", .integer64),
      ("score", .double), ("ratio", .float), ("founded", .date), ("budget", .decimal),
      ("isHost", .boolean),
      ("uid", .uuid), ("site", .uri), ("logo", .binaryData),
    ]
    team.properties = kinds.map(attribute)
    var note = attribute("note", .string)
    note.isTransient = true
    var guests = toMany("guests", "Player", nil)
    guests.isTransient = true
    team.properties += [
      note, guests,
      toMany("players", "Player", "team"),
      toMany("lineup", "Player", "lineupTeam", ordered: true),
      toMany("fans", "Player", nil),
      toMany("rivals", "Team", "rivals"),
      toMany("tags", "Tag", "teams"),
      toMany("honours", "Honour", "teams", ordered: true),
    ]
    return team
  }

  private static var player: EntityDraft {
    var player = EntityDraft(name: "Player")
    player.properties = [
      attribute("name", .string), attribute("shirt", .integer16), toOne("team", "Team", "players"),
      toOne("lineupTeam", "Team", "lineup"), toOne("captainOf", "Team", nil),
    ]
    return player
  }

  private static var goalkeeper: EntityDraft {
    var keeper = EntityDraft(name: "Goalkeeper")
    keeper.parent = "Player"
    keeper.properties = [attribute("saves", .integer32)]
    return keeper
  }

  private static var tag: EntityDraft {
    var tag = EntityDraft(name: "Tag")
    tag.properties = [attribute("name", .string), toMany("teams", "Team", "tags")]
    return tag
  }

  private static var honour: EntityDraft {
    var honour = EntityDraft(name: "Honour")
    honour.properties = [attribute("name", .string), toMany("teams", "Team", "honours")]
    return honour
  }

  private static func attribute(_ name: String, _ type: AttributeType) -> PropertyDraft {
    PropertyDraft(name: name, kind: .attribute(AttributeDefinition(type: type)))
  }

  private static func toOne(
    _ name: String,
    _ destination: String,
    _ inverse: String?
  ) -> PropertyDraft {
    let relationship = RelationshipDraft(destination: destination, inverse: inverse)
    return PropertyDraft(name: name, kind: .relationship(relationship))
  }

  private static func toMany(
    _ name: String,
    _ destination: String,
    _ inverse: String?,
    ordered: Bool = false
  ) -> PropertyDraft {
    var relationship = RelationshipDraft(destination: destination, inverse: inverse)
    relationship.maxCount = 0
    relationship.isOrdered = ordered
    return PropertyDraft(name: name, kind: .relationship(relationship))
  }
}
