// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The tutorial's list of venues.
@MainActor
final class VenueList {
  private let coreDataStack: CoreDataStack
  private var context: NSManagedObjectContext { coreDataStack.managedContext }
  private let fetchRequest: NSFetchRequest<Venue> = Venue.fetchRequest()
  private var venues: [Venue] = []

  init(_ stack: CoreDataStack) { coreDataStack = stack }

  /// Requests made by hand, by name, by class, and from the model's templates.
  func fetchInFiveWays() throws {
    let fetchRequest1 = NSFetchRequest<Venue>()
    fetchRequest1.entity = NSEntityDescription.entity(forEntityName: "Venue", in: context)
    let fetchRequest2 = NSFetchRequest<Venue>(entityName: "Venue")
    let fetchRequest3: NSFetchRequest<Venue> = Venue.fetchRequest()
    let model = coreDataStack.managedObjectModel
    let fetchRequest4: NSFetchRequest<Venue>? = model.fetchRequestTemplate(forName: "allVenues")
    let fetchRequest5: NSFetchRequest<Venue>? = model.fetchRequestFromTemplate(
      withName: "venueFR",
      substitutionVariables: ["NAME": "Vivi Bubble Tea"]
    )
    let requests = [fetchRequest1, fetchRequest2, fetchRequest3, fetchRequest4, fetchRequest5]
    for (number, request) in requests.enumerated() {
      guard let request else { throw CocoaError(.coreData) }
      print("Fetch request \(number + 1): \(try context.fetch(request).count) venues")
    }
  }

  /// Fetches beside the main queue; the list is empty until then.
  func fetchAsynchronously() async throws {
    print("\nBefore the asynchronous fetch: \(venues.count) venues")
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      let asyncFetchRequest = NSAsynchronousFetchRequest<Venue>(fetchRequest: fetchRequest) {
        [unowned self] (result: NSAsynchronousFetchResult) in
        guard let venues = result.finalResult else {
          return done.resume(throwing: result.operationError ?? CocoaError(.coreData))
        }
        // The context's queue is the main queue.
        MainActor.assumeIsolated { self.venues = venues }
        done.resume()
      }
      do {
        _ = try context.execute(asyncFetchRequest)
      } catch {
        done.resume(throwing: error)
      }
    }
    print("After it: \(venues.count) venues")
  }

  /// What the filter screen tells its delegate.
  func filter(
    _ title: String,
    didSelectPredicate predicate: NSPredicate?,
    sortDescriptor: NSSortDescriptor?
  ) throws {
    fetchRequest.predicate = predicate
    fetchRequest.sortDescriptors = sortDescriptor.map { [$0] }
    venues = try context.fetch(fetchRequest)
    print("\n\(title)")
    for venue in venues.prefix(6) {
      let distance = venue.location?.distance ?? 0
      print("  \(venue.name ?? "") \(venue.priceInfo?.priceCategory ?? "") \(Int(distance)) m")
    }
    if venues.count > 6 { print("  and \(venues.count - 6) more") }
  }
}
