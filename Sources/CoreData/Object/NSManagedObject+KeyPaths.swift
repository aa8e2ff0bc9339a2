// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// Key-value coding with key paths, and with several keys at once.
///
/// In Apple's framework `NSObject` has these methods; Foundation on Linux does not (DEVIATIONS.md).
extension NSManagedObject {
  /// Returns the value at a path of keys and collection operators, such as `team.players.@max.age`.
  ///
  /// The value of a path through a to-many is a set or an ordered set, unless the path contains a collection
  /// operator. If a value along the path is nil, returns nil. For a key that an object along the path does
  /// not have, calls `value(forUndefinedKey:)` of the object at which the path starts. A collection operator
  /// that cannot be evaluated stops the program.
  public func value(forKeyPath keyPath: String) -> Any? {
    if !keyPath.contains(".") { return value(forKey: keyPath) }
    do {
      return try Value.object(self).value(forKeyPath: keyPath).any
    } catch let error as UnknownKey {
      return value(forUndefinedKey: error.key)
    } catch {
      Misuse.failedEvaluation("\(error)")
    }
  }

  /// Sets the property at the end of a path of to-ones; does nothing if the value of a key along the path is
  /// not a managed object.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) {
    guard let dot = keyPath.firstIndex(of: ".") else { return setValue(value, forKey: keyPath) }
    let next = self.value(forKey: String(keyPath[..<dot])) as? NSManagedObject
    next?.setValue(value, forKeyPath: String(keyPath[keyPath.index(after: dot)...]))
  }

  /// Validates a value for the property at the end of a path of to-ones, and may replace the value; does
  /// nothing if the value of a key along the path is not a managed object.
  ///
  /// - Throws: the errors of `validateValue(_:forKey:)`.
  public func validateValue(_ value: inout Any?, forKeyPath keyPath: String) throws {
    guard let dot = keyPath.firstIndex(of: ".") else {
      return try validateValue(&value, forKey: keyPath)
    }
    let next = self.value(forKey: String(keyPath[..<dot])) as? NSManagedObject
    try next?.validateValue(&value, forKeyPath: String(keyPath[keyPath.index(after: dot)...]))
  }

  /// Validates a value passed as an object, as in Apple's declaration, and may replace the value.
  ///
  /// - Throws: the errors of `validateValue(_:forKeyPath:)` for `Any?`, which this method calls.
  public func validateValue(_ value: inout AnyObject?, forKeyPath keyPath: String) throws {
    let given = value
    var checked: Any? = given
    try validateValue(&checked, forKeyPath: keyPath)
    value = checked as AnyObject?
  }

  /// Returns the values for `keys`, by key; `NSNull` stands for nil.
  public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }) { first, _ in first }
  }

  /// Sets each property to its value in `keyedValues`; `NSNull` stands for nil.
  public func setValuesForKeys(_ keyedValues: [String: Any]) {
    for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
  }
}

extension NSManagedObject: KeyValueAccess {}
