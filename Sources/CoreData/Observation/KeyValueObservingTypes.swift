// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Options that determine what the reports of a key-value observation contain and when they are sent; raw
/// values are Apple's.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
  /// The options as a bit mask.
  public let rawValue: UInt
  /// Creates options from a bit mask.
  public init(rawValue: UInt) { self.rawValue = rawValue }
  /// Reports contain the new value.
  public static let new = NSKeyValueObservingOptions(rawValue: 1)
  /// Reports contain the old value.
  public static let old = NSKeyValueObservingOptions(rawValue: 2)
  /// Sends one report before `observe(_:options:changeHandler:)` returns.
  public static let initial = NSKeyValueObservingOptions(rawValue: 4)
  /// Sends two reports of each change: one before and one after the change.
  public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// The kind of a change to an observed value; raw values are Apple's.
public enum NSKeyValueChange: UInt, Sendable {
  case setting = 1
  case insertion = 2
  case removal = 3
  case replacement = 4
}

/// The keys of the dictionary that a `KeyValueObserver` receives; raw values are Apple's.
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
  /// The key as a string.
  public let rawValue: String
  /// Creates a key from a string.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The key for the raw value of the `NSKeyValueChange`, as an `NSNumber`.
  public static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
  /// The key for the new value, if `.new` was requested; `NSNull` stands for nil.
  public static let newKey = NSKeyValueChangeKey(rawValue: "new")
  /// The key for the old value, if `.old` was requested; `NSNull` stands for nil.
  public static let oldKey = NSKeyValueChangeKey(rawValue: "old")
  /// The key for the indexes of changed members, which this library does not report.
  public static let indexesKey = NSKeyValueChangeKey(rawValue: "indexes")
  /// The key for an `NSNumber` that is true, in the report before a change; absent from all other reports.
  public static let notificationIsPriorKey = NSKeyValueChangeKey(rawValue: "notificationIsPrior")
}

/// The kind of a change to several members of a to-many; raw values are Apple's.
public enum NSKeyValueSetMutationKind: UInt, Sendable {
  case union = 1
  case minus = 2
  case intersect = 3
  case set = 4
}

/// One report of a key-value observation.
public struct NSKeyValueObservedChange<Value> {
  /// The kind of a change.
  public typealias Kind = NSKeyValueChange
  /// The kind of the change; always `setting`, even if only some members of a to-many changed.
  public let kind: Kind
  /// The value after the change, if `.new` was requested; nil in a report before the change.
  public let newValue: Value?
  /// The value before the change, if `.old` was requested.
  ///
  /// Nil in an initial report. Also nil if a refresh or merge changes a fault, because reading the old value
  /// would fire the fault.
  public let oldValue: Value?
  /// Always nil, because the indexes of changed members are not reported.
  public let indexes: IndexSet?
  /// Whether this is the report before the change (`.prior`).
  public let isPrior: Bool
}
