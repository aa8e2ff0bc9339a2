// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

/// Registers one undo action with a context's undo manager for each event that changes objects.
///
/// Source: documented, “NSManagedObjectContext.undoManager”; behaviour.md UN-1 to UN-4.
final class ContextUndo {
  let manager: UndoManager
  private let ticket: ContextTicket
  private let identity: ObjectIdentifier
  /// Whether an undo action is being registered; checkpoints that the manager posts meanwhile are ignored.
  var isRegistering = false
  private var token: (any NSObjectProtocol)?

  init(_ manager: UndoManager, _ context: NSManagedObjectContext) {
    self.manager = manager
    ticket = context.ticket
    identity = ObjectIdentifier(context)
    // The manager posts a checkpoint before a group begins or ends. The pending changes are registered at the
    // checkpoint, so that they belong to the group in which they were made.
    let ticket = context.ticket
    token = NotificationCenter.default.addObserver(
      forName: .NSUndoManagerCheckpoint,
      object: manager,
      queue: nil
    ) { _ in ticket.context?.registerPendingUndo() }
  }

  deinit {
    if let token { NotificationCenter.default.removeObserver(token) }
  }

  /// Registers an action that undoes a step; if no undo group is open, the action gets a group of its own.
  ///
  /// Does nothing while the manager's undo registration is disabled.
  func register(_ step: UndoStep) {
    guard manager.isUndoRegistrationEnabled else { return }
    let wasRegistering = isRegistering
    isRegistering = true
    defer { isRegistering = wasRegistering }
    let isAlone = manager.groupingLevel == 0
    if isAlone { manager.beginUndoGrouping() }
    #if canImport(Darwin)
    manager.registerUndo(withTarget: self) { $0.ticket.context?.perform(undoing: step) }
    #else
    // The action is registered under the context's `ObjectIdentifier`, because a weak reference to the
    // context would slow down every later retain of the context.
    manager.register(identity) { [ticket] in ticket.context?.perform(undoing: step) }
    #endif
    if isAlone { manager.endUndoGrouping() }
  }
}

extension NSManagedObjectContext {
  func setUndoManager(_ manager: UndoManager?) {
    checkQueue("setUndoManager:")
    if manager === undoing?.manager { return }
    if isConnected { endChangeEvent() }
    undoing = manager.map { ContextUndo($0, self) }
    if isConnected { graph.recordsUndo = manager != nil }
  }

  /// Registers the undo step of an event; called after the event has ended.
  func registerUndoStep() {
    guard let undoing, let step = graph.finishUndoStep() else { return }
    undoing.register(step)
  }

  fileprivate func registerPendingUndo() {
    guard let undoing, !undoing.isRegistering, isConnected else { return }
    undoing.isRegistering = true
    endChangeEvent()
    undoing.isRegistering = false
  }

  fileprivate func perform(undoing step: UndoStep) {
    checkQueue("undo()")
    let undone = graph.undo(step)
    for change in undone {
      let object = Self.managed(change.object)
      let flags: NSSnapshotEventType =
        switch change.event {
        case .arrival: .undoDeletion
        case .departure: .undoInsertion
        case .update: .undoUpdate
        }
      object.awake(fromSnapshotEvents: flags)
    }
    endChangeEvent()
  }

  func clearUndo() {
    guard let undoing else { return }
    graph.dropUndoStep()
    undoing.manager.removeAllActions()
    graph.discardFormerKeys()
  }
}
