// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel
import _CoreDataPredicate

/// A sort descriptor with a known sort key, which contains the name of a key path, or an empty name if the
/// objects themselves are compared.
final class KeyedSortDescriptor: NSSortDescriptor {
  let carriedKey: SortKey
  let carriedSelector: Selector?
  /// The Swift key path with which the descriptor was created; nil if it was created without one.
  let carriedPath: AnyKeyPath?
  private let carriedComparator: Comparator?
  private let isEvaluationAllowed: Mutex<Bool>

  init(
    _ key: SortKey,
    selector: Selector? = nil,
    comparator: Comparator? = nil,
    path: AnyKeyPath? = nil,
    isEvaluationAllowed: Bool = true
  ) {
    carriedKey = key
    carriedSelector = selector
    carriedComparator = comparator
    carriedPath = path
    self.isEvaluationAllowed = Mutex(isEvaluationAllowed)
    // Foundation requires a key path. This one is a placeholder, which comparisons do not use.
    super.init(keyPath: \String.count, ascending: key.ascending)
  }

  func allowEvaluation() { isEvaluationAllowed.withLock { $0 = true } }

  override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
    if !isEvaluationAllowed.withLock({ $0 }) { Misuse.disabledEvaluation("sort descriptor") }
    do {
      let order = SortOrder([carriedKey])
      let left = Value(any: object1).evaluated
      let right = Value(any: object2).evaluated
      return ComparisonResult(order: try order.compare(left, right))
    } catch let error as UnknownKey {
      Misuse.undefinedKey(error)
    } catch {
      Misuse.failedEvaluation("\(error)")
    }
  }

  override var comparator: Comparator {
    carriedComparator
      ?? { [comparison = carriedKey.comparison] left, right in
        ComparisonResult(order: comparison.order(Value(any: left), Value(any: right)))
      }
  }

  override var keyPath: AnyKeyPath { carriedPath ?? super.keyPath }

  override var reversedSortDescriptor: Any {
    var key = carriedKey
    key.ascending.toggle()
    return KeyedSortDescriptor(
      key,
      selector: carriedSelector,
      comparator: carriedComparator,
      path: carriedPath,
      isEvaluationAllowed: isEvaluationAllowed.withLock { $0 }
    )
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

extension ComparisonResult {
  init(order: Int) {
    self = order < 0 ? .orderedAscending : order > 0 ? .orderedDescending : .orderedSame
  }
}

extension SortKey.Comparison {
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

  static func unsupported(_ selector: Selector) -> String {
    "The selector “\(selector)” is not a supported comparison selector. Use compare:, "
      + "caseInsensitiveCompare:, localizedCompare:, localizedCaseInsensitiveCompare: or "
      + "localizedStandardCompare:."
  }
}

/// A sort descriptor whose key path had no name when the descriptor was created; each use looks up the name
/// again.
final class PathSortDescriptor: NSSortDescriptor {
  private let path: AnyKeyPath

  init(_ path: AnyKeyPath, ascending: Bool) {
    self.path = path
    // Foundation requires a key path. This one is a placeholder, which comparisons do not use.
    super.init(keyPath: \String.count, ascending: ascending)
  }

  /// A descriptor for the name of the key path; stops the program if the key path still has no name.
  private var keyed: KeyedSortDescriptor { KeyedSortDescriptor(sortKey, path: path) }

  override var keyPath: AnyKeyPath { path }
  override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
    keyed.compare(object1, to: object2)
  }
  override var comparator: Comparator { keyed.comparator }
  override var reversedSortDescriptor: Any { PathSortDescriptor(path, ascending: !ascending) }
  override func copy(with zone: NSZone? = nil) -> Any { self }
}
