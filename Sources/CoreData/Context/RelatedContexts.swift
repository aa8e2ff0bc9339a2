// SPDX-License-Identifier: Apache-2.0

import Synchronization
import _CoreDataModel

/// What a context knows of others: its children, and the saves of others that it has not merged.
final class RelatedContexts {
  let incoming = IncomingSaves()
  let children = ChildContexts()
  /// The child whose save is being absorbed; nil at other times.
  var pushingChild: NSManagedObjectContext?
  private var ticket: ContextTicket?

  /// The ticket of the context that this belongs to, made at the first use.
  func ticket(of context: NSManagedObjectContext) -> ContextTicket {
    if let ticket { return ticket }
    let made = ContextTicket(context)
    ticket = made
    return made
  }

  /// Called by the context's `deinit`.
  func expireTicket() { ticket?.expire() }
}

/// The saves of other contexts, as far as a context follows them; read and written on any queue.
final class IncomingSaves: Sendable {
  let pending = PendingMerges()
  let unmerged = UnmergedSaves()
  let parentChanges = ParentChanges()
  /// Whether saves are merged without being asked.
  let followsSaves = Atomic(false)
  /// Whether the changes of batch requests are merged without being asked.
  let followsBatches = Atomic(false)
}
