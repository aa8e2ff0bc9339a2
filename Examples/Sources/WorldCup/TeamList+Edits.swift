// SPDX-License-Identifier: Apache-2.0

import CoreData

extension TeamList {
  /// One more win for a team.
  ///
  /// - Throws: `ListError.gone` where no team has this id.
  func addWin(to id: String) async throws {
    try await edit {
      try self.team(id).wins += 1
    }
  }

  /// An underdog joins, with no wins yet.
  ///
  /// - Throws: `ListError.invalid` where a text is empty or longer than 60 characters.
  func addTeam(named name: String, zone: String) async throws {
    let name = try checked(name, as: "name")
    let zone = try checked(zone, as: "zone")
    try await edit {
      let team = Team(context: self.context)
      team.teamName = name
      team.qualifyingZone = zone
      team.imageName = "wenderland-flag"
      // The row's id must outlive the save that follows.
      try self.context.obtainPermanentIDs(for: [team])
    }
  }

  /// Takes a team off the list.
  ///
  /// - Throws: `ListError.gone` where no team has this id.
  func remove(_ id: String) async throws {
    try await edit {
      try self.context.delete(self.team(id))
    }
  }

  private func edit(_ change: @escaping @Sendable () throws -> Void) async throws {
    try await context.perform { [context] in
      do {
        try change()
        try context.save()
      } catch {
        context.rollback()
        throw error
      }
    }
  }

  private func team(_ id: String) throws -> Team {
    let team = controller.fetchedObjects?.first { TeamRow.id(of: $0) == id }
    guard let team else { throw ListError.gone }
    return team
  }

  private func checked(_ text: String, as field: String) throws -> String {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard (1...60).contains(text.count) else {
      throw ListError.invalid("A \(field) has 1 to 60 characters.")
    }
    return text
  }
}
