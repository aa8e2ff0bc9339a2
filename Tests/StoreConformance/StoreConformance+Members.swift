// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

extension ConformanceWorld {
  func link(
    _ owner: ObjectKey,
    _ property: String,
    add added: [ObjectKey] = [],
    remove removed: [ObjectKey] = []
  ) throws -> SaveBatch.LinkChange {
    SaveBatch.LinkChange(
      owner: owner,
      slot: try slot(model.entities[owner.entity].name, property),
      added: added,
      removed: removed
    )
  }

  func order(
    _ owner: ObjectKey,
    _ property: String,
    _ members: [ObjectKey]
  ) throws -> SaveBatch.OrderChange {
    SaveBatch.OrderChange(
      owner: owner,
      slot: try slot(model.entities[owner.entity].name, property),
      members: members
    )
  }

  func teams(_ count: Int) throws -> [ObjectKey] {
    try insert("Team", (0..<count).map { ["name": .text("Team \($0)")] })
  }
}

extension StoreConformance {
  static let memberChecks: [Check] = [
    Check("lists the members of a to-many whose inverse is a to-one") { world in
      let teams = try world.fillTeams()
      let slot = try world.slot("Team", "players")
      let lists = try world.store.members(of: [teams[1], teams[3], teams[0]], slot: slot)
      try expect(lists.map(\.count), [2, 0, 2], "counts")
      try expect(
        Set(lists[0].map { world.model.entities[$0.entity].name }),
        ["Player", "Goalkeeper"],
        "entities"
      )
      let mover = lists[2][0]
      let move = try world.update(mover, ["team": .key(teams[3])], version: nil)
      try world.save { $0.updates = [move] }
      try expect(world.members(teams[3], "players"), [mover], "after a move")
      try expect(world.members(teams[0], "players"), [lists[2][1]], "where it came from")
      let clear = try world.update(mover, ["team": .null], version: nil)
      try world.save { $0.updates = [clear] }
      try expect(world.members(teams[3], "players"), [], "after it left")
      try world.save { $0.deletes = [SaveBatch.Delete(key: lists[0][0], expectedVersion: nil)] }
      try expect(world.members(teams[1], "players"), [lists[0][1]], "after a deletion")
    },
    Check("keeps many-to-many pairs, seen from both sides") { world in
      let teams = try world.teams(3)
      let tags = try world.insert("Tag", [["name": .text("a")], ["name": .text("b")]])
      let first = try world.link(teams[0], "tags", add: [tags[0], tags[1]])
      let second = try world.link(tags[0], "teams", add: [teams[1]])
      try world.save { $0.links = [first, second] }
      try expect(Set(world.members(teams[0], "tags")), Set(tags), "tags of 0")
      try expect(Set(world.members(tags[0], "teams")), [teams[0], teams[1]], "teams of a")
      let removal = try world.link(tags[1], "teams", remove: [teams[0]])
      try world.save { $0.links = [removal] }
      try expect(world.members(teams[0], "tags"), [tags[0]], "tags of 0 after a removal")
      try world.save { $0.deletes = [SaveBatch.Delete(key: teams[0], expectedVersion: nil)] }
      try expect(world.members(tags[0], "teams"), [teams[1]], "teams of a after a deletion")
    },
    Check("links new objects") { world in
      var batch = SaveBatch()
      let team = try world.temporary("Team", 1)
      let tag = try world.temporary("Tag", 2)
      batch.inserts = [
        try world.insert("Team", [:], key: team), try world.insert("Tag", [:], key: tag),
      ]
      batch.links = [try world.link(team, "tags", add: [tag])]
      let keys = try world.store.save(batch).insertedKeys
      try expect(world.members(keys[0], "tags"), [keys[1]], "tags")
      try expect(world.members(keys[1], "teams"), [keys[0]], "teams")
    },
    Check("keeps a relationship that is its own inverse, reported from both ends") { world in
      let teams = try world.teams(2)
      let here = try world.link(teams[0], "rivals", add: [teams[1]])
      let there = try world.link(teams[1], "rivals", add: [teams[0]])
      try world.save { $0.links = [here, there] }
      try expect(world.members(teams[0], "rivals"), [teams[1]], "rivals of 0")
      try expect(world.members(teams[1], "rivals"), [teams[0]], "rivals of 1")
    },
    // In an SQLite file such a member has one owner, in memory it can have several: none has here.
    Check("keeps a to-many without inverse") { world in
      let teams = try world.teams(2)
      let fans = try world.insert(
        "Player",
        [["name": .text("F")], ["name": .text("G")], ["name": .text("H")]]
      )
      let first = try world.link(teams[0], "fans", add: [fans[0], fans[1]])
      let second = try world.link(teams[1], "fans", add: [fans[2]])
      try world.save { $0.links = [first, second] }
      try expect(Set(world.members(teams[0], "fans")), [fans[0], fans[1]], "fans of 0")
      try expect(world.members(teams[1], "fans"), [fans[2]], "fans of 1")
      let removal = try world.link(teams[0], "fans", remove: [fans[0]])
      try world.save { $0.links = [removal] }
      try expect(world.members(teams[0], "fans"), [fans[1]], "fans of 0")
    },
    Check("has no members of a transient to-many") { world in
      let teams = try world.teams(2)
      let slot = try world.slot("Team", "guests")
      try expect(world.store.members(of: teams, slot: slot), [[], []], "guests")
      let related = try world.store.related(to: teams, slot: slot)
      try expect(related.members, [[], []], "guests with rows")
    },
    Check("keeps the order of an ordered to-many") { world in
      let team = try world.teams(1)[0]
      let players = try world.insert(
        "Player",
        (0..<5).map { ["name": .text("\($0)"), "lineupTeam": .key(team)] }
      )
      let order = [players[3], players[0], players[4], players[2], players[1]]
      let change = try world.order(team, "lineup", order)
      try world.save { $0.orders = [change] }
      try expect(world.members(team, "lineup"), order, "first order")
      let leave = try world.update(players[4], ["lineupTeam": .null], version: nil)
      let rest = [players[1], players[3], players[0], players[2]]
      let again = try world.order(team, "lineup", rest)
      try world.save {
        $0.updates = [leave]
        $0.orders = [again]
      }
      try expect(world.members(team, "lineup"), rest, "second order")
    },
    Check("keeps the order of an ordered many-to-many") { world in
      let teams = try world.teams(2)
      let honours = try world.insert("Honour", (0..<3).map { ["name": .text("\($0)")] })
      let first = try world.link(teams[0], "honours", add: honours)
      let second = try world.link(teams[1], "honours", add: [honours[1]])
      let order = try world.order(teams[0], "honours", [honours[2], honours[0], honours[1]])
      let other = try world.order(teams[1], "honours", [honours[1]])
      try world.save {
        $0.links = [first, second]
        $0.orders = [order, other]
      }
      try expect(
        world.members(teams[0], "honours"),
        [honours[2], honours[0], honours[1]],
        "honours of 0"
      )
      try expect(Set(world.members(honours[1], "teams")), Set(teams), "teams of 1")
    },
  ]
}
