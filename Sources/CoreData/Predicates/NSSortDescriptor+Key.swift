// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// A protocol through which Core Data adds initialisers to Foundation's sort descriptor.
///
/// Foundation declares the same initialisers as unavailable on Linux, so calls use the initialisers of this
/// protocol.
public protocol SortKeyInitializable {}

extension NSSortDescriptor: SortKeyInitializable {}

extension SortKeyInitializable {
  /// Creates a sort descriptor for the values of a key path; nil sorts the objects themselves.
  ///
  /// Numbers and dates are compared by value, strings by code units. In ascending order nil comes first.
  ///
  /// Source: documented, “NSSortDescriptor”.
  public init(key: String?, ascending: Bool) {
    self.init(SortKey(key ?? "", ascending: ascending))
  }

  /// Creates a sort descriptor for the values of a key path, compared with a supported selector.
  ///
  /// Supported are `compare:`, `caseInsensitiveCompare:`, `localizedCompare:`,
  /// `localizedCaseInsensitiveCompare:` and `localizedStandardCompare:`; any other selector stops the
  /// program.
  public init(key: String?, ascending: Bool, selector: Selector?) {
    var comparison = SortKey.Comparison.standard
    if let selector {
      guard let known = SortKey.Comparison(selector) else { Misuse.unknownSelector(selector) }
      comparison = known
    }
    self.init(
      SortKey(key ?? "", ascending: ascending, comparison: comparison),
      selector: selector
    )
  }

  /// Creates a sort descriptor for the values of a key path, compared with a comparator; for sorting in
  /// memory only.
  public init(key: String?, ascending: Bool, comparator cmptr: @escaping Comparator) {
    let order = OpaqueOrder { left, right in
      cmptr(left.any ?? NSNull(), right.any ?? NSNull()).rawValue
    }
    self.init(
      SortKey(key ?? "", ascending: ascending, comparison: .opaque(order)),
      comparator: cmptr
    )
  }

  /// Creates a sort descriptor for a property of a managed object class.
  ///
  /// If the key path has no name, a fetch that uses the descriptor throws an error with the reason.
  public init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
    // The model may not be loaded yet. The fetch looks up the name again, and reports an error if the key
    // path has no name.
    let descriptor: NSSortDescriptor =
      KeyPathNames.name(of: keyPath).map { name in
        KeyedSortDescriptor(SortKey(name, ascending: ascending), path: keyPath)
      } ?? PathSortDescriptor(keyPath, ascending: ascending)
    guard let descriptor = descriptor as? Self else {
      preconditionFailure(
        "A sort descriptor with a key path cannot be created as \(Self.self). Use NSSortDescriptor."
      )
    }
    self = descriptor
  }

  /// Creates a sort descriptor for a property of a managed object class, compared with a supported
  /// selector.
  ///
  /// Not in Apple's framework.
  ///
  /// Stops the program if the key path has no name yet, or if the selector is not one of those of
  /// `init(key:ascending:selector:)`.
  public init<Root, Value>(
    keyPath: KeyPath<Root, Value>,
    ascending: Bool,
    selector: Selector?
  ) {
    let name = KeyPathNames.requiredName(of: keyPath, remedy: KeyPathNames.sortRemedy)
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
      preconditionFailure(
        "A sort descriptor with a key cannot be created as \(Self.self). Use NSSortDescriptor."
      )
    }
    self = descriptor
  }

  /// Allows a sort descriptor from a secure archive to compare; until then comparing stops the program.
  ///
  /// Source: documented, “NSSortDescriptor”.
  public func allowEvaluation() { (self as? KeyedSortDescriptor)?.allowEvaluation() }
}

extension NSSortDescriptor {
  /// The key path that is sorted by; nil if the objects themselves are sorted, or if the key path has no
  /// name.
  public var key: String? {
    if let keyed = self as? KeyedSortDescriptor {
      return keyed.carriedKey.keyPath.isEmpty ? nil : keyed.carriedKey.keyPath
    }
    return KeyPathNames.name(of: keyPath)
  }

  /// The selector that compares the values; `compare:` if none was set.
  ///
  /// Nil if the descriptor has a comparator, or if its key path had no name when it was created.
  public var selector: Selector? {
    guard let keyed = self as? KeyedSortDescriptor else { return nil }
    if case .opaque = keyed.carriedKey.comparison { return nil }
    return keyed.carriedSelector ?? "compare:"
  }

  /// The core's form of the descriptor; stops the program if the key path has no name.
  package var sortKey: SortKey {
    if let keyed = self as? KeyedSortDescriptor { return keyed.carriedKey }
    let name = KeyPathNames.requiredName(of: keyPath, remedy: KeyPathNames.sortRemedy)
    return SortKey(name, ascending: ascending)
  }

  /// Returns the core's form of the descriptor.
  ///
  /// - Throws: 134060 with the reason if the key path has no name.
  func checkedSortKey() throws -> SortKey {
    if let keyed = self as? KeyedSortDescriptor { return keyed.carriedKey }
    switch KeyPathNames.search(keyPath) {
    case .name(let name): return SortKey(name, ascending: ascending)
    case .nameless(let reason):
      throw coreDataError(
        NSCoreDataError,
        KeyPathNames.text(keyPath, reason, remedy: KeyPathNames.sortRemedy)
      )
    }
  }
}

extension SortKeyInitializable {
  /// Creates a sort descriptor from a Swift sort descriptor for a property of a managed object class.
  ///
  ///     request.sortDescriptors = [NSSortDescriptor(SortDescriptor(\Team.wins, order: .reverse))]
  ///
  /// Stops the program if the descriptor does not compare by a key path, or if the key path has no name.
  /// Strings are compared by code units, the only string comparison that Foundation has on Linux.
  ///
  /// Source: documented, “NSSortDescriptor”.
  public init<Compared: NSObject>(_ sortDescriptor: SortDescriptor<Compared>) {
    guard let path = sortDescriptor.keyPath else {
      Misuse.pathlessDescriptor("\(sortDescriptor)")
    }
    let name = KeyPathNames.requiredName(of: path, remedy: KeyPathNames.sortRemedy)
    self.init(SortKey(name, ascending: sortDescriptor.order == .forward), path: path)
  }
}
