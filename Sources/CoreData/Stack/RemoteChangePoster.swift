// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataStore

/// Tells observers of the coordinator of every write to one store, this process's and others'.
///
/// Notifications are posted one after the other on a queue of their own, so that an observer may wait for
/// any context. Source: documented, “NSPersistentStoreRemoteChangeNotificationPostOptionKey” (who writes);
/// chosen (the queue).
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

  /// Returns when everything posted before has been told.
  func wait() { queue.sync {} }

  /// Posts the notification soon; not once the store has been removed.
  ///
  /// `transaction` is the number of the write in the store's history; nil for its last one.
  func post(_ transaction: Int64? = nil) {
    queue.async { [weak store] in
      guard let store, let coordinator = store.persistentStoreCoordinator else { return }
      var info: [AnyHashable: Any] = [NSStoreUUIDKey: store.identifier]
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
