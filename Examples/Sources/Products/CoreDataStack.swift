// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The container of the program, on a file of its own: the one that `STORE` names, or a temporary one.
final class CoreDataStack {
  let container: NSPersistentContainer
  /// What `remove()` deletes; nil where the file was asked for.
  private let temporaryFolder: URL?

  var context: NSManagedObjectContext { container.viewContext }

  /// Opens the store, empty: an earlier run's file is replaced.
  ///
  /// - Throws: what opening the store gives.
  init() throws {
    container = NSPersistentContainer(name: "Products")
    let file: URL
    if let path = ProcessInfo.processInfo.environment["STORE"] {
      temporaryFolder = nil
      file = URL(fileURLWithPath: path)
      for suffix in ["", "-wal", "-shm"]
      where FileManager.default.fileExists(atPath: path + suffix) {
        try FileManager.default.removeItem(atPath: path + suffix)
      }
    } else {
      let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("Products-\(UUID().uuidString)", isDirectory: true)
      temporaryFolder = folder
      file = folder.appendingPathComponent("Products.sqlite")
    }
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: file)]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
  }

  /// Closes the store; deletes a temporary file.
  func remove() throws {
    let coordinator = container.persistentStoreCoordinator
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    if let temporaryFolder { try FileManager.default.removeItem(at: temporaryFolder) }
  }
}
