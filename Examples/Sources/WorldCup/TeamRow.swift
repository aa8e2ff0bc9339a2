// SPDX-License-Identifier: Apache-2.0

import CoreData

/// What one row shows.
struct TeamRow: Sendable, Encodable {
  let id: String
  let name: String
  let flag: String
  let wins: Int32

  /// Reads the team; call it on the context's queue.
  init(_ team: Team) {
    id = Self.id(of: team)
    name = team.teamName ?? ""
    flag = Flags.flag(for: name)
    wins = team.wins
  }

  /// The team's key in the store, such as `p12`.
  static func id(of team: Team) -> String {
    team.objectID.uriRepresentation().lastPathComponent
  }
}
