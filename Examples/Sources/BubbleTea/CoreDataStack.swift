// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The container of the program, on the file that `STORE` names.
@MainActor
final class CoreDataStack {
  private let container = NSPersistentContainer(name: "BubbleTea")
  var managedContext: NSManagedObjectContext { container.viewContext }
  var managedObjectModel: NSManagedObjectModel { container.managedObjectModel }

  /// - Throws: what opening the store gives.
  init() throws {
    let path =
      ProcessInfo.processInfo.environment["STORE"]
      ?? FileManager.default.temporaryDirectory.appendingPathComponent("BubbleTea.sqlite").path
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
