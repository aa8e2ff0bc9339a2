// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The tutorial's screen of filters and orders, with its labels.
@MainActor
final class VenueFilters {
  private let coreDataStack: CoreDataStack

  init(_ stack: CoreDataStack) { coreDataStack = stack }

  lazy var cheapVenuePredicate = NSPredicate(format: "%K == %@", "priceInfo.priceCategory", "$")
  lazy var expensiveVenuePredicate = NSPredicate(
    format: "%K == %@",
    "priceInfo.priceCategory",
    "$$$"
  )

  lazy var nameSortDescriptor = NSSortDescriptor(
    key: "name",
    ascending: true,
    selector: "localizedStandardCompare:"
  )
  lazy var distanceSortDescriptor = NSSortDescriptor(key: "location.distance", ascending: true)
  lazy var priceSortDescriptor = NSSortDescriptor(key: "priceInfo.priceCategory", ascending: false)

  /// The rows of the screen, from the top.
  var choices: [(title: String, NSPredicate?, NSSortDescriptor?)] {
    [
      ("Name (A-Z)", nil, nameSortDescriptor),
      ("Name (Z-A)", nil, nameSortDescriptor.reversedSortDescriptor as? NSSortDescriptor),
      ("Distance", nil, distanceSortDescriptor),
      ("Price, from the top", nil, priceSortDescriptor),
      ("$ by distance", cheapVenuePredicate, distanceSortDescriptor),
      ("$$$ by name", expensiveVenuePredicate, nameSortDescriptor),
    ]
  }

  /// A result of one number.
  func populateCheapVenueCountLabel() throws {
    let fetchRequest = NSFetchRequest<NSNumber>(entityName: "Venue")
    fetchRequest.resultType = .countResultType
    fetchRequest.predicate = cheapVenuePredicate
    let countResult = try coreDataStack.managedContext.fetch(fetchRequest)
    print("\n$: \(countResult.first?.intValue ?? 0) bubble tea places")
  }

  /// The count that a request for venues would have.
  func populateExpensiveVenueCountLabel() throws {
    let fetchRequest: NSFetchRequest<Venue> = Venue.fetchRequest()
    fetchRequest.predicate = expensiveVenuePredicate
    let count = try coreDataStack.managedContext.count(for: fetchRequest)
    print("$$$: \(count) bubble tea places")
  }

  /// A sum, computed by the store.
  func populateDealsCountLabel() throws {
    let fetchRequest = NSFetchRequest<NSDictionary>(entityName: "Venue")
    fetchRequest.resultType = .dictionaryResultType
    let sumExpressionDesc = NSExpressionDescription()
    sumExpressionDesc.name = "sumDeals"
    let specialCountExp = NSExpression(forKeyPath: "specialCount")
    sumExpressionDesc.expression = NSExpression(
      forFunction: "sum:",
      arguments: [specialCountExp]
    )
    sumExpressionDesc.expressionResultType = .integer32AttributeType
    fetchRequest.propertiesToFetch = [sumExpressionDesc]
    let results = try coreDataStack.managedContext.fetch(fetchRequest)
    print("\(results.first?["sumDeals"] ?? "no") total deals")
  }
}
