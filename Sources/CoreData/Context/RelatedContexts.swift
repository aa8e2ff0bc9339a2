// SPDX-License-Identifier: Apache-2.0

import Synchronization
import _CoreDataModel

/// A context's links to other contexts: its children, and the saves of other contexts that it has not merged.
final class RelatedContexts {
  let incoming = IncomingSaves()
  let children = ChildContexts()
  /// The child whose save the context is receiving; nil at all other times.
  var pushingChild: NSManagedObjectContext?
  private var ticket: ContextTicket?

  /// Returns the ticket of the context that owns this object, created at the first use.
  func ticket(of context: NSManagedObjectContext) -> ContextTicket {
    if let ticket { return ticket }
    let made = ContextTicket(context)
    ticket = made
    return made
  }

  func expireTicket() { ticket?.expire() }
}

/// The saves of other contexts that a context has not merged; read and written on any queue.
final class IncomingSaves: Sendable {
  let pending = PendingMerges()
  let unmerged = UnmergedSaves()
  let parentChanges = ParentChanges()
  let mergesSaves = Atomic(false)
  let mergesBatches = Atomic(false)
}
