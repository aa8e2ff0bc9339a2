// SPDX-License-Identifier: Apache-2.0

import CoreDataGraph
import CoreDataModel
import Foundation

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
    whileTelling {}
  }

  /// Runs `body`, and then the rounds that came up meanwhile; inside of a round it does nothing.
  private func whileTelling(_ body: () -> Void) {
    if isTelling { return }
    isTelling = true
    defer { isTelling = false }
    body()
    while !waiting.isEmpty {
      follow(takeWaiting())
      tellOfPermanentIDs()
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
    touched.related += takeUnsure(list, wasMixed)
    guard
      list.isConcerned(touched: touched.objects, related: touched.related, gone: touched.gone)
    else { return }
    for listener in listeners { listener.contentWillChange() }
    tell {
      // What was changed since is out of its place already: it belongs to this round.
      if !waiting.isEmpty { touched += takeWaiting() }
      if context.graph.hasPendingEvent { touched.objects += context.graph.pendingObjects }
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
