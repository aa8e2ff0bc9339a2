// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataTableRows

/// A row of the law tests.
final class Item {
  let id: Int
  var zone: Int
  var wins: Int
  var isVisible = true
  init(id: Int, zone: Int, wins: Int) {
    self.id = id
    self.zone = zone
    self.wins = wins
  }
}

/// Items, a results list over the visible ones, and a table that hears of its changes.
final class ListWorld {
  let isSectioned: Bool
  /// Whether `id` breaks ties, so that there is only one right order.
  let isTotal: Bool
  private(set) var items: [Item] = []
  private(set) var list: ResultsList
  private(set) var mirror: TableRows<Int>
  private(set) var comparisons = 0
  private let counter: Counter
  private var nextID = 0

  /// Order of the sections; a permutation, so that whole sections can change their places.
  private let zones: Zones

  final class Counter { var count = 0 }
  final class Zones { var rank = Array(0..<64) }

  init(
    count: Int,
    zones zoneCount: Int,
    isSectioned: Bool,
    isTotal: Bool,
    random: inout LawRandom
  ) throws {
    self.isSectioned = isSectioned
    self.isTotal = isTotal
    let counter = Counter()
    let zones = Zones()
    self.counter = counter
    self.zones = zones
    for id in 0..<count {
      items.append(
        Item(
          id: id,
          zone: .random(in: 0..<zoneCount, using: &random),
          wins: .random(in: 0..<20, using: &random)
        )
      )
    }
    nextID = count
    let order = Self.order(zones, isSectioned: isSectioned, isTotal: isTotal)
    let rules = ResultsRules(
      matches: { Self.item($0).isVisible },
      compare: {
        counter.count += 1
        return order(Self.item($0), Self.item($1))
      },
      sectionName: isSectioned ? { "zone \(Self.item($0).zone)" } : nil
    )
    list = try ResultsList(sorted: items.sorted { order($0, $1) < 0 }, rules: rules)
    mirror = TableRows(Self.rows(list))
  }

  // Every object of these lists is an `Item`.
  static func item(_ object: AnyObject) -> Item { unsafeDowncast(object, to: Item.self) }

  static func order(_ zones: Zones, isSectioned: Bool, isTotal: Bool) -> (Item, Item) -> Int {
    { left, right in
      if isSectioned, left.zone != right.zone {
        return zones.rank[left.zone] - zones.rank[right.zone]
      }
      if left.wins != right.wins { return right.wins - left.wins }
      return isTotal ? left.id - right.id : 0
    }
  }

  static func rows(_ list: ResultsList) -> [[Int]] {
    list.sections.map { section in
      var rows: [Int] = []
      section.forEach { rows.append(item($0).id) }
      return rows
    }
  }

  /// The visible items as a fresh fetch would give them.
  var fresh: [[Int]] {
    let order = Self.order(zones, isSectioned: isSectioned, isTotal: isTotal)
    let sorted = items.filter(\.isVisible).sorted { order($0, $1) < 0 }
    guard isSectioned else { return [sorted.map(\.id)] }
    var sections: [[Int]] = []
    var zone: Int?
    for item in sorted {
      if item.zone != zone { sections.append([]) }
      sections[sections.count - 1].append(item.id)
      zone = item.zone
    }
    return sections
  }

  /// Whether no row comes before one that it should follow.
  var isSorted: Bool {
    let order = Self.order(zones, isSectioned: isSectioned, isTotal: isTotal)
    let shown = list.objects.map(Self.item)
    return zip(shown, shown.dropFirst()).allSatisfy { order($0, $1) <= 0 }
  }

  func add(zone: Int, wins: Int) -> Item {
    let item = Item(id: nextID, zone: zone, wins: wins)
    nextID += 1
    items.append(item)
    return item
  }

  func remove(at index: Int) -> Item {
    let item = items.remove(at: index)
    item.isVisible = false
    return item
  }

  /// Gives two zones each other's place; their items are to be touched.
  func exchange(_ first: Int, _ second: Int) { zones.rank.swapAt(first, second) }

  /// Applies `touched` to the list, and what the list reports to the mirror.
  func apply(_ touched: [Item]) throws -> ResultChanges {
    counter.count = 0
    let changes = list.apply(touched: touched)
    comparisons = counter.count
    try mirror.apply(Self.batch(changes), counts: list.sections.map(\.count))
    return changes
  }

  static func batch(_ changes: ResultChanges) -> TableRows<Int>.Batch {
    func path(_ path: ResultPath?) -> TableRows<Int>.Path {
      .init(path?.section ?? -1, path?.row ?? -1)
    }
    var batch = TableRows<Int>.Batch()
    batch.deletedSections = changes.deletedSections.map(\.index)
    batch.insertedSections = changes.insertedSections.map(\.index)
    for change in changes.rows {
      let id = item(change.object).id
      switch change.kind {
      case .insert: batch.insertions.append((path(change.new), id))
      case .delete: batch.deletions.append(path(change.old))
      case .move: batch.moves.append((path(change.old), path(change.new)))
      case .update: batch.updates.append((path(change.old), id))
      }
    }
    return batch
  }
}
