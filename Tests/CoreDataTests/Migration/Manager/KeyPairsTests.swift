// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataModel

/// The keys of objects that were made of each other.
@Suite("Key pairs")
struct KeyPairsTests {
  private func key(_ number: Int64, entity: Int = 0) throws -> ObjectKey {
    try #require(ObjectKey(store: 0, entity: entity, number: number))
  }

  @Test("Keys in ascending and in any other order are found", arguments: [0, 1, 2])
  func found(_ order: Int) throws {
    var pairs = KeyPairs()
    var random = SystemRandomNumberGenerator()
    var expected: [(Int64, Int64)] = []
    for number in 0..<500 as Range<Int64> {
      let source = order == 0 ? number / 3 : Int64.random(in: 0..<200, using: &random)
      let destination = order < 2 ? number : Int64.random(in: 0..<100, using: &random)
      expected.append((source, destination))
      pairs.append(try key(source), try key(destination))
      // Searches between additions.
      if number % 7 == 0 {
        let found = pairs.destinations(of: try key(source))
        #expect(found.map(\.number) == expected.filter { $0.0 == source }.map(\.1))
      }
    }
    for number in 0..<200 as Range<Int64> {
      let destinations = pairs.destinations(of: try key(number))
      #expect(destinations.map(\.number) == expected.filter { $0.0 == number }.map(\.1))
      let sources = pairs.sources(of: try key(number))
      #expect(sources.map(\.number) == expected.filter { $0.1 == number }.map(\.0))
    }
    var seen: Set<Int64> = []
    let unique = expected.map(\.1).filter { seen.insert($0).inserted }
    #expect(pairs.uniqueDestinations.map(\.number) == unique)
    #expect(pairs.destinations(of: try key(1000)).isEmpty)
  }
}
