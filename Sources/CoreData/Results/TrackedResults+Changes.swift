// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel

/// The way from the context's changes to a round of the list.
extension TrackedResults {
  func contextDidChange(_ changes: ContextChanges) {
    if changes.invalidatedAll {
      // After a reset the content stays as it is until the next fetch, as documented: its objects are
      // no longer the context's.
      context.removeObserver(self)
      isInvalidated = true
      return
    }
    waiting.append(changes)
  }

  func actOnChanges() { whileTelling {} }

  /// Runs `body`, and then the rounds that came up meanwhile; inside of a round it does nothing.
  private func whileTelling(_ body: () -> Void) {
    // A delegate may let go of the controller in the midst of a round, or of another one's.
    guard !isTelling, let living else { return }
    isTelling = true
    defer { isTelling = false }
    withExtendedLifetime(living) {
      body()
      while !waiting.isEmpty {
        follow(takeWaiting())
        tellOfPermanentIDs()
      }
    }
  }

  private func takeWaiting() -> Touched {
    defer { waiting = [] }
    var touched = Touched()
    let isOnly = waiting.count == 1
    for changes in waiting {
      touched.objects += changes.inserted as [AnyObject]
      touched.objects += changes.updated as [AnyObject]
      touched.objects += changes.refreshed as [AnyObject]
      touched.objects += changes.arrived as [AnyObject]
      touched.related += related(to: changes, isLatest: isOnly)
      if changes.hasLostRows { touched.related += all() }
      // What is invalidated counts as deleted. Source: behaviour.md FRC-15.
      touched.gone += (changes.deleted + changes.invalidated) as [AnyObject]
    }
    return touched
  }

  /// The objects that a round is about.
  private struct Touched {
    var objects: [AnyObject] = []
    var related: [AnyObject] = []
    var gone: [AnyObject] = []

    static func += (touched: inout Touched, more: Touched) {
      touched.objects += more.objects
      touched.related += more.related
      touched.gone += more.gone
    }
  }

  private func follow(_ touched: Touched) {
    guard let list, !isInvalidated else { return }
    let wasMixed = !context.unmerged.isEmpty
    var touched = touched
    touched.related += takeUnsure(list, wasMixed) + takeMissed(list)
    readRows(of: touched.objects + touched.related)
    guard isConcerned(list, &touched) else { return }
    for listener in listeners { listener.contentWillChange() }
    tell {
      // What was changed since is out of its place already: it belongs to this round.
      takeRecent(&touched)
      let changes = list.apply(
        touched: touched.objects,
        related: touched.related,
        gone: touched.gone
      )
      if wasMixed || !context.unmerged.isEmpty {
        for change in changes.rows where change.new != nil {
          unsure[ObjectIdentifier(change.object)] = change.object
        }
      }
      return changes
    }
  }

  /// Whether the round has something to tell.
  ///
  /// To ask for values may find rows gone; what leads to them changes with that, and is asked again.
  private func isConcerned(_ list: ResultsList, _ touched: inout Touched) -> Bool {
    while list.isConcerned(
      touched: touched.objects,
      related: touched.related,
      gone: touched.gone
    ) {
      guard context.graph.hasLostKeys else { return true }
      takeRecent(&touched)
      // Where they cannot be processed now, an event of their own follows.
      if context.graph.hasLostKeys { return true }
    }
    return false
  }

  /// What the delegate, or that of another controller, has changed since the round's events: an event of
  /// its own, so that it is told once.
  private func takeRecent(_ touched: inout Touched) {
    let known = touched.objects.count + touched.related.count
    context.endChangeEventOfObservers()
    if !waiting.isEmpty { touched += takeWaiting() }
    if context.graph.hasPendingEvent { touched.objects += context.graph.pendingObjects }
    if touched.objects.count + touched.related.count > known {
      readRows(of: touched.objects + touched.related)
    }
  }

  /// Gives the faults among `objects` that the list may show their rows, together.
  ///
  /// - Complexity: one statement for each store; none where at most one has no row.
  private func readRows(of objects: [AnyObject]) {
    let faults = objects.lazy.map(Self.managed).filter { object in
      object.isRowless && self.shownEntities.contains(object.key.entity)
    }
    if faults.prefix(2).count < 2 { return }
    do {
      try context.graph.realizeFaults(Array(faults))
    } catch {
      // Each asks for itself then, and the first value that is asked for says why it cannot.
      return
    }
  }

  /// Rows that may have changed while nobody listened, as far as this context knows more of them than
  /// the fetch did.
  ///
  /// - Complexity: O(rows) once after each such time.
  private func takeMissed(_ list: ResultsList) -> [AnyObject] {
    if !hasMissedEvents { return [] }
    hasMissedEvents = false
    return list.objects.filter { object in
      let object = Self.managed(object)
      return object.chunk != nil || !object.isManaged
    }
  }

  /// Rows to be looked at again: those that were compared with what this context had not merged yet, as
  /// soon as it has; all of them where those have become many.
  ///
  /// - Complexity: O(rows placed since), all in all.
  private func takeUnsure(_ list: ResultsList, _ isMixed: Bool) -> [AnyObject] {
    if unsure.isEmpty { return [] }
    let isLong = unsure.count > max(256, list.count / 4)
    if isMixed && !isLong { return [] }
    defer { unsure = [:] }
    return isLong ? list.objects : Array(unsure.values)
  }

  func contextDidSave() {
    for listener in listeners { listener.identifiersDidChange(of: self) }
    whileTelling { tellOfPermanentIDs() }
  }
}

extension IndexPath {
  init(_ path: ResultPath) { self.init(indexes: [path.section, path.row]) }
}

extension NSFetchedResultsChangeType {
  init(_ kind: ResultChange.Kind) {
    self =
      switch kind {
      case .insert: .insert
      case .delete: .delete
      case .move: .move
      case .update: .update
      }
  }
}
