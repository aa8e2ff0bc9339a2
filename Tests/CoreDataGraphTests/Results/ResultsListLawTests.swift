// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataGraph
import _CoreDataTableRows

/// Random edits; after each round the table equals a fresh sort, and nothing was reported in vain.
struct ResultsListLawTests {
  struct Setting: CustomTestStringConvertible {
    var count: Int
    var zones: Int
    var isSectioned: Bool
    var isTotal: Bool
    var rounds: Int
    var most: Int
    var testDescription: String {
      "\(count) rows, \(zones) zones, \(isSectioned ? "sections" : "one section"), "
        + "\(isTotal ? "total" : "partial") order, \(rounds) rounds of up to \(most)"
    }
  }

  static let settings: [Setting] = [
    Setting(count: 0, zones: 3, isSectioned: true, isTotal: true, rounds: 1000, most: 4),
    Setting(count: 12, zones: 4, isSectioned: true, isTotal: true, rounds: 2000, most: 6),
    Setting(count: 12, zones: 40, isSectioned: true, isTotal: true, rounds: 1500, most: 8),
    Setting(count: 8, zones: 4, isSectioned: true, isTotal: false, rounds: 1500, most: 8),
    Setting(count: 0, zones: 3, isSectioned: false, isTotal: true, rounds: 1000, most: 4),
    Setting(count: 20, zones: 3, isSectioned: false, isTotal: true, rounds: 1500, most: 6),
    Setting(count: 20, zones: 3, isSectioned: false, isTotal: false, rounds: 1500, most: 20),
    Setting(count: 150, zones: 2, isSectioned: true, isTotal: false, rounds: 100, most: 80),
    Setting(count: 3000, zones: 3, isSectioned: true, isTotal: true, rounds: 60, most: 900),
    Setting(count: 3000, zones: 40, isSectioned: true, isTotal: false, rounds: 60, most: 60),
    Setting(count: 3000, zones: 3, isSectioned: false, isTotal: true, rounds: 60, most: 2500),
  ]

  @Test(
    "The reported changes, played on a table, give what a fresh sort gives",
    arguments: settings
  )
  func mirrorEqualsFresh(_ setting: Setting) throws {
    var random = LawRandom(seed: UInt64(setting.count * 1000 + setting.zones))
    let world = try ListWorld(
      count: setting.count,
      zones: setting.zones,
      isSectioned: setting.isSectioned,
      isTotal: setting.isTotal,
      random: &random
    )
    for round in 0..<setting.rounds {
      let before = ListWorld.rows(world.list)
      let names = world.list.sections.map(\.name)
      let touched = edit(world, setting, &random)
      let changes = try world.apply(touched)
      let after = ListWorld.rows(world.list)
      try #require(world.mirror.sections == after, "round \(round)")
      let fresh = world.fresh
      if setting.isTotal {
        try #require(after == fresh, "round \(round)")
      } else {
        try #require(after.map { $0.sorted() } == fresh.map { $0.sorted() }, "round \(round)")
        try #require(world.isSorted, "round \(round)")
      }
      try #require(world.list.count == fresh.reduce(0) { $0 + $1.count })
      try checkMinimal(changes, touched, before, names, world, "round \(round)")
      try checkComparisons(world, touched.count, "round \(round)")
      try checkPlaces(world)
    }
  }

  private func edit(_ world: ListWorld, _ setting: Setting, _ random: inout LawRandom) -> [Item] {
    var touched: [Item] = []
    for _ in 0..<Int.random(in: 0...setting.most, using: &random) {
      let kind = Int.random(in: 0..<100, using: &random)
      let zone = Int.random(in: 0..<setting.zones, using: &random)
      let wins = Int.random(in: 0..<20, using: &random)
      if world.items.isEmpty || kind < (world.items.count > setting.count + 5 ? 8 : 22) {
        touched.append(world.add(zone: zone, wins: wins))
        continue
      }
      let index = Int.random(in: world.items.indices, using: &random)
      let item = world.items[index]
      touched.append(item)
      switch kind {
      case ..<36: _ = world.remove(at: index)
      case ..<46: item.zone = zone
      case ..<56: item.wins = wins
      case ..<66:
        item.zone = zone
        item.wins = wins
      case ..<76: item.isVisible.toggle()
      case ..<86: item.wins += random.chance(50) ? 1 : -1
      default: break
      }
    }
    if random.chance(10) {
      let first = Int.random(in: 0..<setting.zones, using: &random)
      if random.chance(50) {
        let second = Int.random(in: 0..<setting.zones, using: &random)
        world.exchange(first, second)
        touched += world.items.filter { $0.zone == first || $0.zone == second }
      } else {
        let members = world.items.filter { $0.zone == first }
        let target = Int.random(in: 0..<setting.zones, using: &random)
        for member in members { member.zone = target }
        touched += members
      }
    }
    return touched
  }

