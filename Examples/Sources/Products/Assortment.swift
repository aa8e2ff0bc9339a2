// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The products of the list, in the order they are added; the prices are the article's.
enum Assortment {
  static let products: [(name: String, price: Int32)] = [
    ("Bread", 156), ("Cheese", 425), ("Cheese", 85), ("Sausage «Milk»", 400), ("Yoghurt", 920),
    ("Sausage «Doctor's»", 861), ("Cheese", 76), ("Tea", 633), ("Cheese", 635),
    ("Sausage «Doctor's»", 718), ("Bread", 701), ("Cheese", 176), ("Apples", 731),
    ("Sausage «Doctor's»", 746), ("Tomatoes", 456), ("Tomatoes", 519), ("Sausage «Milk»", 221),
    ("Tomatoes", 560), ("Sausage «Doctor's»", 646), ("Bread", 492), ("Apples", 185),
    ("Cheese", 539), ("Sausage «Doctor's»", 872), ("Apples", 972), ("Bread", 821), ("Tea", 409),
    ("Apples", 334), ("Tea", 734), ("Cheese", 448), ("Sausage «Doctor's»", 345),
  ]

  /// Adds the products to the store, in one save.
  static func fill(_ context: NSManagedObjectContext) throws {
    for product in products {
      let object = Products(context: context)
      object.name = product.name
      object.price = product.price
    }
    try context.save()
  }

  /// Adds a product that is an object of the sub-entity.
  static func addFavorite(to context: NSManagedObjectContext) throws {
    let favorite = FavoriteProducts(context: context)
    favorite.name = "Yoghurt"
    favorite.price = 999
    try context.save()
  }
}
