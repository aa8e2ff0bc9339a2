// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

extension StoreConformance {
  static let lawChecks: [Check] = [
    Check("stays equal to a plain list through random saves") { world in
      for seed in 1...3 {
        var law = StoreLaw(world: world, random: SplitMix(state: UInt64(seed)))
        for _ in 0..<40 { try law.step() }
        try law.clear()
      }
    }
  ]
}

/// Numbers that look random and are the same in every run.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Random saves of teams, players and tags, and the plain lists they must equal.
private struct StoreLaw {
  private struct Player {
    var shirt: Int64
    var team: ObjectKey?
    var version: Int64
  }
  let world: ConformanceWorld
  var random: SplitMix
  private var teams: Set<ObjectKey> = []
  private var players: [ObjectKey: Player] = [:]
  private var tagged: [ObjectKey: Set<ObjectKey>] = [:]
  private var tags: [ObjectKey] = []

  init(world: ConformanceWorld, random: SplitMix) {
    self.world = world
    self.random = random
  }

  mutating func step() throws {
    if tags.isEmpty { tags = try world.insert("Tag", [[:], [:], [:]]) }
    try insert()
    try change()
    try retag()
    if Bool.random(using: &random) { try delete() }
    try compare()
  }

  /// Takes everything out of the store.
  mutating func clear() throws {
    let keys = Array(teams) + Array(players.keys) + tags
    try world.save { $0.deletes = keys.map { SaveBatch.Delete(key: $0, expectedVersion: nil) } }
  }

  private mutating func insert() throws {
    var batch = SaveBatch()
    let team = try world.temporary("Team", 1)
    batch.inserts.append(try world.insert("Team", ["name": .text("T")], key: team))
    var made: [Player] = []
    for number in 0..<Int64.random(in: 1...4, using: &random) {
      let entity = Bool.random(using: &random) ? "Player" : "Goalkeeper"
      let chosen = Bool.random(using: &random) ? team : sorted(teams).randomElement(using: &random)
      let shirt = Int64.random(in: 0..<10, using: &random)
      made.append(Player(shirt: shirt, team: chosen, version: 1))
      batch.inserts.append(
        try world.insert(
          entity,
          ["shirt": .int(shirt), "team": chosen.map(Value.key) ?? .null],
          key: world.temporary(entity, number + 2)
        )
      )
    }
    let keys = try world.store.save(batch).insertedKeys
    teams.insert(keys[0])
    for (key, player) in zip(keys.dropFirst(), made) {
      players[key] = player
      if player.team == team { players[key]?.team = keys[0] }
    }
  }

  private mutating func change() throws {
    let chosen = sorted(players.keys).filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
    var batch = SaveBatch()
    for key in chosen {
      guard var player = players[key] else { continue }
      var values: [String: Value] = [:]
      if Bool.random(using: &random) {
        player.shirt = Int64.random(in: 0..<10, using: &random)
        values["shirt"] = .int(player.shirt)
      }
      if Bool.random(using: &random) {
        player.team =
          Bool.random(using: &random) ? sorted(teams).randomElement(using: &random) : nil
        values["team"] = player.team.map(Value.key) ?? .null
      }
      batch.updates.append(try world.update(key, values, version: player.version))
      player.version += 1
      players[key] = player
    }
    _ = try world.store.save(batch)
  }

  private mutating func retag() throws {
    guard let team = sorted(teams).randomElement(using: &random),
      let tag = tags.randomElement(using: &random)
    else { return }
    let isTagged = tagged[team]?.contains(tag) ?? false
    let link =
      Bool.random(using: &random)
      ? try world.link(team, "tags", add: isTagged ? [] : [tag], remove: isTagged ? [tag] : [])
      : try world.link(tag, "teams", add: isTagged ? [] : [team], remove: isTagged ? [team] : [])
    if isTagged { tagged[team]?.remove(tag) } else { tagged[team, default: []].insert(tag) }
    try world.save { $0.links = [link] }
  }

  /// Deletes a team as a graph does: its players and tags let go of it in the same save.
  private mutating func delete() throws {
    guard let team = sorted(teams).randomElement(using: &random) else { return }
    var batch = SaveBatch()
    batch.deletes = [SaveBatch.Delete(key: team, expectedVersion: 1)]
    for key in sorted(players.keys) where players[key]?.team == team {
      let version = players[key]?.version
      batch.updates.append(try world.update(key, ["team": .null], version: version))
      players[key]?.team = nil
      players[key]?.version += 1
    }
    if let lost = tagged.removeValue(forKey: team), !lost.isEmpty {
      batch.links = [try world.link(team, "tags", remove: sorted(lost))]
    }
    teams.remove(team)
    _ = try world.store.save(batch)
  }

  private func compare() throws {
    try expect(Set(world.keys(world.request("Team"))), teams, "teams")
    try expect(Set(world.keys(world.request("Player"))), Set(players.keys), "players")
    let order = sorted(teams)
    let lists = try world.store.members(of: order, slot: world.slot("Team", "players"))
    for (team, list) in zip(order, lists) {
      let wanted = players.filter { $0.value.team == team }.map(\.key)
      try expect(sorted(list), sorted(wanted), "players of \(team)")
      try expect(Set(world.members(team, "tags")), tagged[team] ?? [], "tags of \(team)")
    }
    for tag in tags {
      let wanted = tagged.filter { $0.value.contains(tag) }.map(\.key)
      try expect(Set(world.members(tag, "teams")), Set(wanted), "teams of \(tag)")
    }
    let high = Condition.and([
      Comparison.of("shirt", .greaterThan, .int(4)), Comparison.of("team", .notEqual, .null),
    ])
    let wanted = players.filter { $0.value.shirt > 4 && $0.value.team != nil }
    try expect(Set(world.keys(world.request("Player", high))), Set(wanted.keys), "high shirts")
    let sum = DictionaryShape(columns: [
      DictionaryShape.Column(
        name: "sum",
        term: .function(.aggregate(.sum), [.keyPath("shirt")]),
        type: .integer64
      )
    ])
    let total = players.values.reduce(0) { $0 + $1.shirt }
    try expect(
      world.dictionaries(world.request("Player"), sum),
      [[Constant(.int(total))]],
      "sum of shirts"
    )
  }

  private func sorted(_ keys: some Sequence<ObjectKey>) -> [ObjectKey] {
    keys.sorted { $0.raw < $1.raw }
  }
}