  /// Only touched rows are reported, each once, and no choice of moves is smaller.
  private func checkMinimal(
    _ changes: ResultChanges,
    _ touched: [Item],
    _ before: [[Int]],
    _ names: [String],
    _ world: ListWorld,
    _ comment: Comment
  ) throws {
    let touchedIDs = Set(touched.map(\.id))
    let reported = changes.rows.map { ListWorld.item($0.object).id }
    try #require(Set(reported).count == reported.count, comment)
    try #require(touchedIDs.isSuperset(of: reported), comment)
    let after = ListWorld.rows(world.list)
    let oldIDs = Set(before.joined())
    let newIDs = Set(after.joined())
    let count = { (kind: ResultChange.Kind) in changes.rows.count { $0.kind == kind } }
    try #require(count(.insert) == newIDs.subtracting(oldIDs).count, comment)
    try #require(count(.delete) == oldIDs.subtracting(newIDs).count, comment)
    try #require(
      count(.update) + count(.move) == touchedIDs.intersection(oldIDs).intersection(newIDs).count,
      comment
    )
    guard after.allSatisfy({ $0.count < 200 }) else { return }
    let kept = keptSections(changes, before, names, world)
    var staying = 0
    for (old, new) in kept { staying += mostStaying(before[old], after[new], touchedIDs) }
    try #require(count(.update) == staying, comment)
    if !changes.deletedSections.isEmpty || !changes.insertedSections.isEmpty {
      try checkSections(changes, before, after, names, touchedIDs, world, comment)
    }
  }

  private func keptSections(
    _ changes: ResultChanges,
    _ before: [[Int]],
    _ names: [String],
    _ world: ListWorld
  ) -> [(Int, Int)] {
    let deleted = Set(changes.deletedSections.map(\.index))
    let inserted = Set(changes.insertedSections.map(\.index))
    return Array(
      zip(
        before.indices.filter { !deleted.contains($0) },
        world.list.sections.indices.filter { !inserted.contains($0) }
      )
    )
  }

  /// By an independent way: the most touched rows that can stay, untouched ones all staying; dynamic
  /// programming over the rows that are in both lists, in O(n²), so only asked for short sections.
  private func mostStaying(_ old: [Int], _ new: [Int], _ touched: Set<Int>) -> Int {
    let oldRow = Dictionary(uniqueKeysWithValues: old.enumerated().map { ($1, $0) })
    let common = new.compactMap { id in oldRow[id].map { (row: $0, touched: touched.contains(id)) }
    }
    let forced = 1 << 20
    var best: [Int] = []
    for (index, item) in common.enumerated() {
      var value = 0
      for earlier in 0..<index where common[earlier].row < item.row {
        value = max(value, best[earlier])
      }
      best.append(value + (item.touched ? 1 : forced))
    }
    return (best.max() ?? 0) % forced
  }

  private func checkSections(
    _ changes: ResultChanges,
    _ before: [[Int]],
    _ after: [[Int]],
    _ names: [String],
    _ touched: Set<Int>,
    _ world: ListWorld,
    _ comment: Comment
  ) throws {
    let newNames = world.list.sections.map(\.name)
    try #require(Set(newNames).count == newNames.count, comment)
    let gone = Set(names).subtracting(newNames)
    let come = Set(newNames).subtracting(names)
    let again = changes.deletedSections.map(\.section.name).filter { !gone.contains($0) }
    try #require(
      Set(again) == Set(changes.insertedSections.map(\.section.name)).subtracting(come),
      comment
    )
    // Section names as rows of one table: a section with a remaining row is one that must stay.
    let floating = Set(
      names.enumerated().filter { index, _ in touched.isSuperset(of: before[index]) }.map(\.element)
    )
    let id = Dictionary(uniqueKeysWithValues: Set(names + newNames).enumerated().map { ($1, $0) })
    let ids = { (names: [String]) in names.map { id[$0] ?? -1 } }
    let most = mostStaying(ids(names), ids(newNames), Set(ids(Array(floating))))
    let common = floating.intersection(newNames).count
    try #require(again.count == common - most, comment)
  }

  @Test("Rows that all change at once are sorted with n log₂ n comparisons at most")
  func allAtOnce() throws {
    var random = LawRandom(seed: 7)
    let world = try ListWorld(
      count: 1024,
      zones: 1,
      isSectioned: true,
      isTotal: true,
      random: &random
    )
    for item in world.items { item.wins = .random(in: 0..<1_000_000, using: &random) }
    _ = try world.apply(world.items)
    #expect(ListWorld.rows(world.list) == world.fresh)
    #expect(world.comparisons <= 1024 * 10)
    // In order already.
    _ = try world.apply(world.list.objects.map(ListWorld.item))
    #expect(world.comparisons <= 1024)
  }

  private func checkComparisons(_ world: ListWorld, _ touched: Int, _ comment: Comment) throws {
    let k = Double(touched)
    let n = Double(world.list.count + touched) + 2
    let bound = k * (log2(n) + log2(k + 2) + 6)
    try #require(Double(world.comparisons) <= bound, comment)
  }

  private func checkPlaces(_ world: ListWorld) throws {
    for (section, rows) in world.mirror.sections.enumerated().prefix(3) {
      for row in Set([0, rows.count / 2, rows.count - 1]) where rows.indices.contains(row) {
        let path = ResultPath(section: section, row: row)
        try #require(world.list.path(of: world.list[path]) == path)
      }
    }
  }
}
