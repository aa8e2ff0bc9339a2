// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// A parent context as the source of its child's rows.
///
/// The methods are called on the child's queue and work on the parent's queue. Rows are copied, so that
/// parent and child never share a row that one of them writes.
///
/// Source: docs/decisions/0005-child-contexts.md.
final class ParentSource: RowOrigin, @unchecked Sendable {
  // Unchecked: the source is confined to the child's queue.
  let parent: NSManagedObjectContext
  /// The child's graph; the child owns this source.
  private unowned let graph: ObjectGraph
  /// Tracks which of the parent's key changes the child has read; nil before the first read.
  private var reader: KeyChangeReader?

  init(parent: NSManagedObjectContext, graph: ObjectGraph) {
    self.parent = parent
    self.graph = graph
  }

  /// Runs `body` on the parent's queue, after the child's objects have adopted permanent keys.
  func inParent<T>(_ body: () throws -> T) rethrows -> T {
    try parent.queue.borrow {
      parent.parentSource?.adoptKeys()
      readKeyChanges()
      return try body()
    }
  }

  /// Gives the child's objects the permanent keys of the parent's objects.
  func adoptKeys() { inParent {} }

  private func readKeyChanges() {
    let reader = self.reader ?? parent.graph.makeKeyChangeReader()
    self.reader = reader
    graph.adoptKeys(parent.graph.unreadKeyChanges(by: reader))
  }

  func fetch(_ description: FetchDescription) throws -> FetchResult {
    try inParent { try parent.fetchForChild(description) }
  }

  func divided(_ description: FetchDescription) throws -> DividedFetch {
    throw StoreError(
      .invalidRequest,
      "internal error: a parent context was asked to divide a fetch. Please report this defect"
    )
  }

  func rows(for keys: [ObjectKey]) throws -> FetchedRows {
    try inParent { try parent.graph.currentRows(for: keys) }
  }

  func related(to owners: [ObjectKey], slot: Int) throws -> RelatedRows {
    try inParent { try parent.graph.currentRelated(to: owners, slot: slot) }
  }

  /// Returns an object's transient values, by slot, except those that are part of its row.
  ///
  /// The values are read in the parent or, if the object is a fault or not registered there, in the nearest
  /// ancestor of the parent in which the object is realised; empty if there is no such context.
  func transientObjects(of key: ObjectKey) -> [Int: Any] {
    inParent {
      let object = parent.registry.object(for: parent.graph.currentKey(for: key))
      guard let object, !object.flags.contains(.fault) else {
        return parent.parentSource?.transientObjects(of: key) ?? [:]
      }
      let slots = object.entityDefinition.transientSlots
      return object.detail?.objects.filter { slots.contains($0.key) } ?? [:]
    }
  }

  func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]] {
    inParent {
      owners.map { owner in
        parent.graph.currentMembers(of: parent.graph.currentKey(for: owner), slot: slot)
      }
    }
  }
}

final class ChildContexts: Sendable {
  private let tickets = Mutex<[ContextTicket]>([])

  func add(_ ticket: ContextTicket) { tickets.withLock { $0.append(ticket) } }

  /// Whether there are no children; false if a released child was not removed yet.
  var isEmpty: Bool { tickets.withLock { $0.isEmpty } }

  /// The children that still exist.
  ///
  /// Reading this property also removes the entries of released children.
  var living: [NSManagedObjectContext] {
    let known = tickets.withLock { $0 }
    let living = known.compactMap { ticket in ticket.context.map { (ticket, $0) } }
    if living.count != known.count {
      tickets.withLock { tickets in
        tickets.removeAll { ticket in
          known.contains { $0 === ticket } && !living.contains { $0.0 === ticket }
        }
      }
    }
    return living.map(\.1)
  }
}
