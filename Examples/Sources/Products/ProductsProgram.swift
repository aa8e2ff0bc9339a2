// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Prints what each request of the article “NSFetchRequest and NSFetchedResultsController” gives.
@main
struct ProductsProgram {
  static func main() throws {
    let stack = try CoreDataStack()
    try Assortment.fill(stack.context)
    let requests = Requests(context: stack.context)
    try requests.everything()
    try requests.sortDescriptors()
    try requests.equality()
    try requests.containment()
    try requests.limit()
    try requests.offset()
    try requests.batches()
    try requests.resultTypes()
    try requests.propertiesToFetch()
    try requests.subentities()
    try ProductTable(context: stack.context).run()
    try stack.remove()
  }
}
