// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

/// The steps of a round, and the callbacks for a delegate that receives neither snapshots nor differences.
extension ResultsNotifier {
  /// The state at the beginning of a round.
  ///
  /// After a callback that fetches again or replaces the delegate, the delegate receives no further callbacks
  /// of the round.
  struct Round {
    let controller: NSFetchedResultsController<NSFetchRequestResult>
    let fetchCount: Int
    let delegateGeneration: Int
  }

  /// Returns a round with the current content and delegate; nil while the controller is being
  /// deallocated.
  func beginRound() -> Round? {
    controller.map {
      Round(
        controller: $0,
        fetchCount: content.fetchCount,
        delegateGeneration: recipient.generation
      )
    }
  }

  /// Calls a method, unless the delegate is known not to implement the method or was replaced during the
  /// round.
  ///
  /// - Returns: whether the delegate implements the method or was replaced during the call.
  @discardableResult
  func call(
    _ method: DelegateMethods.Names,
    in round: Round,
    _ body: (
      any NSFetchedResultsControllerDelegate, NSFetchedResultsController<NSFetchRequestResult>
    ) -> Void
  ) -> Bool {
    guard let delegate, recipient.generation == round.delegateGeneration,
      recipient.methods.mayImplement(method)
    else { return false }
    body(delegate, round.controller)
    // The call may have replaced the delegate by another delegate, whose methods are unknown.
    guard recipient.generation == round.delegateGeneration else { return true }
    recipient.methods.markCalled(method)
    return recipient.methods.present.contains(method)
  }

  /// Changes the current list with `apply`, and notifies the listeners and the delegate.
  ///
  /// The delegate is notified in the form that it implements. A callback that fetches again ends the round.
  /// Does nothing while the controller is being deallocated.
  ///
  /// - Returns: whether the content was reverted, because the delegate turned out to implement no method for
  ///   changes.
  package func notify(applying apply: () -> ResultChanges) -> Bool {
    guard let round = beginRound() else { return false }
    let displayed = content.displayedList
    // `controllerWillChangeContent(_:)` must see the old content. While it is unknown whether the delegate
    // receives callbacks, the new content is first sent as a snapshot and as a difference. If the delegate
    // implements neither method, the callbacks follow, and `old` is displayed during the first callback. If
    // the delegate implements no method at all, `old` stays displayed.
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
    // Deleted objects are retained only by the changes, and the old content may still show them.
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
  /// If `isLate` is true, the current list has already changed; `controllerWillChangeContent(_:)` is then
  /// called while `old` is displayed.
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
    where content.fetchCount == round.fetchCount && recipient.methods.mayImplement(.object) {
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

  /// Displays the current list; keeps displaying `old` instead if there are no listeners and the delegate is
  /// not known to implement a method.
  ///
  /// - Returns: whether the current list was reverted to the displayed list, because the delegate implements
  ///   no method.
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
