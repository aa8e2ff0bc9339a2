// SPDX-License-Identifier: Apache-2.0

import CoreData

extension TeamList {
  /// One more win for a team.
  ///
  /// - Throws: `ListError.gone` where no team has this id.
  func addWin(to id: String) async throws {
    try await edit {
      let team = try self.team(id)
      // Another program may have saved wins that are on their way here.
      self.context.refresh(team, mergeChanges: true)
      team.wins += 1
    }
  }

  /// As many wins as `count`, each for a random team, saved at once by a context of its own.
  ///
  /// Returns when the list has shown them.
  func pull(_ count: Int) async throws {
    let puller = CoreDataStack.newContext(of: container)
    puller.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try await puller.perform {
      let teams = try puller.fetch(Team.fetchRequest() as NSFetchRequest<Team>)
      if teams.isEmpty { return }
      for _ in 0..<count { teams[Int.random(in: teams.indices)].wins += 1 }
      try puller.save()
    }
    // The queue is first come, first served: the merge is done by now.
    await context.perform {}
  }

  /// An underdog joins, with no wins yet.
  ///
  /// - Throws: `ListError.invalid` if a text is empty or longer than 60 characters, or if the zone has a team
  ///   of this name.
  func addTeam(named name: String, zone: String) async throws {
    let name = try checked(name, as: "name")
    let zone = try checked(zone, as: "zone")
    try await edit {
      let request: NSFetchRequest<Team> = Team.fetchRequest()
      request.predicate = NSPredicate(
        format: "teamName ==[c] %@ AND qualifyingZone ==[c] %@",
        name,
        zone
      )
      guard try self.context.count(for: request) == 0 else {
        throw ListError.invalid("\(zone) already has a team named \(name).")
      }
      let team = Team(context: self.context)
      team.teamName = name
      team.qualifyingZone = zone
      team.imageName = "wenderland-flag"
      // The row's id must outlive the save that follows.
      try self.context.obtainPermanentIDs(for: [team])
    }
  }

  /// Narrows the list to teams whose name or zone contains a text, accents and case aside; an empty text
  /// shows all.
  ///
  /// The predicate of the controller's request is changed, and the fetch performed again.
  /// - Throws: `ListError.invalid` for more than 60 characters.
  func search(_ text: String) async throws {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if text.count > 60 { throw ListError.invalid("A search has up to 60 characters.") }
    try await context.perform { [self] in
      let format = "teamName CONTAINS[cd] %@ OR qualifyingZone CONTAINS[cd] %@"
      controller.fetchRequest.predicate =
        text.isEmpty ? nil : NSPredicate(format: format, text, text)
      searchText = text
      try controller.performFetch()
      sequence += 1
      send(.reset(sequence: sequence))
    }
  }

  /// The titles of the section index, each with the section that it leads to.
  func index() async -> [IndexEntry] {
    await context.perform { [self] in
      controller.sectionIndexTitles.enumerated().map { position, title in
        IndexEntry(
          title: title,
          section: controller.section(forSectionIndexTitle: title, at: position)
        )
      }
    }
  }

  /// Takes a team off the list.
  ///
  /// - Throws: `ListError.gone` where no team has this id.
  func remove(_ id: String) async throws {
    try await edit {
      let team = try self.team(id)
      let values = RemovedTeams.Values(team)
      self.context.delete(team)
      try self.context.save()
      self.removed.keep(values, id: id)
    }
  }

  /// Adds a team again that was removed, with its wins.
  ///
  /// - Throws: `ListError.gone` if no removed team had this id, or if it was restored already.
  func restore(_ id: String) async throws {
    try await edit {
      guard let values = self.removed.values(of: id) else { throw ListError.gone }
      let team = Team(context: self.context)
      values.copy(to: team)
      // The row's id must outlive the save that follows.
      try self.context.obtainPermanentIDs(for: [team])
      try self.context.save()
      self.removed.forget(id)
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
