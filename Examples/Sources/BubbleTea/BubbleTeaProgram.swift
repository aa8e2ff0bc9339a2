// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The tutorial's “Bubble Tea Finder”: everything a fetch request can do, and batch requests.
///
/// Prints what the app's labels, list and console show. The last step deletes all venues, so that the
/// next run begins anew.
@main
struct BubbleTeaProgram {
  @MainActor
  static func main() async throws {
    let stack = try CoreDataStack()
    try importSeedIfNeeded(stack)
    let list = VenueList(stack)
    try list.fetchInFiveWays()

    let filters = VenueFilters(stack)
    try filters.populateCheapVenueCountLabel()
    try filters.populateExpensiveVenueCountLabel()
    try filters.populateDealsCountLabel()

    try await list.fetchAsynchronously()
    for (title, predicate, order) in filters.choices {
      try list.filter(title, didSelectPredicate: predicate, sortDescriptor: order)
    }

    let batches = VenueBatches(stack)
    try batches.markAllAsFavorite()
    try batches.deleteAll()
  }

  @MainActor
  private static func importSeedIfNeeded(_ stack: CoreDataStack) throws {
    let context = stack.managedContext
    let known: NSFetchRequest<Venue> = Venue.fetchRequest()
    if try context.count(for: known) > 0 { return }
    guard let url = Seed.file(in: ProcessInfo.processInfo.environment) else {
      throw CocoaError(.fileNoSuchFile)
    }
    for venue in try Seed.venues(at: url) { venue.insert(into: context) }
    try stack.saveContext()
  }
}
