// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite struct StoreNotificationTests {
  @Test("Stores that come and go are told with their coordinator; one that goes also by itself")
  func storesComeAndGo() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    let changed = Posts(coordinator, .NSPersistentStoreCoordinatorStoresDidChange)
    let store = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType,
      configurationName: nil,
      at: nil
    )
    let leaving = Posts(store, .NSPersistentStoreCoordinatorWillRemoveStore)
    try coordinator.remove(store)
    #expect(changed.infos.count == 2 && leaving.count == 1)
    #expect(changed.infos[0][NSAddedPersistentStoresKey] as? [NSPersistentStore] == [store])
    #expect(changed.infos[1][NSRemovedPersistentStoresKey] as? [NSPersistentStore] == [store])
  }

  @Test("A store that is migrated has another UUID: the old and the new store are told")
  func migratedStore() throws {
    let stack = try LibraryStack()
    let coordinator = stack.container.persistentStoreCoordinator
    let old = try #require(coordinator.persistentStores.first)
    let changed = Posts(coordinator, .NSPersistentStoreCoordinatorStoresDidChange)
    let new = try coordinator.migratePersistentStore(
      old,
      to: stack.folder.appendingPathComponent("Moved.sqlite"),
      type: .sqlite
    )
    #expect(old.identifier != new.identifier)
    func stores(_ key: String) -> [[NSPersistentStore]] {
      changed.infos.compactMap { $0[key] as? [NSPersistentStore] }
    }
    #expect(stores(NSUUIDChangedPersistentStoresKey) == [[old, new]])
    #expect(stores(NSAddedPersistentStoresKey) == [[new]])
    #expect(stores(NSRemovedPersistentStoresKey) == [[old]])
  }
}
