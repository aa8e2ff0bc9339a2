// SPDX-License-Identifier: Apache-2.0

/// Which of its optional methods a results controller's delegate is known to have.
///
/// Swift has no optional requirements. The default of a method calls `markAbsent`, so a method that was
/// called and whose default did not run is present.
package struct DelegateMethods {
  /// A set of methods.
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

    /// The methods that receive a round as a whole, one of which replaces all callbacks.
    ///
    /// A difference is for lists without sections. Source: behaviour.md FRC-9, FRC-16, FRC-17.
    package static func whole(isSectioned: Bool) -> Names {
      isSectioned ? .snapshot : [.snapshot, .difference]
    }

    /// The methods of which a delegate needs one for the controller to follow its context.
    ///
    /// Without sections there are no changes of sections. Source: behaviour.md FRC-3.
    package static func relevant(isSectioned: Bool) -> Names {
      let callbacks: Names = [.willChange, .object, .didChange]
      return isSectioned
        ? callbacks.union([.section, .snapshot]) : callbacks.union([.snapshot, .difference])
    }
  }
  /// Methods that ran.
  package private(set) var present: Names = []
  /// Methods whose default ran.
  package private(set) var absent: Names = []

  /// Knows nothing yet.
  package init() {}

  /// Records that the default of a method ran.
  package mutating func markAbsent(_ name: Names) { absent.insert(name) }

  /// Records that a method was called; it is present unless its default ran.
  package mutating func markCalled(_ name: Names) {
    if !absent.contains(name) { present.insert(name) }
  }

  /// Whether the method is present or was never called.
  package func mayHave(_ name: Names) -> Bool { !absent.contains(name) }

  /// Whether the form of the delegate's choice (snapshot, difference or callbacks) is not known yet.
  package func isFormUnknown(isSectioned: Bool) -> Bool {
    if present.contains(.snapshot) { return false }
    if isUnknown(.snapshot) { return true }
    return !isSectioned && isUnknown(.difference)
  }

  /// Whether the delegate is known to use callbacks: it is known to have no method that receives a round as a
  /// whole.
  package func isFormCallbacks(isSectioned: Bool) -> Bool {
    !isFormUnknown(isSectioned: isSectioned)
      && present.isDisjoint(with: .whole(isSectioned: isSectioned))
  }

  /// Whether the delegate is known to have no method for changes of such a list.
  package func hasNone(isSectioned: Bool) -> Bool {
    absent.isSuperset(of: .relevant(isSectioned: isSectioned))
  }

  private func isUnknown(_ name: Names) -> Bool {
    !present.contains(name) && !absent.contains(name)
  }
}
