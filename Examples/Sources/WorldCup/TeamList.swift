// SPDX-License-Identifier: Apache-2.0

import CoreData

/// What the tutorials' view controller does, for any number of screens: shows the teams through a
/// results controller, passes its changes on, and changes teams when somebody asks.
// Every stored property is used on the context's queue only, through `perform`.
final class TeamList: @unchecked Sendable {
  let context: NSManagedObjectContext
  let controller: NSFetchedResultsController<Team>
  var sequence = 0
  var round: [ListChange] = []
  /// What the list is narrowed to; empty for all teams.
  var searchText = ""
  var removed = RemovedTeams()
  let container: NSPersistentContainer
  let launch = UUID().uuidString
  private var listeners: [UUID: AsyncStream<ListEvent>.Continuation] = [:]

  init(_ stack: CoreDataStack) {
    container = stack.container
    context = stack.context
    // What other contexts save, such as a pull of many wins, arrives as one round.
    context.automaticallyMergesChangesFromParent = true
    let fetchRequest: NSFetchRequest<Team> = Team.fetchRequest()
    let zoneSort = NSSortDescriptor(keyPath: \Team.qualifyingZone, ascending: true)
    let scoreSort = NSSortDescriptor(keyPath: \Team.wins, ascending: false)
    let nameSort = NSSortDescriptor(keyPath: \Team.teamName, ascending: true)
    fetchRequest.sortDescriptors = [zoneSort, scoreSort, nameSort]
    // Rows are read when they are first shown, so many at a time.
    fetchRequest.fetchBatchSize = 100
    controller = NSFetchedResultsController(
      fetchRequest: fetchRequest,
      managedObjectContext: context,
      sectionNameKeyPath: "qualifyingZone",
      cacheName: nil
    )
  }

  /// Fetches the list and starts to listen; an empty store is filled first, by a crowd or from `seed`.
  func start(seed: URL?, crowd: Int?) async throws {
    try await context.perform { [self] in
      let isEmpty = try context.count(for: Team.fetchRequest()) == 0
      if let crowd, isEmpty {
        try Crowd.fill(context, with: crowd)
      } else if let seed, isEmpty {
        for entry in try Seed.teams(at: seed) {
          let team = Team(context: context)
          team.teamName = entry.teamName
          team.qualifyingZone = entry.qualifyingZone
          team.imageName = entry.imageName
          team.wins = entry.wins
        }
        try context.save()
      }
      controller.delegate = self
      try controller.performFetch()
    }
  }

  /// The list as it is now.
  func state() async -> ListState {
    await context.perform { [self] in currentState() }
  }

  /// The present sequence number, then every change from there on, in order.
  func events() async -> AsyncStream<ListEvent> {
    await context.perform { [self] in
      // A reader that falls this far behind sees the gap in the numbers and asks for the state.
      let (stream, listener) = AsyncStream.makeStream(
        of: ListEvent.self,
        bufferingPolicy: .bufferingNewest(64)
      )
      let id = UUID()
      listeners[id] = listener
      listener.onTermination = { [self] _ in
        context.perform { self.listeners[id] = nil }
      }
      listener.yield(.hello(launch: launch, sequence: sequence))
      return stream
    }
  }

  /// Sends something to every reader, so that those who have gone are noticed.
  func ping() async {
    await context.perform { [self] in send(.ping) }
  }

  func send(_ event: ListEvent) {
    for listener in listeners.values { listener.yield(event) }
  }

  private func currentState() -> ListState {
    let sections = (controller.sections ?? []).map { section in
      ListState.Section(
        name: section.name,
        rows: (section.objects as? [Team] ?? []).map(TeamRow.init)
      )
    }
    return ListState(
      launch: launch,
      sequence: sequence,
      search: searchText,
      sections: sections
    )
  }
}
