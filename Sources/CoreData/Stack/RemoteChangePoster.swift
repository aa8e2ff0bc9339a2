// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataStore

/// Posts a notification after every write to one store, by this or another process.
///
/// Notifications are posted one after another on a separate queue, so that an observer may wait for any
/// context without a deadlock.
///
/// Source: documented, “NSPersistentStoreRemoteChangeNotificationPostOptionKey”; the queue is this library's
/// choice.
final class RemoteChangePoster: Sendable {
  private let queue = DispatchQueue(label: "NSPersistentStoreRemoteChange")
  private let watch = Mutex<(any StoreWatch)?>(nil)
  private weak let store: NSPersistentStore?

  init(_ store: NSPersistentStore) {
    self.store = store
    let started = store.rows.watch { [weak self] in self?.post() }
    watch.withLock { $0 = started }
  }

  deinit { watch.withLock { $0?.cancel() } }

  func wait() { queue.sync {} }

  /// Schedules a notification; does not post the notification if the store is removed first.
  ///
  /// `transaction` is the number of the transaction in the store's history; nil stands for the last
  /// transaction.
  func post(_ transaction: Int64? = nil) {
    queue.async { [weak store] in
      guard let store, let coordinator = store.persistentStoreCoordinator else { return }
      var info: [AnyHashable: Any] = [NSStoreUUIDKey: store.uuid]
      info[NSPersistentStoreURLKey] = store.url
      info[NSPersistentHistoryTokenKey] = coordinator.historyToken([(store, transaction)])
      NotificationCenter.default.post(
        name: .NSPersistentStoreRemoteChange,
        object: coordinator,
        userInfo: info
      )
    }
  }
}
