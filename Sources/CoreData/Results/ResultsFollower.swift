// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

/// Updates a results controller's content after the events of its context.
///
/// Events are first noted, and are handled after every observer of the context has noted them. Several events
/// can therefore result in one round, and events that do not concern the list result in no round.
package final class ResultsFollower: ContextObserver {
  private let context: NSManagedObjectContext
  private let content: ResultsContent
  private let notifier: ResultsNotifier
  /// Whether the content follows the context, and whether the content has missed events.
  package private(set) var state = FollowState.idle
  private var notedChanges: [ContextChanges] = []
  private var isRunningRounds = false
  private var uncertainRows = UncertainRows()

  /// Creates a follower that does not follow the context until `updateObservation()` is called.
  package init(
    _ context: NSManagedObjectContext,
    _ content: ResultsContent,
    _ notifier: ResultsNotifier
  ) {
    self.context = context
    self.content = content
    self.notifier = notifier
  }

  // MARK: Following

  /// Resets the follow state and discards the noted changes at the beginning of a fetch.
  package func reset() {
    state = .idle
    notedChanges = []
    uncertainRows = UncertainRows()
  }

  /// Follows the context if the content is valid and a delegate or listener needs changes; otherwise stops
  /// following the context.
  ///
  /// Call this method whenever the content, the delegate or the listeners have changed. `isBehind` is true if
  /// the content does not include the last round.
  /// - Complexity: O(rows) at the first call after a fetch.
  package func updateObservation(isBehind: Bool = false) {
    if let list = content.currentList, notifier.needsChanges, state != .invalidated {
      list.prepare()
      if state.isFollowing { return }
      state.resume(at: context.reportCount)
      context.addObserver(self)
    } else {
      if content.currentList != nil {
        state.pause(at: context.reportCount, isBehind: isBehind || !notedChanges.isEmpty)
      }
      notedChanges = []
      context.removeObserver(self)
    }
  }

  // MARK: Events

  package var readEntities: Set<Int> { content.dependencies?.readEntities ?? [] }

  package func contextDidChange(_ changes: ContextChanges) {
    if changes.invalidatedAll {
      // The objects no longer belong to a context. As documented, the content does not change until the next
      // fetch.
      context.removeObserver(self)
      state = .invalidated
    } else {
      notedChanges.append(changes)
    }
  }

  package func actOnChanges() { runRounds {} }

  package func contextDidSave() {
    notifier.identifiersDidChange()
    runRounds { notifier.sendPermanentIDs() }
  }

  /// Runs `body`, and then handles rounds until no noted changes remain; does nothing if a round is in
  /// progress or the controller is being deallocated.
  private func runRounds(after body: () -> Void) {
    guard !isRunningRounds, let controller = notifier.controller else { return }
    isRunningRounds = true
    defer { isRunningRounds = false }
    // A callback may release the controller, so it is kept alive until the rounds end.
    withExtendedLifetime(controller) {
      body()
      while !notedChanges.isEmpty {
        runRound(about: removeNotedChanges())
        notifier.sendPermanentIDs()
      }
    }
  }

  private func removeNotedChanges() -> TouchedObjects {
    defer { notedChanges = [] }
    var touched = TouchedObjects()
    let isOnly = notedChanges.count == 1
    for changes in notedChanges {
      touched.changed += changes.inserted as [AnyObject]
      touched.changed += changes.updated as [AnyObject]
      touched.changed += changes.refreshed as [AnyObject]
      touched.changed += changes.arrived as [AnyObject]
      if let dependencies = content.dependencies {
        touched.related += dependencies.readers(of: changes, isLatest: isOnly)
        if changes.hasLostRows, let list = content.currentList {
          touched.related += dependencies.candidates(for: list)
        }
      }
      // Invalidated objects are handled as deleted. Source: behaviour.md FRC-15.
      touched.removed += (changes.deleted + changes.invalidated) as [AnyObject]
    }
    return touched
  }

  // MARK: Rounds

  private func runRound(about touched: TouchedObjects) {
    guard let list = content.currentList, state != .invalidated else { return }
    let hadUnmergedSaves = !context.unmerged.isEmpty
    var touched = touched
    touched.related += uncertainRows.removeRowsToCheck(
      in: list,
      hasUnmergedSaves: hadUnmergedSaves
    )
    if state.endCatchingUp() { touched.related += possiblyChangedRows(of: list) }
    realizeFaults(among: touched)
    guard checkForChanges(in: list, from: &touched) else { return }
    notifier.contentWillChange()
    let hasReverted = notifier.notify {
      // Objects that have changed since the round began may already be out of order in the list, so this
      // round must also handle them.
      addRecentChanges(to: &touched)
      let changes = list.apply(touched)
      if hadUnmergedSaves || !context.unmerged.isEmpty { uncertainRows.insert(placedBy: changes) }
      return changes
    }
    if hasReverted { updateObservation(isBehind: true) }
  }

  /// Returns whether the round changes the list or its rows.
  ///
  /// Evaluating the objects may discover rows that were deleted from the store. Each discovery changes the
  /// objects that refer to the deleted row, so the list is then checked again with these objects.
  private func checkForChanges(in list: ResultsList, from touched: inout TouchedObjects) -> Bool {
    while list.isConcerned(by: touched) {
      guard context.graph.hasLostKeys else { return true }
      addRecentChanges(to: &touched)
      // A link to a deleted row is removed in a later event if it cannot be removed now.
      if context.graph.hasLostKeys { return true }
    }
    return false
  }

  /// Adds the changes that were made after the events of the round, for example by the delegate of this or
  /// another controller.
  ///
  /// If possible, also ends the event of these changes, so that a later round does not handle them again.
  private func addRecentChanges(to touched: inout TouchedObjects) {
    let known = touched.changed.count + touched.related.count
    context.endChangeEventOfObservers()
    if !notedChanges.isEmpty { touched += removeNotedChanges() }
    if context.graph.hasPendingEvent { touched.changed += context.graph.pendingObjects }
    if touched.changed.count + touched.related.count > known { realizeFaults(among: touched) }
  }

  /// Reads the rows of several faults together, instead of one at a time; skips faults that the list cannot
  /// contain.
  private func realizeFaults(among touched: TouchedObjects) {
    guard let shownEntities = content.dependencies?.shownEntities else { return }
    let faults = (touched.changed + touched.related).lazy.map(ResultsContent.managedObject)
      .filter { $0.isRowless && shownEntities.contains($0.key.entity) }
    if faults.prefix(2).count < 2 { return }
    do {
      try context.graph.realizeFaults(Array(faults))
    } catch {
      // The error is dropped: each fault reads its own row when its values are needed, and the first row that
      // cannot be read stops the program with the reason.
      return
    }
  }

  /// Returns the rows that may have changed while the list did not follow the context.
  ///
  /// These are the rows whose values the context has read, and the rows whose objects are no longer in the
  /// context.
  ///
  /// - Complexity: O(rows).
  private func possiblyChangedRows(of list: ResultsList) -> [AnyObject] {
    list.objects.filter { row in
      let object = ResultsContent.managedObject(row)
      return object.chunk != nil || !object.isManaged
    }
  }
}
