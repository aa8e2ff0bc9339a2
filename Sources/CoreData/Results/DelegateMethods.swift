// SPDX-License-Identifier: Apache-2.0

/// Records which optional methods a results controller's delegate is known to implement or not to implement.
///
/// Swift has no optional protocol requirements. The default implementation of a method calls `markAbsent`, so
/// a method that was called without running its default implementation is present.
package struct DelegateMethods {
  /// A set of the delegate's optional methods.
  package struct Names: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    /// `controllerWillChangeContent(_:)`.
    package static let willChange = Names(rawValue: 1)
    /// `controller(_:didChange:at:for:newIndexPath:)`.
    package static let object = Names(rawValue: 2)
    /// `controller(_:didChange:atSectionIndex:for:)`.
    package static let section = Names(rawValue: 4)
    /// `controllerDidChangeContent(_:)`.
    package static let didChange = Names(rawValue: 8)
    /// `controller(_:didChangeContentWith:)` with a snapshot.
    package static let snapshot = Names(rawValue: 16)
    /// `controller(_:didChangeContentWith:)` with a difference.
    package static let difference = Names(rawValue: 32)

    /// Returns the methods that report a whole round in one call, instead of one call for each change.
    ///
    /// A difference is sent only for lists without sections. Source: behaviour.md FRC-9, FRC-16, FRC-17.
    package static func wholeRoundMethods(isSectioned: Bool) -> Names {
      isSectioned ? .snapshot : [.snapshot, .difference]
    }

    /// Returns the methods that make the controller follow the context if the delegate implements at least
    /// one of them.
    ///
    /// Section changes occur only in lists with sections; differences are sent only for lists without
    /// sections. Source: behaviour.md FRC-3.
    package static func relevant(isSectioned: Bool) -> Names {
      let callbacks: Names = [.willChange, .object, .didChange]
      return isSectioned
        ? callbacks.union([.section, .snapshot]) : callbacks.union([.snapshot, .difference])
    }
  }
  /// The methods that the delegate is known to implement.
  package private(set) var present: Names = []
  /// The methods whose default implementation ran.
  package private(set) var absent: Names = []

  /// Creates a record in which all methods are unknown.
  package init() {}

  /// Records that the default implementation of a method ran, which means that the delegate does not
  /// implement the method.
  package mutating func markAbsent(_ name: Names) { absent.insert(name) }

  /// Records that a method was called; the method is present unless its default implementation ran.
  package mutating func markCalled(_ name: Names) {
    if !absent.contains(name) { present.insert(name) }
  }

  /// Whether the delegate may implement the method; false only if the method is known to be absent.
  package func mayImplement(_ name: Names) -> Bool { !absent.contains(name) }

  /// Whether it is still unknown in which form the delegate receives a round: snapshot, difference or
  /// callbacks.
  package func isFormUnknown(isSectioned: Bool) -> Bool {
    if present.contains(.snapshot) { return false }
    if isUnknown(.snapshot) { return true }
    return !isSectioned && isUnknown(.difference)
  }

  /// Whether the delegate is known to receive callbacks, because it does not implement a method in
  /// `Names.wholeRoundMethods(isSectioned:)`.
  package func isFormCallbacks(isSectioned: Bool) -> Bool {
    !isFormUnknown(isSectioned: isSectioned)
      && present.isDisjoint(with: .wholeRoundMethods(isSectioned: isSectioned))
  }

  /// Whether every method in `Names.relevant(isSectioned:)` is known to be absent.
  package func hasNone(isSectioned: Bool) -> Bool {
    absent.isSuperset(of: .relevant(isSectioned: isSectioned))
  }

  private func isUnknown(_ name: Names) -> Bool {
    !present.contains(name) && !absent.contains(name)
  }
}
