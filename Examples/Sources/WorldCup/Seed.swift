// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The teams of an empty store, in the format of the book's `seed.json`.
struct Seed: Decodable {
  var teamName: String
  var qualifyingZone: String
  var imageName: String
  var wins: Int32

  /// The book's own file where it lies beside the project, else ours with the same fields.
  static func file(in environment: [String: String]) -> URL? {
    let book = environment["COREDATA_SHARED"].map {
      URL(fileURLWithPath: $0).appendingPathComponent("fixtures/seeds/WorldCup_seed_v5.json")
    }
    if let book, FileManager.default.fileExists(atPath: book.path) { return book }
    return Bundle.module.url(forResource: "teams", withExtension: "json")
  }

  /// Every team of the file; commas after the last field and the last team are fine.
  static func teams(at url: URL) throws -> [Seed] {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    return try decoder.decode([Seed].self, from: Data(contentsOf: url))
  }
}
