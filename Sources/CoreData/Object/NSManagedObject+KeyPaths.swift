// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// Key-value coding along paths, and several keys at once.
///
/// Apple's `NSObject` has these for every object; Linux has none (DEVIATIONS.md).
extension NSManagedObject {
  /// The value at a path of keys and collection operators, such as `team.players.@max.age`.
  ///
  /// A path through a to-many gives a set, or an ordered set. A nil on the way gives nil; an unknown
  /// key goes to `value(forUndefinedKey:)`.
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

  /// Sets the property at the end of a path of to-ones.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) {
    guard let dot = keyPath.firstIndex(of: ".") else { return setValue(value, forKey: keyPath) }
    let next = self.value(forKey: String(keyPath[..<dot])) as? NSManagedObject
    // As key-value coding: nothing happens where the path ends early.
    next?.setValue(value, forKeyPath: String(keyPath[keyPath.index(after: dot)...]))
  }

  /// The values of `keys`; nil as `NSNull`.
  public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }) { first, _ in first }
  }

  /// Sets several properties; `NSNull` as nil.
  public func setValuesForKeys(_ keyedValues: [String: Any]) {
    for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
  }
}
