// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The container of the program, on the file that `STORE` names.
final class CoreDataStack {
  private let container = NSPersistentContainer(name: "BowTies")
  var managedContext: NSManagedObjectContext { container.viewContext }

  /// - Throws: what opening the store gives.
  init() throws {
    let path =
      ProcessInfo.processInfo.environment["STORE"]
      ?? FileManager.default.temporaryDirectory.appendingPathComponent("BowTies.sqlite").path
    container.persistentStoreDescriptions = [
      NSPersistentStoreDescription(url: URL(fileURLWithPath: path))
    ]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
  }

  func saveContext() throws {
    if managedContext.hasChanges { try managedContext.save() }
  }
}
