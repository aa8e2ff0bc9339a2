// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

// This extends the protocol instead of `NSObject`, because on Linux a subclass can neither override nor
// redeclare a member of an extension of its superclass. The methods are disfavoured, so that collections use
// their own methods.

/// Methods that read values by key from objects of any class, as predicates do.
///
/// The values of stored properties and of `KeyValueReadable` types can be read. Swift on Linux has no runtime
/// that sets properties by name, so only managed objects and collections have `setValue(_:forKey:)`.
///
/// Source: documented, “NSKeyValueCoding”.
extension NSObjectProtocol {
  /// Returns the value of a stored property, or the value that a `KeyValueReadable` type returns for the key.
  ///
  /// Stops the program if the object does not have the key.
  @_disfavoredOverload
  public func value(forKey key: String) -> Any? {
    if let object = self as? any KeyValueAccess { return object.value(forKey: key) }
    return read { try $0.value(forKey: key) }
  }

  /// Returns the value at a path of keys and collection operators, such as `players.@max.age`; nil if a value
  /// along the path is nil.
  ///
  /// Stops the program if a value along the path does not have the next key, or if an operator cannot be
  /// applied.
  @_disfavoredOverload
  public func value(forKeyPath keyPath: String) -> Any? {
    if let object = self as? any KeyValueAccess { return object.value(forKeyPath: keyPath) }
    return read { try $0.value(forKeyPath: keyPath) }
  }

  /// Returns the values for `keys`, by key; `NSNull` stands for nil.
  ///
  /// Stops the program if the object does not have one of the keys.
  @_disfavoredOverload
  public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }) { first, _ in first }
  }

  private func read(_ body: (Value) throws -> Value) -> Any? {
    do {
      return try body(Value(any: self).evaluated).any
    } catch let error as UnknownKey {
      Misuse.undefinedKey(error)
    } catch {
      Misuse.failedEvaluation("\(error)")
    }
  }
}
