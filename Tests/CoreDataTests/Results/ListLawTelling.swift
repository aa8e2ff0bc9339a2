// SPDX-License-Identifier: Apache-2.0

import CoreData

/// One round of callbacks, and whether it said what it should, and no more.
struct ListLawTelling: CustomStringConvertible {
  /// Why a row may be named.
  enum Reason {
    /// The context has reported the object.
    case changed
    /// Its row came from elsewhere.
    case arrived
    /// Its order or section reads something that changed; a reason to move only.
    case related
    /// An object that its order or section reads from changed, maybe in something else.
    case perhaps
  }
  let before: [[NSManagedObject]]
  let oldNames: [String]
  var after: [[NSManagedObject]] = []
  var newNames: [String] = []
  var kinds: [ObjectIdentifier: NSFetchedResultsChangeType] = [:]
  var objects: [NSManagedObject] = []

  init(before: [[NSManagedObject]], oldNames: [String]) {
    self.before = before
    self.oldNames = oldNames
  }

  var description: String {
    objects.map { "\(kinds[ObjectIdentifier($0)].map { "\($0)" } ?? "") \(ListLawWorld.name($0))" }
      .joined(separator: ", ")
  }

  private func mismatch(_ text: String) -> ListLawWorld.Mismatch {
    func list(_ rows: [[NSManagedObject]], _ names: [String]) -> String {
      zip(names, rows).map { "\($0): \($1.map(ListLawWorld.name).joined(separator: ", "))" }
        .joined(separator: "\n  ")
    }
    return ListLawWorld.Mismatch(
      description: "\(text): \(self)\nfrom\n  \(list(before, oldNames))\nto\n  "
        + list(after, newNames)
    )
  }

  /// `isComplete` where `free` has every row that has a reason; only then moves can be counted.
  func judge(_ free: [ObjectIdentifier: Reason], isComplete: Bool) throws {
    let old = Set(before.joined().map(ObjectIdentifier.init))
    let new = Set(after.joined().map(ObjectIdentifier.init))
    func named(_ kind: NSFetchedResultsChangeType) -> Set<ObjectIdentifier> {
      Set(kinds.filter { $0.value == kind }.keys)
    }
    guard named(.insert) == new.subtracting(old) else { throw mismatch("wrong insertions") }
    guard named(.delete) == old.subtracting(new) else { throw mismatch("wrong deletions") }
    for id in named(.update) where free[id] == nil || free[id] == .related || free[id] == .perhaps {
      throw mismatch("an update of a row that did not change")
    }
    for (id, reason) in free where reason == .changed && old.contains(id) && kinds[id] == nil {
      throw mismatch("a changed row was not told")
    }
    if isComplete { try judgeMoves(free, old.intersection(new), named(.move)) }
  }

  /// No choice names fewer rows, nor, where only changed rows can move, moves fewer.
  private func judgeMoves(
    _ free: [ObjectIdentifier: Reason],
    _ common: Set<ObjectIdentifier>,
    _ moved: Set<ObjectIdentifier>
  ) throws {
    for id in moved where free[id] == nil { throw mismatch("a move of a row without a reason") }
    guard after.allSatisfy({ $0.count < 120 }) else { return }
    let reasons = common.map { free[$0] }
    let least = 1 << 20
    let best = bestStay { id in
      switch free[id] {
      case nil, .perhaps?: least * least
      case .related?: least
      case .changed?, .arrived?: 1
      }
    }
    let related = reasons.count { $0 == .related }
    let others = moved.count { free[$0] == .related || free[$0] == .perhaps }
    let hasOthers = reasons.contains { $0 == .related || $0 == .perhaps }
    let changed = reasons.count { $0 == .changed || $0 == .arrived }
    guard others <= related - best / least % least,
      hasOthers || moved.count <= changed - best % least
    else { throw mismatch("more moves than there must be") }
  }

  /// The greatest weight of rows that can stay: sections that keep their order, and in each of them rows
  /// that do.
  private func bestStay(_ weight: (ObjectIdentifier) -> Int) -> Int {
    var rows: [ObjectIdentifier: (section: Int, row: Int)] = [:]
    for (section, objects) in before.enumerated() {
      for (row, object) in objects.enumerated() { rows[ObjectIdentifier(object)] = (section, row) }
    }
    let sections = newNames.enumerated().compactMap { index, name -> (place: Int, weight: Int)? in
      guard let old = oldNames.firstIndex(of: name) else { return nil }
      let staying = after[index].compactMap { object -> (place: Int, weight: Int)? in
        let id = ObjectIdentifier(object)
        guard let place = rows[id], place.section == old else { return nil }
        return (place.row, weight(id))
      }
      return (old, Self.heaviest(staying))
    }
    return Self.heaviest(sections)
  }

  /// The weight of the heaviest increasing subsequence.
  private static func heaviest(_ items: [(place: Int, weight: Int)]) -> Int {
    var best: [Int] = []
    for (index, item) in items.enumerated() {
      var value = 0
      for earlier in 0..<index where items[earlier].place < item.place {
        value = max(value, best[earlier])
      }
      best.append(value + item.weight)
    }
    return best.max() ?? 0
  }
}
