// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// A collection that supports key-value coding.
///
/// Not in Apple's framework.
///
/// Linux has no key-value coding, so the methods of this protocol replace those of Apple's collections.
///
/// Source: documented, “Key-Value Coding Programming Guide”.
public protocol KeyValueCollection {}

extension NSArray: KeyValueCollection {}
extension NSSet: KeyValueCollection {}
extension NSOrderedSet: KeyValueCollection {}
extension NSDictionary: KeyValueCollection {}
extension Array: KeyValueCollection {}
extension Set: KeyValueCollection {}
extension Dictionary: KeyValueCollection where Key == String {}

extension KeyValueCollection {
  /// Returns the members' values for a key, or the result of an operator such as `@count`; for a dictionary,
  /// returns the dictionary's value for the key.
  ///
  /// The result for an array or ordered set contains `NSNull` for each nil value; the result for a set omits
  /// nil values. Stops the program if a member does not have the key, or if an operator cannot be applied.
  public func value(forKey key: String) -> Any? { read { try $0.value(forKey: key) } }

  /// Returns the value at a key path, which can contain operators, as in `@sum.price`.
  ///
  /// Stops the program if a value on the path does not have the key that is read from it, or if an operator
  /// cannot be applied.
  public func value(forKeyPath keyPath: String) -> Any? {
    read { try $0.value(forKeyPath: keyPath) }
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

// Source: documented, “setValue(_:forKey:)” of `NSArray`, `NSSet` and `NSOrderedSet`.
extension NSArray {
  /// Calls `setValue(_:forKey:)` on each member; stops the program at a member that is not a managed object.
  public func setValue(_ value: Any?, forKey key: String) { broadcast(value, key, to: self) }
}

extension NSSet {
  /// Calls `setValue(_:forKey:)` on each member; stops the program at a member that is not a managed object.
  public func setValue(_ value: Any?, forKey key: String) { broadcast(value, key, to: allObjects) }
}

extension NSOrderedSet {
  /// Calls `setValue(_:forKey:)` on each member; stops the program at a member that is not a managed object.
  public func setValue(_ value: Any?, forKey key: String) { broadcast(value, key, to: array) }
}

/// An object whose values can be read and set by key; only managed objects conform.
protocol KeyValueAccess: AnyObject {
  func value(forKey key: String) -> Any?
  func value(forKeyPath keyPath: String) -> Any?
  func setValue(_ value: Any?, forKey key: String)
}

private func broadcast(_ value: Any?, _ key: String, to members: some Sequence) {
  for member in members {
    guard let object = member as? any KeyValueAccess else {
      Misuse.undefinedKey(
        UnknownKey(key: key, owner: "\(type(of: member))"),
        selector: "setValue:forUndefinedKey:"
      )
    }
    object.setValue(value, forKey: key)
  }
}
