// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

/// The order of a round, and the callbacks of a delegate that receives neither snapshots nor differences.
extension ResultsNotifier {
  /// What a round began with.
  ///
  /// Callbacks may fetch anew or name another delegate; the rest of the round
  /// concerns neither the new content nor the new delegate.
  struct Round {
    let controller: NSFetchedResultsController<NSFetchRequestResult>
    let fetchCount: Int
    let delegateGeneration: Int
  }

  /// A round with the present content and delegate; nil while the controller is deallocated.
  func beginRound() -> Round? {
    controller.map {
      Round(
        controller: $0,
        fetchCount: content.fetchCount,
        delegateGeneration: recipient.generation
      )
    }
  }

  /// Calls a method unless the delegate is known not to have it, or is not the one the round began with.
  ///
  /// - Returns: whether the delegate has the method.
  @discardableResult
  func call(
    _ method: DelegateMethods.Names,
    in round: Round,
    _ body: (
      any NSFetchedResultsControllerDelegate, NSFetchedResultsController<NSFetchRequestResult>
    ) -> Void
  ) -> Bool {
    guard let delegate, recipient.generation == round.delegateGeneration,
      recipient.methods.mayHave(method)
    else { return false }
    body(delegate, round.controller)
    // The call may have named another delegate, of which nothing is known.
    guard recipient.generation == round.delegateGeneration else { return true }
    recipient.methods.markCalled(method)
    return recipient.methods.present.contains(method)
  }

  /// Changes the current list by `apply`, and notifies the delegate, in the form of its choice, and the
  /// listeners.
  ///
  /// - Returns: whether the content went back to what it was, because the delegate turned out to have no
  ///   method for changes.
  package func notify(applying apply: () -> ResultChanges) -> Bool {
    guard let round = beginRound() else { return false }
    let displayed = content.displayedList
    // Callbacks show the old content first, but the form that the delegate uses is found out by calling it
    // with the new content. A delegate that has no method keeps the old content.
    let isFormUnknown =
      delegate != nil && recipient.methods.isFormUnknown(isSectioned: content.isSectioned)
    let mayNeedOld = isFormUnknown || delegate != nil && recipient.methods.present.isEmpty
    let old = mayNeedOld ? content.displayedCopy() : nil
    if delegate != nil, recipient.methods.isFormCallbacks(isSectioned: content.isSectioned) {
      call(.willChange, in: round) { $0.controllerWillChangeContent($1) }
      if content.fetchCount != round.fetchCount { return false }
    }
    let saved = delegate == nil ? [] : savedRows()
    let changes = apply()
    // Only the changes hold deleted objects, which the old content may still show.
    return withExtendedLifetime(changes) {
      if !sendWhole(changes, saved, in: round) {
        sendCallbacks(changes, after: isFormUnknown ? old : nil, isLate: isFormUnknown, in: round)
      }
      if content.fetchCount != round.fetchCount { return false }
      for listener in listeners { listener.contentDidChange(changes, of: round.controller) }
      if recipient.generation != round.delegateGeneration {
        content.displayCurrentList()
        return false
      }
      return delegate != nil && displayContent(orKeep: old ?? displayed)
    }
  }

  /// Calls the callbacks of a round.
  ///
  /// When the round is late, the current list has changed before the first callback; `old` is shown
  /// during that one.
  private func sendCallbacks(
    _ changes: ResultChanges,
    after old: ResultsList?,
    isLate: Bool,
    in round: Round
  ) {
    if isLate {
      if let old { content.display(old) }
      call(.willChange, in: round) { $0.controllerWillChangeContent($1) }
      if content.fetchCount != round.fetchCount { return }
      if old != nil { content.displayCurrentList() }
    }
    sendSections(changes.deletedSections, .delete, in: round)
    sendSections(changes.insertedSections, .insert, in: round)
    for change in changes.rows
    where content.fetchCount == round.fetchCount && recipient.methods.mayHave(.object) {
      call(.object, in: round) { delegate, controller in
        delegate.controller(
          controller,
          didChange: ResultsContent.managedObject(change.object),
          at: change.old.map(IndexPath.init),
          for: NSFetchedResultsChangeType(change.kind),
          newIndexPath: change.new.map(IndexPath.init)
        )
      }
    }
    if content.fetchCount == round.fetchCount {
      call(.didChange, in: round) { $0.controllerDidChangeContent($1) }
    }
  }

  private func sendSections(
    _ changes: [ResultChanges.SectionChange],
    _ type: NSFetchedResultsChangeType,
    in round: Round
  ) {
    for change in changes where content.fetchCount == round.fetchCount {
      call(.section, in: round) { delegate, controller in
        delegate.controller(
          controller,
          didChange: ResultsSectionInfo(change.section, of: controller),
          atSectionIndex: change.index,
          for: type
        )
      }
    }
  }

  /// Displays the current list, or `old` for a delegate of which no method was called.
  ///
  /// - Returns: whether the content went back to `old`, because the delegate has no method.
  private func displayContent(orKeep old: ResultsList?) -> Bool {
    guard listeners.isEmpty, recipient.methods.present.isEmpty else {
      content.displayCurrentList()
      return false
    }
    if let old { content.keepDisplaying(old) }
    guard recipient.methods.hasNone(isSectioned: content.isSectioned) else { return false }
    content.revertToDisplayedList()
    return true
  }
}
