// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// A collection that supports key-value coding.
///
/// Not in Apple's framework.
///
/// Linux has no key-value coding; these are the methods that Apple's collections have.
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
  /// Returns the members' values for a key, the result of an operator such as `@count`, or a dictionary's
  /// value.
  ///
  /// Arrays keep nil values as `NSNull`, sets drop them. Stops the program if a member does not have the
  /// key.
  public func value(forKey key: String) -> Any? { read { try $0.value(forKey: key) } }

  /// Returns the value at a key path, which can contain operators such as `@sum.price`.
  ///
  /// Stops the program if a member does not have a key, or if an operator cannot be applied.
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

/// Setting a property of all members.
///
/// Source: documented, “setValue(_:forKey:)” of `NSArray`, `NSSet` and `NSOrderedSet`.
extension NSArray {
  /// Sets the property of each member.
  ///
  /// Stops the program if a member is not a managed object, or if its class does not have the key.
  public func setValue(_ value: Any?, forKey key: String) { broadcast(value, key, to: self) }
}

extension NSSet {
  /// Sets the property of each member.
  ///
  /// Stops the program if a member is not a managed object, or if its class does not have the key.
  public func setValue(_ value: Any?, forKey key: String) { broadcast(value, key, to: allObjects) }
}

extension NSOrderedSet {
  /// Sets the property of each member.
  ///
  /// Stops the program if a member is not a managed object, or if its class does not have the key.
  public func setValue(_ value: Any?, forKey key: String) { broadcast(value, key, to: array) }
}

/// An object whose properties can be set by their keys.
protocol KeyedSetting: AnyObject {
  func setValue(_ value: Any?, forKey key: String)
}

private func broadcast(_ value: Any?, _ key: String, to members: some Sequence) {
  for member in members {
    guard let object = member as? any KeyedSetting else {
      Misuse.undefinedKey(
        UnknownKey(key: key, owner: "\(type(of: member))"),
        selector: "setValue:forUndefinedKey:"
      )
    }
    object.setValue(value, forKey: key)
  }
}
