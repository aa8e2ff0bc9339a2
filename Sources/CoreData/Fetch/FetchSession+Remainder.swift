// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// The part of a fetch that a store cannot express, evaluated on the context's objects: filtering,
/// sorting, and the window.
extension FetchSession {
  /// The number of rows that are filtered together, so that a limit can end the work early.
  private static let blockSize = 512

  /// Returns the objects of a fetch that the store can express only in part.
  ///
  /// - Complexity: one statement for the rows. For each block of 512 rows and each relationship that the
  ///   remaining condition or order reads, one statement for the keys of the destinations, and one for each
  ///   few hundred of the destinations' rows.
  func remainder(_ divided: DividedFetch, in store: any RowOrigin) throws -> [NSManagedObject] {
    var stored = divided.stored
    stored.shape = .rows
    guard case .rows(let rows) = try store.fetch(stored) else { return [] }
    let prepared = divided.rest.map { PreparedCondition($0) }
    var reading = ReadPaths()
    if let rest = divided.rest { reading.add(rest) }
    for key in divided.order { reading.add(key) }
    // If the store sorts the rows, the loop can stop as soon as the window is full.
    let window = FetchWindow(description)
    let wanted = divided.order.isEmpty ? window.needed : Int.max
    var chosen: [NSManagedObject] = []
    for block in rows.blocks(of: Self.blockSize) where chosen.count < wanted {
      let objects = context.register(block, refreshing: options.refreshes)
      let read = try graph.load(reading.paths, of: objects)
      try withExtendedLifetime(read) {
        guard let prepared else { return chosen += objects }
        for object in objects where try prepared.holds(for: .object(object)) {
          chosen.append(object)
        }
      }
    }
    if !divided.order.isEmpty {
      chosen = try SortOrder(divided.order).sorted(chosen) { .object($0) }
    }
    chosen = window.cut(chosen)
    if options.realizes { for object in chosen { graph.realizeFromRow(object) } }
    return chosen
  }

  /// Returns the keys that `remainder(_:in:)` would yield for saved values; unsaved changes are ignored.
  func storedRemainder(
    _ divided: DividedFetch,
    in store: any RowOrigin
  ) throws -> [ObjectKey] {
    try withScratchSession(description) { try $0.remainder(divided, in: store).map(\.key) } ?? []
  }

  /// Calls `body` with a session in a temporary context without unsaved changes, on the temporary context's
  /// queue.
  ///
  /// The temporary context reads the same query generation as the session's context. It has its own private
  /// queue, so entering that queue never waits.
  ///
  /// - Returns: the result of `body`; nil if the session's context has no coordinator.
  func withScratchSession<R>(
    _ description: FetchDescription,
    _ body: (FetchSession) throws -> R
  ) rethrows -> R? {
    guard let coordinator = context.coordinator else { return nil }
    let scratch = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    scratch.persistentStoreCoordinator = coordinator
    scratch.readGeneration(of: context)
    return try scratch.queue.sync {
      try withExtendedLifetime(scratch) { try body(FetchSession(description, in: scratch)) }
    }
  }
}
