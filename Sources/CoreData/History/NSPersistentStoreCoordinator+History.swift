// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

extension NSPersistentStoreCoordinator {
  /// The place behind everything that the stores' histories have now; nil stands for all stores.
  ///
  /// Nil where none of them has a history, or none can be read. Source: documented; behaviour.md PH-10.
  /// - Complexity: one statement a store.
  public func currentPersistentHistoryToken(
    fromStores stores: [Any]?
  ) -> NSPersistentHistoryToken? {
    let chosen = stores?.compactMap { $0 as? NSPersistentStore } ?? persistentStores
    return historyToken(chosen.filter { $0.persistentStoreCoordinator === self }.map { ($0, nil) })
  }

  /// The place behind own writes; nil where none of the stores has a history.
  func historyToken(of writes: [StoreWrite]) -> NSPersistentHistoryToken? {
    historyToken(
      writes.compactMap { write in
        guard let number = write.transaction, let store = store(at: write.store) else { return nil }
        return (store, number)
      }
    )
  }

  /// A token of stores and the numbers of transactions; nil stands for the last one.
  func historyToken(
    _ places: [(store: NSPersistentStore, number: Int64?)]
  ) -> NSPersistentHistoryToken? {
    var numbers: [String: Int64] = [:]
    for (store, number) in places {
      guard let rows = store.rows as? any HistoryStore, rows.hasHistory else { continue }
      // Without the store in it the token gives its whole history: too much rather than too little.
      numbers[rows.identifier] = number ?? (try? rows.historyExtent())?.last
    }
    return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers)
  }
}
