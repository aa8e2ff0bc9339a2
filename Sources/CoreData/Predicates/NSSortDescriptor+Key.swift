// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// What Foundation's sort descriptor conforms to, so that Core Data can give it initialisers.
///
/// Foundation declares the same initialisers as unavailable on Linux; these are found in their place.
public protocol SortKeyInitializable {}

extension NSSortDescriptor: SortKeyInitializable {}

extension SortKeyInitializable {
  /// An order by the values of a key path; nil orders the objects themselves.
  ///
  /// Numbers and dates go by size, texts by their code units; nil comes first ascending.
  /// Source: documented (NSSortDescriptor).
  public init(key: String?, ascending: Bool) {
    self.init(SortKey(key ?? "", ascending: ascending))
  }

  /// An order by the values of a key path and one of the known selectors.
  ///
  /// They are `compare:`, `caseInsensitiveCompare:`, `localizedCompare:`,
  /// `localizedCaseInsensitiveCompare:` and `localizedStandardCompare:`; another stops the program.
  public init(key: String?, ascending: Bool, selector: Selector?) {
    var comparison = SortKey.Comparison.standard
    if let selector {
      guard let known = SortKey.Comparison(selector) else { Misuse.unknownSelector(selector.name) }
      comparison = known
    }
    self.init(
      SortKey(key ?? "", ascending: ascending, comparison: comparison),
      selector: selector
    )
  }

  /// An order by the values of a key path and a comparator, in memory alone.
  public init(key: String?, ascending: Bool, comparator cmptr: @escaping Comparator) {
    let order = OpaqueOrder { left, right in
      cmptr(left.any ?? NSNull(), right.any ?? NSNull()).rawValue
    }
    self.init(
      SortKey(key ?? "", ascending: ascending, comparison: .opaque(order)),
      comparator: cmptr
    )
  }

  /// An order by a property of a managed object class.
  ///
  /// A path that is no key is refused by the fetch that sorts with it, which says why.
  public init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
    // The model may not be there yet: the fetch looks again, and says what is wrong.
    let descriptor: NSSortDescriptor =
      KeyPathNames.name(of: keyPath).map { name in
        KeyedSortDescriptor(SortKey(name, ascending: ascending), path: keyPath)
      } ?? PathSortDescriptor(keyPath, ascending: ascending)
    guard let descriptor = descriptor as? Self else {
      preconditionFailure("sort descriptors by key path are no \(Self.self)")
    }
    self = descriptor
  }

  /// An order by a property of a managed object class and a known selector.
  ///
  /// Not in Apple's framework.
  public init<Root, Value>(
    keyPath: KeyPath<Root, Value>,
    ascending: Bool,
    selector: Selector?
  ) {
    let name = KeyPathNames.requiredName(of: keyPath)
    self.init(key: name, ascending: ascending, selector: selector)
  }

  init(
    _ key: SortKey,
    selector: Selector? = nil,
    comparator: Comparator? = nil,
    path: AnyKeyPath? = nil
  ) {
    let descriptor = KeyedSortDescriptor(
      key,
      selector: selector,
      comparator: comparator,
      path: path
    )
    guard let descriptor = descriptor as? Self else {
      preconditionFailure("sort descriptors by key are no \(Self.self)")
    }
    self = descriptor
  }

  /// Lets a sort descriptor compare that was read from a secure archive.
  ///
  /// Until then comparing stops the program. Source: documented (NSSortDescriptor).
  public func allowEvaluation() { (self as? KeyedSortDescriptor)?.allowEvaluation() }
}

extension NSSortDescriptor {
  /// The key path that is ordered by; nil where the objects themselves are, or it has no name.
  public var key: String? {
    if let keyed = self as? KeyedSortDescriptor {
      return keyed.carriedKey.keyPath.isEmpty ? nil : keyed.carriedKey.keyPath
    }
    return KeyPathNames.name(of: keyPath)
  }

  /// The selector that compares; `compare:` where none was given, nil for a comparator.
  public var selector: Selector? {
    guard let keyed = self as? KeyedSortDescriptor else { return nil }
    if case .opaque = keyed.carriedKey.comparison { return nil }
    return keyed.carriedSelector ?? "compare:"
  }

  /// The order as the core has it; a key path that is no key stops the program.
  package var sortKey: SortKey {
    if let keyed = self as? KeyedSortDescriptor { return keyed.carriedKey }
    return SortKey(KeyPathNames.requiredName(of: keyPath), ascending: ascending)
  }

  /// The order as the core has it.
  ///
  /// - Throws: 134060 for a key path that is no key, with the reason.
  func checkedSortKey() throws -> SortKey {
    if let keyed = self as? KeyedSortDescriptor { return keyed.carriedKey }
    switch KeyPathNames.search(keyPath) {
    case .name(let name): return SortKey(name, ascending: ascending)
    case .nameless(let reason):
      throw coreDataError(NSCoreDataError, KeyPathNames.sentence(keyPath, reason))
    }
  }
}

extension SortKeyInitializable {
  /// The order of a Swift sort descriptor over the properties of a managed object class.
  ///
  ///     request.sortDescriptors = [NSSortDescriptor(SortDescriptor(\Team.wins, order: .reverse))]
  ///
  /// One whose key path has no known name stops the program. Texts go by their code units, which is
  /// the only comparator that Foundation has on Linux. Source: documented (NSSortDescriptor).
  public init<Compared: NSObject>(_ sortDescriptor: SortDescriptor<Compared>) {
    guard let path = sortDescriptor.keyPath else {
      Misuse.pathlessDescriptor("\(sortDescriptor)")
    }
    let name = KeyPathNames.requiredName(of: path)
    self.init(SortKey(name, ascending: sortDescriptor.order == .forward), path: path)
  }
}
