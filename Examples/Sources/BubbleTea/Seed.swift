// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The venues of an empty store, in the format of the book's `seed.json`.
struct Seed: Decodable {
  struct Venue: Decodable {
    struct Contact: Decodable { var phone: String? }
    struct Location: Decodable {
      var address: String?
      var city: String?
      var distance: Float?
    }
    struct Category: Decodable {
      var id: String
      var name: String
    }
    struct Price: Decodable { var currency: String? }
    struct Specials: Decodable { var count: Int32 }

    var name: String
    var contact: Contact
    var location: Location
    var categories: [Category]
    var price: Price
    var specials: Specials
  }
  struct Response: Decodable { var venues: [Venue] }

  var response: Response

  /// The book's own file where it lies beside the project, else ours with the same fields.
  static func file(in environment: [String: String]) -> URL? {
    let book = environment["COREDATA_SHARED"].map {
      URL(fileURLWithPath: $0).appendingPathComponent("fixtures/seeds/BubbleTeaFinder_seed_v5.json")
    }
    if let book, FileManager.default.fileExists(atPath: book.path) { return book }
    return Bundle.module.url(forResource: "venues", withExtension: "json")
  }

  static func venues(at url: URL) throws -> [Venue] {
    try JSONDecoder().decode(Seed.self, from: Data(contentsOf: url)).response.venues
  }
}

extension Seed.Venue {
  /// Makes the objects of one venue.
  @MainActor
  func insert(into context: NSManagedObjectContext) {
    let venue = BubbleTea.Venue(context: context)
    venue.name = name
    venue.phone = contact.phone
    venue.specialCount = specials.count

    let location = BubbleTea.Location(context: context)
    location.address = self.location.address
    location.city = self.location.city
    location.distance = self.location.distance ?? 0
    venue.location = location

    let category = BubbleTea.Category(context: context)
    category.categoryID = categories.first?.id
    category.name = categories.first?.name
    venue.category = category

    let priceInfo = PriceInfo(context: context)
    priceInfo.priceCategory = price.currency
    venue.priceInfo = priceInfo
  }
}
