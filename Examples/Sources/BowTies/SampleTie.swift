// SPDX-License-Identifier: Apache-2.0

import CoreData

/// A bow tie of an empty store, in the format of the book's `SampleData.plist`.
struct SampleTie: Decodable {
  struct Color: Decodable {
    var red: Int
    var green: Int
    var blue: Int
  }

  var id: String?
  var name: String
  var searchKey: String
  var rating: Double
  var tintColor: Color
  var lastWorn: Date
  var timesWorn: Int32
  var isFavorite: Bool
  var url: String?

  /// The book's own file where it lies beside the project, else ours with the same fields.
  static func file(in environment: [String: String]) -> URL? {
    let book = environment["COREDATA_SHARED"].map {
      URL(fileURLWithPath: $0).appendingPathComponent("fixtures/seeds/BowTies_SampleData_v5.plist")
    }
    if let book, FileManager.default.fileExists(atPath: book.path) { return book }
    return Bundle.module.url(forResource: "SampleData", withExtension: "plist")
  }

  static func ties(at url: URL) throws -> [SampleTie] {
    try PropertyListDecoder().decode([SampleTie].self, from: Data(contentsOf: url))
  }

  func insert(into context: NSManagedObjectContext) {
    let bowtie = Bowtie(context: context)
    bowtie.id = id.flatMap(UUID.init)
    bowtie.name = name
    bowtie.searchKey = searchKey
    bowtie.rating = rating
    bowtie.tintColor = [tintColor.red, tintColor.green, tintColor.blue] as NSArray
    bowtie.photoData = photo
    bowtie.lastWorn = lastWorn
    bowtie.timesWorn = timesWorn
    bowtie.isFavorite = isFavorite
    bowtie.url = url.flatMap(URL.init)
  }

  /// A picture of the colour alone, large enough for a file of its own beside the store.
  private var photo: Data {
    let pixel = [tintColor.red, tintColor.green, tintColor.blue].map { UInt8(clamping: $0) }
    return Data("P6 240 160 255\n".utf8) + Data((0..<240 * 160).flatMap { _ in pixel })
  }
}
