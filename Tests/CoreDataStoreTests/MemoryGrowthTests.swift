// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel
import _CoreDataStore

/// How the work of an in-memory store's save grows with the rows of the save.
@Suite("Saves of the in-memory store", .enabled(if: WorkCounter.isCounting))
struct MemoryGrowthTests {
  private let model: ModelDefinition
  private let teamOfPlayer: Int
  private let fansOfTeam: Int

  init() throws {
    var team = EntityDraft(name: "Team")
    team.properties = [
      Self.link("players", "Player", "team", 0), Self.link("fans", "Fan", "teams", 0),
    ]
    var player = EntityDraft(name: "Player")
    player.properties = [
      PropertyDraft(name: "name", kind: .attribute(AttributeDefinition(type: .string))),
      Self.link("team", "Team", "players", 1),
    ]
    var fan = EntityDraft(name: "Fan")
    fan.properties = [Self.link("teams", "Team", "fans", 0)]
    var draft = ModelDraft()
    draft.entities = [team, player, fan]
    model = try ModelDefinition(draft)
    teamOfPlayer = try #require(model.entity(named: "Player")?.slotByName["team"])
    fansOfTeam = try #require(model.entity(named: "Team")?.slotByName["fans"])
  }

  private static func link(
    _ name: String,
    _ destination: String,
    _ inverse: String,
    _ maximum: Int
  ) -> PropertyDraft {
    var relationship = RelationshipDraft(destination: destination)
    relationship.inverse = inverse
    relationship.maxCount = maximum
    return PropertyDraft(name: name, kind: .relationship(relationship))
  }

  private func rows(_ entity: String, _ count: Int) throws -> (Int, RowChunk) {
    let entity = try #require(model.entity(named: entity))
    let chunk = RowChunk(layout: entity.rowLayout, capacity: count)
    for _ in 0..<count { _ = chunk.appendRow() }
    return (entity.index, chunk)
  }

  private func insert(
    _ entity: String,
    _ count: Int,
    into store: MemoryStore,
    _ fill: (RowChunk, Int) -> Void = { _, _ in }
  ) throws -> [ObjectKey] {
    let (entity, chunk) = try rows(entity, count)
    for row in 0..<count { fill(chunk, row) }
    var batch = SaveBatch()
    batch.inserts = (0..<count).map {
      .init(key: .temporary(entity: entity, number: Int64($0) + 1), chunk: chunk, row: $0)
    }
    return try store.save(batch).insertedKeys
  }

  /// Steps of inserting players of one team, moving them to another, and deleting them.
  private func memberSteps(_ count: Int) throws -> [Int] {
    let store = MemoryStore(model: model, index: 0)
    let teams = try insert("Team", 2, into: store)
    var players: [ObjectKey] = []
    let slot = teamOfPlayer
    let inserting = try WorkCounter.count {
      players = try insert("Player", count, into: store) { $0.setKey($1, slot, teams[0]) }
    }
    let (_, chunk) = try rows("Player", count)
    var moves = SaveBatch()
    moves.updates = .init(
      players.indices.map { row in
        chunk.setKey(row, slot, teams[1])
        return .init(
          key: players[row],
          chunk: chunk,
          row: row,
          slots: SlotSet([slot]),
          expectedVersion: 1
        )
      }
    )
    let moving = try WorkCounter.count { _ = try store.save(moves) }
    #expect(try members(of: teams[1], store).count == count)
    var deletions = SaveBatch()
    deletions.deletes = players.map { .init(key: $0, expectedVersion: 2) }
    let deleting = try WorkCounter.count { _ = try store.save(deletions) }
    #expect(try members(of: teams[1], store).isEmpty)
    return try [inserting, moving, deleting].map { try #require($0) }
  }

  private func members(of team: ObjectKey, _ store: MemoryStore) throws -> [ObjectKey] {
    let slot = try #require(model.entity(named: "Team")?.slotByName["players"])
    return try store.members(of: [team], slot: slot)[0]
  }

  /// Steps of giving one fan many teams, and of taking them away again.
  private func pairSteps(_ count: Int) throws -> [Int] {
    let store = MemoryStore(model: model, index: 0)
    let teams = try insert("Team", count, into: store)
    let fan = try insert("Fan", 1, into: store)
    var links = SaveBatch()
    links.links = teams.map { .init(owner: $0, slot: fansOfTeam, added: fan, removed: []) }
    let linking = try WorkCounter.count { _ = try store.save(links) }
    links.links = teams.map { .init(owner: $0, slot: fansOfTeam, added: [], removed: fan) }
    let unlinking = try WorkCounter.count { _ = try store.save(links) }
    return try [linking, unlinking].map { try #require($0) }
  }

  @Test("Twice the rows of one owner cost at most twice the work")
  func members() throws {
    try expectLinear(try memberSteps(4_000), try memberSteps(8_000))
  }

  @Test("Twice the pairs of one row cost at most twice the work")
  func pairs() throws {
    try expectLinear(try pairSteps(1_000), try pairSteps(2_000))
  }

  private func expectLinear(_ half: [Int], _ whole: [Int]) throws {
    for (half, whole) in zip(half, whole) {
      // Collisions of hashes scatter by a few steps in ten; a square would be four times the work.
      #expect(half > 1_000 && Double(whole) <= 2.7 * Double(half), "\(half) → \(whole)")
    }
  }
}
