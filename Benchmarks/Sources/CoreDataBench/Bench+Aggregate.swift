// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Computed columns of dictionary results.
enum Aggregate {
  /// A column named by function and key.
  static func column(_ function: String, of key: String) -> NSExpressionDescription {
    let column = NSExpressionDescription()
    column.name = function + key
    column.expression = NSExpression(
      forFunction: function,
      arguments: [NSExpression(forKeyPath: key)]
    )
    column.expressionResultType =
      function == "average:" ? .doubleAttributeType : .integer64AttributeType
    return column
  }

  /// Dictionaries of the teams, or of another entity.
  static func request(
    entity: String = "Team",
    _ properties: [Any]
  ) -> NSFetchRequest<NSDictionary> {
    let request = NSFetchRequest<NSDictionary>(entityName: entity)
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = properties
    return request
  }

  static func integer(_ row: NSDictionary?, _ name: String) -> Int64 {
    (row?[name] as? NSNumber)?.int64Value ?? 0
  }
}

extension Bench {
  /// W6: sum, average, least and most of all; then by zone: count, sum, average.
  mutating func aggregate() throws {
    let store = try sharedStore()
    for _ in 0..<options.repetitions {
      let context = store.context()
      let (total, groups) = try context.performAndWait {
        try measurement.time {
          let functions = ["sum:", "average:", "min:", "max:"]
          let total = Aggregate.request(functions.map { Aggregate.column($0, of: "wins") })
          let groups = Aggregate.request(
            [
              "qualifyingZone", Aggregate.column("count:", of: "wins"),
              Aggregate.column("sum:", of: "wins"), Aggregate.column("average:", of: "founded"),
            ])
          groups.propertiesToGroupBy = ["qualifyingZone"]
          return (try context.fetch(total).first, try context.fetch(groups))
        }
      }
      measurement.check = check(total, groups)
    }
  }

  private func check(_ total: NSDictionary?, _ groups: [NSDictionary]) -> String {
    func name(_ group: NSDictionary) -> String { group["qualifyingZone"] as? String ?? "" }
    let fold = groups.sorted { name($0) < name($1) }.reduce(Int64(0)) { sum, group in
      sum &* 31 &+ Aggregate.integer(group, "count:wins") &+ Aggregate.integer(group, "sum:wins")
    }
    let numbers = ["sum:wins", "min:wins", "max:wins"].map { Aggregate.integer(total, $0) }
    return numbers.map { "\($0)/" }.joined() + "\(groups.count)/\(fold)"
  }
}
