// SPDX-License-Identifier: Apache-2.0

import StoreConformance
import Testing
import _CoreDataModel
import _CoreDataStore

@Suite("Comparing two stores")
struct ContentComparisonTests {
  /// A store with two teams and some players: a line-up of some of them, and fans.
  private func store(
    wins: Int64 = 3,
    lineup: [Int] = [1, 0],
    fans: [Int] = [0],
    players: Int = 2
  ) throws -> MemoryStore {
    let model = try ConformanceModel.make()
    let store = MemoryStore(model: model, index: 0)
    let team = try #require(model.entity(named: "Team"))
    let player = try #require(model.entity(named: "Player"))
    let winsSlot = try #require(team.slotByName["wins"])
    let lineupSlot = try #require(team.slotByName["lineup"])
    let ownerSlot = try #require(player.slotByName["lineupTeam"])
    var keys: [ObjectKey] = []
    for number in 0..<Int64(players + 2) {
      let isTeam = number < 2
      let key = ObjectKey(
        store: 0,
        entity: isTeam ? team.index : player.index,
        number: isTeam ? number + 1 : number - 1
      )
      keys.append(try #require(key))
    }
    var batch = SaveBatch()
    for (number, key) in keys.enumerated() {
      let chunk = RowChunk(layout: model.entities[key.entity].rowLayout, capacity: 1)
      let row = chunk.appendRow()
      if number == 0 { #expect(chunk.setValue(row, winsSlot, .int(wins))) }
      if number >= 2, lineup.contains(number - 2) {
        #expect(chunk.setValue(row, ownerSlot, .key(keys[0])))
      }
      batch.inserts.append(.init(key: key, chunk: chunk, row: row))
    }
    batch.orders.append(
      .init(owner: keys[0], slot: lineupSlot, members: lineup.map { keys[$0 + 2] })
    )
    batch.links.append(
      .init(
        owner: keys[0],
        slot: try #require(team.slotByName["fans"]),
        added: fans.map { keys[$0 + 2] },
        removed: []
      )
    )
    _ = try store.save(batch)
    return store
  }

  private func differences(_ one: MemoryStore, _ other: MemoryStore) throws -> [String] {
    var comparison = ContentComparison(one, other, model: one.model)
    try comparison.run()
    return comparison.differences
  }

  @Test("equal stores have no differences")
  func equal() throws { #expect(try differences(store(), store()) == []) }

  @Test("another value, a missing object, another order and other members are named")
  func different() throws {
    #expect(try differences(store(), store(wins: 4)) == ["Team/p1: wins is 3 and 4"])
    #expect(
      try differences(store(players: 3), store())
        == ["Player/p3 is missing in the second store, or has another entity there"]
    )
    #expect(
      try differences(store(), store(players: 3))
        == ["Player/p3 is missing in the first store, or has another entity there"]
    )
    #expect(
      try differences(store(), store(lineup: [0, 1]))
        == ["Team/p1: the members of lineup have another order"]
    )
    #expect(
      try differences(store(), store(fans: [1]))
        == ["Team/p1: fans has 1 and 1 members, or other members"]
    )
    #expect(try differences(store(), store(lineup: [1])).count == 2)
  }
}
