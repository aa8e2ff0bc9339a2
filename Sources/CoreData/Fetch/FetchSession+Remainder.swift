// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// The part of a fetch that a store cannot say, done with the context's objects: choose, sort, cut.
extension FetchSession {
  /// Rows that are chosen from together, so that a limit ends the work early.
  private static let blockSize = 512

  /// The objects of a fetch of which the store says a part.
  ///
  /// - Complexity: one statement, and for each block of rows and each relationship that the rest of
  ///   the condition reads one for the members and one for some hundred rows.
  func remainder(_ divided: DividedFetch, in store: any RowOrigin) throws -> [NSManagedObject] {
    var stored = divided.stored
    stored.shape = .rows
    guard case .rows(let rows) = try store.fetch(stored) else { return [] }
    let prepared = divided.rest.map { PreparedCondition($0) }
    var reading = ReadPaths()
    if let rest = divided.rest { reading.add(rest) }
    for key in divided.order { reading.add(key) }
    // In the store's order the window is full after the rows that it needs.
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

  /// The keys of the same, by the values in the store: unsaved changes are left out.
  func storedRemainder(
    _ divided: DividedFetch,
    in store: any RowOrigin
  ) throws -> [ObjectKey] {
    try withScratchSession(description) { try $0.remainder(divided, in: store).map(\.key) } ?? []
  }

  /// Calls `body` with a session in a context of its own, which has no unsaved changes.
  ///
  /// - Returns: nil without a coordinator.
  func withScratchSession<R>(
    _ description: FetchDescription,
    _ body: (FetchSession) throws -> R
  ) rethrows -> R? {
    guard let coordinator = context.coordinator else { return nil }
    let scratch = NSManagedObjectContext(concurrencyType: context.concurrencyType)
    scratch.persistentStoreCoordinator = coordinator
    return try withExtendedLifetime(scratch) { try body(FetchSession(description, in: scratch)) }
  }
}
