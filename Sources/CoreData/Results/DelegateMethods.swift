// SPDX-License-Identifier: Apache-2.0

/// Which of its optional methods a delegate is known to have.
///
/// Swift has no optional requirements: a method that was called and whose default did not run is there.
struct DelegateMethods {
  struct Names: OptionSet {
    let rawValue: Int
    static let willChange = Names(rawValue: 1)
    static let object = Names(rawValue: 2)
    static let section = Names(rawValue: 4)
    static let didChange = Names(rawValue: 8)
    static let snapshot = Names(rawValue: 16)
    static let difference = Names(rawValue: 32)
    /// The methods of which one is needed for the controller to follow its context.
    static let all: Names = [.willChange, .object, .section, .didChange, .snapshot, .difference]
  }
  private(set) var present: Names = []
  private(set) var absent: Names = []

  /// The default of a method ran.
  mutating func isAbsent(_ name: Names) { absent.insert(name) }

  /// A method was called.
  mutating func wasCalled(_ name: Names) {
    if !absent.contains(name) { present.insert(name) }
  }

  func isUnknown(_ name: Names) -> Bool {
    !present.contains(name) && !absent.contains(name)
  }
}
