// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// A protocol whose extensions add members to Foundation's sort descriptor.
///
/// Foundation on Linux declares members such as `init(key:ascending:)` unavailable, so calls resolve to the
/// members of this protocol. Only `NSSortDescriptor` itself can be created: for a subclass, `init(coder:)`
/// returns nil, and the other initialisers stop the program.
public protocol SortKeyInitializable {}

extension NSSortDescriptor: SortKeyInitializable {}

extension SortKeyInitializable {
  /// Creates a sort descriptor for the values of a key path; if `key` is nil, the objects themselves are
  /// sorted.
  ///
  /// Strings are compared by their UTF-8 bytes. In ascending order nil comes first.
  ///
  /// Source: documented, “NSSortDescriptor”.
  public init(key: String?, ascending: Bool) {
    self.init(SortKey(key ?? "", ascending: ascending))
  }

  /// Creates a sort descriptor for the values of a key path, compared with a supported selector.
  ///
  /// The supported selectors are `compare:`, `caseInsensitiveCompare:`, `localizedCompare:`,
  /// `localizedCaseInsensitiveCompare:` and `localizedStandardCompare:`. A nil selector means `compare:`; any
  /// other selector stops the program.
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

  /// Creates a sort descriptor for the values of a key path, compared with a comparator.
  ///
  /// The descriptor can be used only for sorting in memory.
  public init(key: String?, ascending: Bool, comparator cmptr: @escaping Comparator) {
    let order = OpaqueOrder { left, right in
      cmptr(left.any ?? NSNull(), right.any ?? NSNull()).rawValue
    }
    self.init(
      SortKey(key ?? "", ascending: ascending, comparison: .opaque(order)),
      comparator: cmptr
    )
  }

  /// Creates a sort descriptor for a Swift key path.
  ///
  /// If the key path has no name, a fetch that uses the descriptor throws an error, and sorting in memory
  /// stops the program.
  public init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
    // The model may not be loaded yet, so a descriptor whose key path has no name searches again at each use.
    let descriptor: NSSortDescriptor =
      KeyPathNames.name(of: keyPath).map { name in
        KeyedSortDescriptor(SortKey(name, ascending: ascending), path: keyPath)
      } ?? PathSortDescriptor(keyPath, ascending: ascending)
    guard let descriptor = descriptor as? Self else {
      preconditionFailure(
        "A sort descriptor with a key path cannot be an instance of the subclass \(Self.self). Call the "
          + "initialiser on NSSortDescriptor."
      )
    }
    self = descriptor
  }

  /// Creates a sort descriptor for a Swift key path, compared with a supported selector.
  ///
  /// Not in Apple's framework.
  ///
  /// Stops the program if the key path has no name yet, or if `init(key:ascending:selector:)` does not
  /// support the selector.
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
        "A sort descriptor with a key cannot be an instance of the subclass \(Self.self). Call the "
          + "initialiser on NSSortDescriptor."
      )
    }
    self = descriptor
  }

  /// Allows `compare(_:to:)` for a sort descriptor that a secure coder has decoded; without this call,
  /// `compare(_:to:)` stops the program.
  ///
  /// Source: documented, “NSSortDescriptor”.
  public func allowEvaluation() { (self as? KeyedSortDescriptor)?.allowEvaluation() }
}

extension NSSortDescriptor {
  /// The name of the key path by which objects are sorted; nil if the objects themselves are sorted, or if
  /// the key path has no name.
  public var key: String? {
    if let keyed = self as? KeyedSortDescriptor {
      return keyed.carriedKey.keyPath.isEmpty ? nil : keyed.carriedKey.keyPath
    }
    return KeyPathNames.name(of: keyPath)
  }

  /// The selector that compares the values; `compare:` if the descriptor was created without a selector.
  ///
  /// Nil if the descriptor has a comparator, or if the key path had no name when the descriptor was created.
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
  /// - Throws: `NSCoreDataError` if the key path has no name.
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
  /// Creates a sort descriptor equivalent to a Swift sort descriptor.
  ///
  ///     request.sortDescriptors = [NSSortDescriptor(SortDescriptor(\Team.wins, order: .reverse))]
  ///
  /// Stops the program if the descriptor does not compare by a key path, or if the key path has no name.
  /// Strings are compared by their UTF-8 bytes.
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
