// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

extension StoreConformance {
  static let dictionaryChecks: [Check] = [
    Check("gives chosen columns, also across to-ones") { world in
      let teams = try world.fillTeams()
      let shape = DictionaryShape(columns: [
        column("name"), column("team.name"), column("team"),
      ])
      let order = [SortKey("shirt", ascending: false)]
      var request = try world.request("Player", order: order)
      request.limit = 2
      try expect(
        world.dictionaries(request, shape),
        [
          [text("Müller"), text("germany"), Constant(.key(teams[1]))],
          [text("Pelé"), text("Brazil"), Constant(.key(teams[0]))],
        ],
        "columns"
      )
    },
    Check("gives distinct columns once") { world in
      try world.fillTeams()
      var shape = DictionaryShape(columns: [column("zone")])
      shape.isDistinct = true
      try expect(
        world.dictionaries(world.request("Team", order: [SortKey("zone")]), shape),
        [[Constant(.null)], [text("Europe")], [text("South America")]],
        "zones"
      )
    },
    Check("aggregates all rows, or groups of them") { world in
      try world.fillTeams()
      let totals = DictionaryShape(columns: [
        aggregate(.sum, "wins"), aggregate(.maximum, "wins"), aggregate(.minimum, "wins"),
        aggregate(.count, "wins"), aggregate(.average, "wins", .double),
      ])
      try expect(
        world.dictionaries(world.request("Team"), totals),
        [[.int(10), .int(5), .int(1), .int(3), .double(10.0 / 3)].map(Constant.init)],
        "totals"
      )
      var zones = DictionaryShape(columns: [column("zone"), aggregate(.sum, "wins")])
      zones.groupBy = [.keyPath("zone")]
      try expect(
        world.dictionaries(world.request("Team", order: [SortKey("zone")]), zones),
        [
          [Constant(.null), Constant(.null)], [text("Europe"), Constant(.int(5))],
          [text("South America"), Constant(.int(5))],
        ],
        "by zone"
      )
      zones.having = .comparison(
        Comparison(
          .function(.aggregate(.count), [.keyPath("wins")]),
          .greaterThan,
          .constant(Constant(.int(1)))
        )
      )
      try expect(
        world.dictionaries(world.request("Team"), zones),
        [[text("Europe"), Constant(.int(5))]],
        "zones with two winners"
      )
    },
    Check("refuses to-many columns", isRefusal: true) { world in
      try expectError(.invalidRequest, "a to-many column") {
        let shape = DictionaryShape(columns: [column("players")])
        _ = try world.dictionaries(world.request("Team"), shape)
      }
    },
  ]

  private static func column(_ path: String) -> DictionaryShape.Column {
    DictionaryShape.Column(name: path, term: .keyPath(path))
  }

  private static func aggregate(
    _ function: AggregateFunction,
    _ path: String,
    _ type: AttributeType = .integer64
  ) -> DictionaryShape.Column {
    DictionaryShape.Column(
      name: function.rawValue + path,
      term: .function(.aggregate(function), [.keyPath(path)]),
      type: type
    )
  }
}
