// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The requests of the article, in its order.
struct Requests {
  let context: NSManagedObjectContext

  private let byName = NSSortDescriptor(key: "name", ascending: true)
  private let byPrice = NSSortDescriptor(key: "price", ascending: true)

  init(context: NSManagedObjectContext) { self.context = context }

  func everything() throws {
    Listing.title("NSFetchRequest")
    Listing.show(try context.fetch(Products.fetchRequest()))
  }

  func sortDescriptors() throws {
    Listing.title("sortDescriptors = [name, price]")
    Listing.show(try sorted(includesSubentities: true))
  }

  func equality() throws {
    Listing.title("predicate: name == \"Sausage «Milk»\"")
    let request: NSFetchRequest<Products> = Products.fetchRequest()
    request.predicate = NSPredicate(format: "name == %@", "Sausage «Milk»")
    Listing.show(try context.fetch(request))
  }

  func containment() throws {
    Listing.title("predicate: name CONTAINS[cd] \"sausage\" AND price < 500")
    let request: NSFetchRequest<Products> = Products.fetchRequest()
    request.predicate = NSPredicate(
      format: "name CONTAINS[cd] %@ AND price < %d",
      "sausage",
      500
    )
    Listing.show(try context.fetch(request))
  }

  func limit() throws {
    Listing.title("fetchLimit = 12")
    Listing.show(try cheapest())
  }

  func offset() throws {
    Listing.title("fetchOffset = 2")
    Listing.compare(try cheapest(), try cheapest(offset: 2), offset: 2)
  }

  func batches() throws {
    Listing.title("fetchBatchSize = 20")
    let request: NSFetchRequest<Products> = Products.fetchRequest()
    request.sortDescriptors = [byName, byPrice]
    request.fetchBatchSize = 20
    Listing.show(try context.fetch(request))
  }

  func resultTypes() throws {
    Listing.title("resultType = .managedObjectResultType")
    let objects = NSFetchRequest<NSManagedObject>(entityName: "Products")
    objects.resultType = .managedObjectResultType
    for object in try context.fetch(objects).prefix(1) { print(type(of: object)) }

    Listing.title("resultType = .managedObjectIDResultType")
    let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Products")
    ids.resultType = .managedObjectIDResultType
    for id in try context.fetch(ids).prefix(1) { print(id.entity.name ?? "", id.isTemporaryID) }

    Listing.title("resultType = .dictionaryResultType")
    let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Products")
    dictionaries.resultType = .dictionaryResultType
    Listing.show(Array(try context.fetch(dictionaries).prefix(1)))

    Listing.title("resultType = .countResultType")
    let count = NSFetchRequest<NSNumber>(entityName: "Products")
    count.resultType = .countResultType
    for number in try context.fetch(count) { print(number) }
  }

  func propertiesToFetch() throws {
    Listing.title("propertiesToFetch = [\"name\"]")
    let request = NSFetchRequest<NSDictionary>(entityName: "Products")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["name"]
    Listing.show(try context.fetch(request))
  }

  func subentities() throws {
    try Assortment.addFavorite(to: context)
    Listing.title("includesSubentities = true")
    Listing.show(try sorted(includesSubentities: true))
    Listing.title("includesSubentities = false")
    Listing.show(try sorted(includesSubentities: false))
  }

  private func sorted(includesSubentities: Bool) throws -> [Products] {
    let request: NSFetchRequest<Products> = Products.fetchRequest()
    request.sortDescriptors = [byName, byPrice]
    request.includesSubentities = includesSubentities
    return try context.fetch(request)
  }

  private func cheapest(offset: Int = 0) throws -> [Products] {
    let request: NSFetchRequest<Products> = Products.fetchRequest()
    request.sortDescriptors = [byPrice]
    request.fetchLimit = 12
    request.fetchOffset = offset
    return try context.fetch(request)
  }
}
