// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

extension NSPersistentStoreCoordinator {
  /// Returns a token for the position after the last transaction in the history of each of `stores`.
  ///
  /// If `stores` is nil, the token contains the positions in all stores of the coordinator. Stores of other
  /// coordinators, stores without a history and stores whose history cannot be read are left out. Returns nil
  /// if no store remains.
  ///
  /// Source: documented; behaviour.md PH-10.
  /// - Complexity: at most one statement for each store.
  public func currentPersistentHistoryToken(
    fromStores stores: [Any]?
  ) -> NSPersistentHistoryToken? {
    let chosen = stores?.compactMap { $0 as? NSPersistentStore } ?? persistentStores
    return historyToken(chosen.filter { $0.persistentStoreCoordinator === self }.map { ($0, nil) })
  }

  /// Returns a token for the position after the given writes; nil if no write was recorded in a history.
  func historyToken(of writes: [StoreWrite]) -> NSPersistentHistoryToken? {
    historyToken(
      writes.compactMap { write in
        guard let number = write.transaction, let store = store(at: write.store) else { return nil }
        return (store, number)
      }
    )
  }

  /// Returns a token with the given transaction numbers; a nil number stands for the store's last
  /// transaction.
  ///
  /// Stores without a history and stores whose history cannot be read are left out. Returns nil if no store
  /// remains.
  func historyToken(
    _ places: [(store: NSPersistentStore, number: Int64?)]
  ) -> NSPersistentHistoryToken? {
    var numbers: [String: Int64] = [:]
    for (store, number) in places {
      guard let rows = store.rows as? any HistoryStore, rows.hasHistory else { continue }
      // The error is dropped: a request with a token that lacks a store fetches that store's whole history,
      // which is safer than missing transactions.
      numbers[rows.identifier] = number ?? (try? rows.historyExtent())?.last
    }
    return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers)
  }
}
