// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataPredicate
import Foundation

/// A sort descriptor by the name of a key.
final class KeyedSortDescriptor: NSSortDescriptor {
  let carriedKey: SortKey
  let carriedSelector: Selector?
  private let carriedComparator: Comparator?

  init(_ key: SortKey, selector: Selector?, comparator: Comparator?) {
    carriedKey = key
    carriedSelector = selector
    carriedComparator = comparator
    // Foundation wants a path of its own; everything that reads it is overridden.
    super.init(keyPath: \String.count, ascending: key.ascending)
  }
  required init?(coder: NSCoder) { nil }

  override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
    do {
      let order = SortOrder([carriedKey])
      let left = Value(any: object1).evaluated
      let right = Value(any: object2).evaluated
      let result = try order.compare(left, right)
      return result < 0 ? .orderedAscending : result > 0 ? .orderedDescending : .orderedSame
    } catch let error as UnknownKey {
      Misuse.undefinedKey(error)
    } catch {
      Misuse.failedEvaluation("\(error)")
    }
  }

  override var comparator: Comparator {
    carriedComparator
      ?? { [comparison = carriedKey.comparison] left, right in
        let order = comparison.order(Value(any: left), Value(any: right))
        return order < 0 ? .orderedAscending : order > 0 ? .orderedDescending : .orderedSame
      }
  }

  override var reversedSortDescriptor: Any {
    var key = carriedKey
    key.ascending.toggle()
    return KeyedSortDescriptor(key, selector: carriedSelector, comparator: carriedComparator)
  }

  override func copy(with zone: NSZone? = nil) -> Any { self }
  override func isEqual(_ object: Any?) -> Bool {
    (object as? KeyedSortDescriptor).map { $0.carriedKey == carriedKey } ?? false
  }
  override var hash: Int { carriedKey.hashValue }
  override var description: String {
    let direction = carriedKey.ascending ? "ascending" : "descending"
    return "(\(carriedKey.keyPath), \(direction), \(carriedSelector?.name ?? "compare:"))"
  }
}

extension SortKey.Comparison {
  /// The comparison that a selector names; nil for one that is not known.
  init?(_ selector: Selector) {
    switch selector.name {
    case "compare:": self = .standard
    case "caseInsensitiveCompare:": self = .caseInsensitive
    case "localizedCompare:": self = .localized
    case "localizedCaseInsensitiveCompare:": self = .localizedCaseInsensitive
    case "localizedStandardCompare:": self = .localizedStandard
    default: return nil
    }
  }
}
