// SPDX-License-Identifier: Apache-2.0

import CoreData
import StoreConformance
import Testing
import _CoreDataModel
import _CoreDataStore

@Suite("Stores of classes of the program, as every store")
struct CustomStoreConformanceTests {
  @Test(
    "An incremental store does what every store must",
    arguments: StoreConformance.checksOfAnyFetch
  )
  func incremental(_ check: StoreConformance.Check) throws {
    let (url, _) = TableStore.newServer()
    let coordinator = NSPersistentStoreCoordinator(
      managedObjectModel: NSManagedObjectModel(draft: ConformanceModel.draft)
    )
    let store = try coordinator.addPersistentStore(
      ofType: TableStore.type,
      configurationName: nil,
      at: url
    )
    try withExtendedLifetime(coordinator) { try check.run { _ in store.rows } }
  }

  @Test("An atomic store does what every store must", arguments: StoreConformance.checks)
  func atomic(_ check: StoreConformance.Check) throws {
    let (url, _) = AtomicTableStore.newServer()
    let coordinator = NSPersistentStoreCoordinator(
      managedObjectModel: NSManagedObjectModel(draft: ConformanceModel.draft)
    )
    let store = try coordinator.addPersistentStore(
      ofType: AtomicTableStore.type,
      configurationName: nil,
      at: url
    )
    try withExtendedLifetime(coordinator) { try check.run { _ in store.rows } }
  }

  @Test(
    "The example's store in a folder does what every store must",
    arguments: StoreConformance.checksOfAnyFetch
  )
  func folder(_ check: StoreConformance.Check) throws {
    let stack = try JSONStack(.folder, ConformanceModel.draft)
    try check.run { _ in stack.store.rows }
  }

  @Test(
    "The example's store in a file does what every store must",
    arguments: StoreConformance.checks
  )
  func file(_ check: StoreConformance.Check) throws {
    let stack = try JSONStack(.file, ConformanceModel.draft)
    try check.run { _ in stack.store.rows }
  }
}
