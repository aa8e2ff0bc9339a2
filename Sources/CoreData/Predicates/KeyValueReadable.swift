// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// A type whose instances can be read by key, so that predicates and sort descriptors can be applied to them.
///
/// Not in Apple's framework.
///
///     struct Song: KeyValueReadable {
///       var title: String
///       func value(forKey key: String) throws -> Any? {
///         switch key {
///         case "title": title
///         case "shout": title.uppercased()
///         default: throw UndefinedKey(key)
///         }
///       }
///     }
///     NSPredicate(format: "shout BEGINSWITH 'A'").evaluate(with: song)
///
/// Values of custom types that do not conform are read by the names of their stored properties. This is
/// slower and does not include computed properties.
///
/// Source: this library's choice.
public protocol KeyValueReadable {
  /// Returns the value for a key; the value may be nil.
  ///
  /// - Throws: `UndefinedKey` for a key that the type does not have.
  func value(forKey key: String) throws -> Any?

  /// The names of the type's key paths, which `#Predicate` and `NSSortDescriptor(keyPath:ascending:)` need.
  ///
  /// Empty by default.
  static var keyPathNames: [AnyKeyPath: String] { get }
}

extension KeyValueReadable {
  /// An empty dictionary, so that a type need not name its key paths.
  public static var keyPathNames: [AnyKeyPath: String] { [:] }
}

/// The error that a `KeyValueReadable` type throws for a key that it does not have.
///
/// Not in Apple's framework.
///
/// Source: this library's choice.
public struct UndefinedKey: Error, Hashable, CustomStringConvertible {
  /// The key that the type does not have.
  public let key: String
  /// Creates an error for a key.
  public init(_ key: String) { self.key = key }
  /// An error text that contains the key.
  public var description: String { "The type has no key “\(key)”." }
}

final class ReadableObject: KeyedContent {
  let subject: any KeyValueReadable
  init(_ subject: any KeyValueReadable) { self.subject = subject }

  var objectKey: ObjectKey? { nil }
  var keyedContent: Any { subject }

  func keyedValue(_ key: String) throws -> Value {
    do {
      return Value(any: try subject.value(forKey: key)).evaluated
    } catch let error as UndefinedKey {
      throw UnknownKey(key: error.key, owner: "\(type(of: subject))")
    }
  }
}
