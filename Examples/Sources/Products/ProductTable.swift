// SPDX-License-Identifier: Apache-2.0

import CoreData

/// What the article's table view shows: products in sections by name, and each change as it comes.
final class ProductTable {
  private let controller: NSFetchedResultsController<Products>
  private let context: NSManagedObjectContext

  init(context: NSManagedObjectContext) {
    self.context = context
    let request: NSFetchRequest<Products> = Products.fetchRequest()
    request.sortDescriptors = [
      NSSortDescriptor(key: "name", ascending: true),
      NSSortDescriptor(key: "price", ascending: true),
    ]
    controller = NSFetchedResultsController(
      fetchRequest: request,
      managedObjectContext: context,
      sectionNameKeyPath: "name",
      cacheName: nil
    )
    controller.delegate = self
  }

  func run() throws {
    Listing.title("NSFetchedResultsController, sectionNameKeyPath = \"name\"")
    try controller.performFetch()
    show()
    try change()
  }

  private func show() {
    for section in controller.sections ?? [] {
      print("\(section.indexTitle ?? "") (\(section.numberOfObjects))")
      for case let product as Products in section.objects ?? [] {
        print("  \(product.name ?? "")  \(product.price)")
      }
    }
  }

  /// One change of each kind, each in a save of its own.
  private func change() throws {
    try save("A product is added: Apples, 1") {
      let product = Products(context: context)
      product.name = "Apples"
      product.price = 1
    }
    try save("The second product of the first section gets the price 186") {
      controller.object(at: IndexPath(row: 1, section: 0)).price = 186
    }
    try save("The first product of the first section gets the price 1000") {
      controller.object(at: IndexPath(row: 0, section: 0)).price = 1000
    }
    try save("The first product of the last section becomes water") {
      let last = (controller.sections?.count ?? 1) - 1
      controller.object(at: IndexPath(row: 0, section: last)).name = "Water"
    }
    try save("The product of the last section is deleted") {
      let last = (controller.sections?.count ?? 1) - 1
      context.delete(controller.object(at: IndexPath(row: 0, section: last)))
    }
    print()
    show()
  }

  private func save(_ title: String, _ edit: () -> Void) throws {
    Listing.title(title)
    edit()
    try context.save()
  }
}
