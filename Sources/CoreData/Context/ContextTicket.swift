// SPDX-License-Identifier: Apache-2.0

import Synchronization
import _CoreDataGraph

/// Lets a queued block find its context without keeping the context alive.
///
/// Source: docs/decisions/0001-identity-map.md, which explains why this is not a `weak` reference.
final class ContextTicket: Sendable {
  private let address: Mutex<UInt>

  init(_ context: NSManagedObjectContext) {
    address = Mutex(ObjectLifetime.address(of: context))
  }

  var context: NSManagedObjectContext? {
    let alive = address.withLock { ObjectLifetime.retain($0) }
    return ObjectLifetime.consume(alive, as: NSManagedObjectContext.self)
  }

  /// Clears the reference to the context; called from the context's `deinit`.
  func expire() { address.withLock { $0 = 0 } }
}
