// SPDX-License-Identifier: Apache-2.0

import Foundation
import PredicateLaw
import Testing
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

@Suite("Sorted fetches")
struct SortTests {
  @Test("Sorting in memory gives ORDER BY's order", arguments: [1, 2, 3] as [UInt64])
  func memoryOrder(seed: UInt64) throws {
    var random = LawRandom(state: seed)
    let fixture = try StoreFixture(Models.types)
    var batch = SaveBatch()
    let texts = ["", "a", "ä", "aaaaaaaab", "aaaaaaaa", "Z", "ab\u{0}", "😀"]
    for index in 0..<3000 {
      var values: [String: Value] = ["url": .url(try #require(URL(string: "x:\(index)")))]
      if random.chance(90) {
        values["string"] = .text(
          seed == 1 ? random.pick(texts) : "\(random.pick(texts))\(random.next() % 2000)"
        )
      }
      if random.chance(90) { values["int16"] = .int(Int64(random.next() % 7) - 3) }
      if random.chance(90) { values["int64"] = .int(Int64(bitPattern: random.next())) }
      if random.chance(90) { values["double"] = .double(Double(random.next() % 9) - 4) }
      if random.chance(90) { values["date"] = .date(Double(random.next() % 100) / 8 - 5) }
      if random.chance(90) { values["flag"] = .bool(random.chance(50)) }
      batch.inserts.append(try fixture.insertion("Thing", values))
    }
    _ = try fixture.store.save(batch)
    let names = ["string", "int16", "int64", "double", "date", "flag"]
    for _ in 0..<25 {
      var description = try fixture.description("Thing")
      for _ in 0..<(1 + random.next() % 3) {
        description.order.append(SortKey(random.pick(names), ascending: random.chance(50)))
      }
      description.order.append(SortKey("url"))
      guard case .rows(let inMemory) = try fixture.store.fetch(description) else { return }
      description.limit = 1_000_000
      guard case .rows(let ordered) = try fixture.store.fetch(description) else { return }
      let sorted = fixture.contents(inMemory)
      let reference = fixture.contents(ordered)
      #expect(sorted.map(\.key) == reference.map(\.key), "\(description.order)")
      let pairs = zip(sorted, reference)
      #expect(
        pairs.allSatisfy {
          $0.values.mapValues(Constant.init) == $1.values.mapValues(Constant.init)
        }
      )
    }
  }
}
