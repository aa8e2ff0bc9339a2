// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

extension ConformanceWorld {
  /// Four teams; the players of two of them.
  @discardableResult
  func fillTeams() throws -> [ObjectKey] {
    let teams = try insert(
      "Team",
      [
        ["name": .text("Brazil"), "zone": .text("South America"), "wins": .int(5)],
        ["name": .text("germany"), "zone": .text("Europe"), "wins": .int(4)],
        ["name": .text("España"), "zone": .text("Europe"), "wins": .int(1)],
        ["name": .text("Ghana"), "zone": .null, "wins": .null],
      ]
    )
    try insert(
      "Player",
      [
        ["name": .text("Pelé"), "shirt": .int(10), "team": .key(teams[0])],
        ["name": .text("Zico"), "shirt": .int(8), "team": .key(teams[0])],
        ["name": .text("Müller"), "shirt": .int(13), "team": .key(teams[1])],
        ["name": .text("Nobody")],
      ]
    )
    try insert(
      "Goalkeeper",
      [["name": .text("Neuer"), "shirt": .int(1), "saves": .int(9), "team": .key(teams[1])]]
    )
    return teams
  }
}

extension StoreConformance {
  static let fetchChecks: [Check] = [
    Check("fetches a whole hierarchy or one entity of it") { world in
      try world.fillTeams()
      var request = try world.request("Player", order: [SortKey("name")])
      try expect(
        world.keys(request).map { world.model.entities[$0.entity].name },
        ["Player", "Goalkeeper", "Player", "Player", "Player"],
        "entities of Müller, Neuer, Nobody, Pelé, Zico"
      )
      request.includesSubentities = false
      try expect(world.count(request), 4, "players that are no goalkeepers")
      try expect(world.count(world.request("Goalkeeper")), 1, "goalkeepers")
    },
    Check("sorts by several keys, null first, and by folded text") { world in
      try world.fillTeams()
      let byZone = try world.request(
        "Team",
        order: [SortKey("zone"), SortKey("wins", ascending: false)]
      )
      try expect(
        world.values("name", byZone),
        ["Ghana", "germany", "España", "Brazil"].map(text),
        "by zone"
      )
      let byName = try world.request("Team", order: [SortKey("name")])
      try expect(
        world.values("name", byName),
        ["Brazil", "España", "Ghana", "germany"].map(text),
        "by bytes"
      )
      let folded = try world.request(
        "Team",
        order: [SortKey("name", comparison: .caseInsensitive)]
      )
      try expect(
        world.values("name", folded),
        ["Brazil", "España", "germany", "Ghana"].map(text),
        "folded"
      )
      let byTeam = try world.request(
        "Player",
        order: [SortKey("team.name", ascending: false), SortKey("shirt")]
      )
      try expect(
        world.values("name", byTeam),
        ["Neuer", "Müller", "Zico", "Pelé", "Nobody"].map(text),
        "players by team"
      )
    },
    Check("limits and offsets keys, rows and counts") { world in
      try world.fillTeams()
      var request = try world.request("Team", order: [SortKey("name")])
      request.offset = 1
      request.limit = 2
      try expect(world.values("name", request), ["España", "Ghana"].map(text), "names")
      try expect(world.keys(request).count, 2, "keys")
      try expect(world.count(request), 2, "count")
      request.offset = 3
      try expect(world.values("name", request), [text("germany")], "names at the end")
      request.offset = 9
      try expect(world.count(request), 0, "count beyond the end")
    },
    Check("understands comparisons of numbers, texts and null") { world in
      try world.fillTeams()
      let cases: [(Condition, [String])] = [
        (Comparison.of("wins", .greaterThan, .int(1)), ["Brazil", "germany"]),
        (Comparison.of("wins", .equal, .int(1)), ["España"]),
        (Comparison.of("wins", .equal, .null), ["Ghana"]),
        (Comparison.of("wins", .notEqual, .null), ["Brazil", "España", "germany"]),
        (Comparison.of("wins", .between, list([.int(2), .int(4)])), ["germany"]),
        (Comparison.of("wins", .in, list([.int(1), .int(5)])), ["Brazil", "España"]),
        (Comparison.of("name", .beginsWith, .text("G")), ["Ghana"]),
        (
          Comparison.of("name", .beginsWith, .text("G"), options: .caseInsensitive),
          ["Ghana", "germany"]
        ),
        (
          Comparison.of(
            "name",
            .contains,
            .text("ESPANA"),
            options: [.caseInsensitive, .diacriticInsensitive]
          ),
          ["España"]
        ),
        (Comparison.of("name", .endsWith, .text("any")), ["germany"]),
        (Comparison.of("name", .like, .text("?r*l")), ["Brazil"]),
        (Comparison.of("name", .matches, .text("B.+l")), ["Brazil"]),
        (Comparison.of("name", .equal, .text("BRAZIL"), options: .caseInsensitive), ["Brazil"]),
      ]
      for (condition, names) in cases {
        try expect(world.names("Team", condition), names, "\(condition.format)")
      }
    },
    Check("joins conditions") { world in
      try world.fillTeams()
      let europe = Comparison.of("zone", .equal, .text("Europe"))
      let winners = Comparison.of("wins", .greaterThan, .int(3))
      try expect(world.names("Team", .and([europe, winners])), ["germany"], "and")
      try expect(
        world.names("Team", .or([europe, winners])),
        ["Brazil", "España", "germany"],
        "or"
      )
      try expect(
        world.names("Team", .and([europe, .not(winners)])),
        ["España"],
        "and not"
      )
      try expect(world.count(world.request("Team", .constant(false))), 0, "FALSEPREDICATE")
      try expect(world.count(world.request("Team", .and([]))), 4, "an empty and")
    },
    Check("follows key paths across relationships") { world in
      let teams = try world.fillTeams()
      let cases: [(String, Condition, [String])] = [
        ("Player", Comparison.of("team.name", .equal, .text("Brazil")), ["Pelé", "Zico"]),
        ("Player", Comparison.of("team", .equal, .key(teams[1])), ["Müller", "Neuer"]),
        ("Player", Comparison.of("team", .equal, .null), ["Nobody"]),
        (
          "Team", Comparison.of("players.shirt", .greaterThan, .int(9), modifier: .any),
          ["Brazil", "germany"]
        ),
        ("Team", Comparison.of("players.@count", .equal, .int(0)), ["España", "Ghana"]),
      ]
      for (entity, condition, names) in cases {
        try expect(world.names(entity, condition), names, "\(condition.format)")
      }
      let chosen = Condition.comparison(
        Comparison(
          .evaluatedObject,
          .in,
          .constant(Constant(list([.key(teams[0]), .key(teams[2])])))
        )
      )
      try expect(world.names("Team", chosen), ["Brazil", "España"], "SELF IN")
    },
    Check("refuses unknown key paths, also where there are no rows", isRefusal: true) { world in
      let unknown = Comparison.of("colour", .equal, .int(1))
      try expectError(.invalidRequest, "a condition") {
        _ = try world.keys(world.request("Team", unknown))
      }
      try expectError(.invalidRequest, "an order") {
        _ = try world.keys(world.request("Team", order: [SortKey("colour")]))
      }
      try expectError(.invalidRequest, "an order by a to-many") {
        _ = try world.keys(world.request("Team", order: [SortKey("players")]))
      }
      try expectError(.invalidRequest, "a path across a relationship") {
        let condition = Comparison.of("team.colour", .equal, .int(1))
        _ = try world.keys(world.request("Player", condition))
      }
      try expectError(.inexpressible, "a block") {
        _ = try world.keys(world.request("Team", .opaque(OpaqueCondition { _, _ in true })))
      }
    },
  ]

  static func text(_ text: String) -> Constant { Constant(.text(text)) }
  static func list(_ values: [Value]) -> Value { .collection(ValueCollection(.array, values)) }
}
