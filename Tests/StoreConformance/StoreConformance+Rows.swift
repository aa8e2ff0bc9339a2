// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

extension StoreConformance {
  static let rowChecks: [Check] = [
    Check("gives back every kind of value") { world in
      let values: [String: Value] = [
        "name": .text("Żółć 東京 🏆"), "wins": .int(-7), "points": .int(.max), "score": .double(0.1),
        "founded": .date(-1.5), "budget": .decimal(Decimal(string: "1234.5678") ?? 0),
        "isHost": .bool(true), "uid": .uuid(UUID()), "logo": .data(Data([0, 255, 1])),
        "site": .url(URL(fileURLWithPath: "/tmp/a b")), "zone": .text(""), "ratio": .double(0.25),
        "rank": .int(-3),
      ]
      var types: Set<AttributeType> = []
      for property in try world.entity("Team").properties where !property.isTransient {
        guard let type = property.attribute?.type else { continue }
        types.insert(type)
        try expect(values[property.name] != nil, true, "a value of \(property.name)")
      }
      for type in AttributeType.allCases where type.traits.column != nil && type != .transformable {
        try expect(types.contains(type), true, "an attribute of type \(type) in Team")
      }
      let keys = try world.insert("Team", [values, [:]])
      for (property, value) in values {
        try expect(world.value(keys[0], property), Constant(value), property)
        try expect(world.value(keys[1], property), Constant(.null), "empty \(property)")
      }
      try expect(world.version(keys[0]), 1, "the version of a new row")
    },
    Check("leaves transient values out") { world in
      let keys = try world.insert("Team", [["name": .text("A"), "note": .text("mine")]])
      try expect(world.value(keys[0], "note"), Constant(.null), "note")
    },
    Check("numbers inserts and what they refer to") { world in
      var batch = SaveBatch()
      let team = try world.temporary("Team", 1)
      batch.inserts.append(
        try world.insert(
          "Player",
          ["name": .text("P"), "team": .key(team)],
          key: world.temporary("Player", 2)
        )
      )
      batch.inserts.append(
        try world.insert(
          "Goalkeeper",
          ["name": .text("G"), "team": .key(team)],
          key: world.temporary("Goalkeeper", 3)
        )
      )
      batch.inserts.append(try world.insert("Team", ["name": .text("T")], key: team))
      let keys = try world.store.save(batch).insertedKeys
      try expect(keys.map(\.isTemporary), [false, false, false], "permanence")
      try expect(keys.map(\.store), Array(repeating: world.store.index, count: 3), "stores")
      try expect(
        keys.map { world.model.entities[$0.entity].name },
        ["Player", "Goalkeeper", "Team"],
        "entities"
      )
      try expect(keys[0].number != keys[1].number, true, "one numbering for a hierarchy")
      try expect(world.value(keys[0], "team"), Constant(.key(keys[2])), "team of P")
      try expect(world.value(keys[1], "team"), Constant(.key(keys[2])), "team of G")
    },
    Check("takes reserved keys and gives none twice") { world in
      let entities = [try world.entity("Team").index, try world.entity("Team").index]
      let reserved = try world.store.reserveKeys(for: entities)
      let others = try world.insert("Team", [["name": .text("B")]])
      try expect(Set(reserved + others).count, 3, "distinct keys")
      try world.save {
        $0.inserts.append(try world.insert("Team", ["name": .text("A")], key: reserved[1]))
      }
      try expect(world.value(reserved[1], "name"), Constant(.text("A")), "name")
      try expect(world.store.rows(for: [reserved[0]]).keys.count, 0, "rows of an unused key")
      let more = try world.store.reserveKeys(for: entities)
      try expect(Set(reserved + others + more).count, 5, "distinct keys")
    },
    Check("writes the named slots alone, and moves the version") { world in
      let key = try world.insert("Team", [["name": .text("A"), "wins": .int(1)]])[0]
      let update = try world.update(key, ["wins": .int(2)], version: 1)
      try world.save { $0.updates = [update] }
      try expect(world.value(key, "name"), Constant(.text("A")), "name")
      try expect(world.value(key, "wins"), Constant(.int(2)), "wins")
      try expect(world.version(key), 2, "version")
      let touch = try world.update(key, [:], version: 2)
      try world.save { $0.updates = [touch] }
      try expect(world.version(key), 3, "version of a row that only moved")
      let clear = try world.update(key, ["name": .null], version: nil)
      try world.save { $0.updates = [clear] }
      try expect(world.value(key, "name"), Constant(.null), "name")
      try expect(world.version(key), 4, "version")
    },
    Check("deletes rows, and those that are gone without complaint where no version is expected") {
      world in
      let keys = try world.insert("Team", [["name": .text("A")], ["name": .text("B")]])
      try world.save { $0.deletes = [SaveBatch.Delete(key: keys[0], expectedVersion: 1)] }
      try expect(world.keys(world.request("Team")), [keys[1]], "keys")
      try expect(world.store.rows(for: keys).keys, [keys[1]], "rows")
      try world.save { $0.deletes = [SaveBatch.Delete(key: keys[0], expectedVersion: nil)] }
      let next = try world.insert("Team", [[:]])[0]
      try expect(keys.contains(next), false, "a number used again")
    },
    Check("hands over rows that are the receiver's own") { world in
      let key = try world.insert("Team", [["name": .text("A")]])[0]
      let rows = try world.store.rows(for: [key])
      let slot = try world.slot("Team", "name")
      rows.runs[0].chunk.setText(rows.runs[0].first, slot, "changed")
      try expect(world.value(key, "name"), Constant(.text("A")), "name")
    },
    Check("keeps thousands of rows through many changes") { world in
      let keys = try world.insert(
        "Team",
        (0..<2000).map { ["name": .text("Team \($0)"), "wins": .int(Int64($0))] }
      )
      for round in 1...3 {
        try world.save { batch in
          for key in keys {
            batch.updates.append(
              try world.update(key, ["points": .int(Int64(round))], version: Int64(round))
            )
          }
        }
      }
      try world.save { batch in
        batch.deletes = keys.prefix(1500).map { SaveBatch.Delete(key: $0, expectedVersion: 4) }
      }
      let request = try world.request("Team", order: [SortKey("wins")])
      try expect(
        world.values("wins", request),
        (1500..<2000).map { Constant(.int($0)) },
        "wins"
      )
      try expect(
        world.values("name", request),
        (1500..<2000).map { Constant(.text("Team \($0)")) },
        "names"
      )
      try expect(Set(world.values("points", request)), [Constant(.int(3))], "points")
    },
    Check("has Apple's metadata, and keeps the application's") { world in
      var metadata = try world.store.metadata()
      try expect(metadata.type, world.store.type, "type")
      try expect(metadata.uuid, world.store.identifier, "UUID")
      try expect(
        metadata.versionHashes,
        ModelHashes(model: world.model).byEntity,
        "version hashes"
      )
      metadata.values["mine"] = "here"
      try world.store.setMetadata(metadata)
      try world.insert("Team", [[:]])
      try expect(world.store.metadata().values["mine"] as? String, "here", "metadata")
      try expect(world.store.metadata().uuid, world.store.identifier, "UUID")
    },
    Check("refuses to work once it is closed") { world in
      world.store.close()
      try expectError(.closed, "fetch") { _ = try world.keys(world.request("Team")) }
      try expectError(.closed, "save") { try world.insert("Team", [[:]]) }
    },
  ]
}
