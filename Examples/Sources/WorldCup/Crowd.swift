// SPDX-License-Identifier: Apache-2.0

import CoreData

/// A store with very many teams, for a look at a long list.
enum Crowd {
  private static let zones = [
    "Africa", "Asia", "Europe", "North, Central America & Caribbean", "Oceania", "South America",
  ]

  static func zone(of number: Int) -> String { zones[number % zones.count] }

  /// Fills an empty store by one batch insertion: no team becomes an object.
  static func fill(_ context: NSManagedObjectContext, with count: Int) throws {
    var number = 0
    let insertion = NSBatchInsertRequest(
      entityName: "Team",
      dictionaryHandler: { team in
        if number == count { return true }
        team["teamName"] = "Team \(number)"
        team["qualifyingZone"] = zone(of: number)
        team["imageName"] = "wenderland-flag"
        number += 1
        return false
      }
    )
    try context.execute(insertion)
  }
}
