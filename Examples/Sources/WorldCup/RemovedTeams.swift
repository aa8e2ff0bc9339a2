// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The values of the teams that were removed last, so that a removal can be undone.
struct RemovedTeams {
  struct Values {
    private let name: String?
    private let zone: String?
    private let imageName: String?
    private let wins: Int32

    /// Reads the team; call it on the context's queue.
    init(_ team: Team) {
      name = team.teamName
      zone = team.qualifyingZone
      imageName = team.imageName
      wins = team.wins
    }

    func copy(to team: Team) {
      team.teamName = name
      team.qualifyingZone = zone
      team.imageName = imageName
      team.wins = wins
    }
  }

  private static let limit = 100
  private var kept: [(id: String, values: Values)] = []

  /// Keeps the values of a removed team, and drops the oldest ones above the limit.
  mutating func keep(_ values: Values, id: String) {
    kept.append((id, values))
    if kept.count > Self.limit { kept.removeFirst() }
  }

  func values(of id: String) -> Values? {
    kept.first { $0.id == id }?.values
  }

  mutating func forget(_ id: String) {
    kept.removeAll { $0.id == id }
  }
}
