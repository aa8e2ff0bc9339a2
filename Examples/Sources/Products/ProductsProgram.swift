// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

/// Prints what each request of the article “NSFetchRequest and NSFetchedResultsController” gives.
@main
struct ProductsProgram {
  static func main() {
    do {
      try run()
    } catch {
      FileHandle.standardError.write(Data("Products: \(error.localizedDescription)\n".utf8))
      exit(1)
    }
  }

  private static func run() throws {
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
