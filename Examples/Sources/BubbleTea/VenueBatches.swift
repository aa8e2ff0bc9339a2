// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Changes of all venues in the store, past the context.
@MainActor
struct VenueBatches {
  private let coreDataStack: CoreDataStack

  init(_ stack: CoreDataStack) { coreDataStack = stack }

  func markAllAsFavorite() throws {
    let batchUpdate = NSBatchUpdateRequest(entityName: "Venue")
    batchUpdate.propertiesToUpdate = ["favorite": true]
    batchUpdate.affectedStores =
      coreDataStack.managedContext.persistentStoreCoordinator?.persistentStores
    batchUpdate.resultType = .updatedObjectsCountResultType
    let batchResult = try coreDataStack.managedContext.execute(batchUpdate) as? NSBatchUpdateResult
    print("\nRecords updated \(batchResult?.result ?? "?")")
    try show("favorite == YES", "favorites")
  }

  /// Locations, categories and prices go with their venues: their rule is Cascade.
  func deleteAll() throws {
    let batchDelete = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<Venue>(entityName: "Venue"))
    batchDelete.resultType = .resultTypeCount
    let batchResult = try coreDataStack.managedContext.execute(batchDelete) as? NSBatchDeleteResult
    print("Records deleted \(batchResult?.result ?? "?")")
    try show("TRUEPREDICATE", "venues")
    let locations = NSFetchRequest<NSManagedObject>(entityName: "Location")
    print("In the store: \(try coreDataStack.managedContext.count(for: locations)) locations")
  }

  private func show(_ format: String, _ what: String) throws {
    let request: NSFetchRequest<Venue> = Venue.fetchRequest()
    request.predicate = NSPredicate(format: format)
    print("In the store: \(try coreDataStack.managedContext.count(for: request)) \(what)")
  }
}
