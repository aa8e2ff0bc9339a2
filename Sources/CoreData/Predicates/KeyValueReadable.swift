// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// A type whose values are read by name, so that predicates evaluate, filter and sort it.
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
/// Types that do not adopt it are read by the names of their stored properties, which is slower and
/// sees no computed ones. Source: chosen.
public protocol KeyValueReadable {
  /// The value under a key, nil for none.
  ///
  /// - Throws: `UndefinedKey` for a name that the type does not have.
  func value(forKey key: String) throws -> Any?

  /// The names of key paths, for `#Predicate` and `NSSortDescriptor(keyPath:ascending:)`; empty where
  /// the type gives none.
  static var keyPathNames: [AnyKeyPath: String] { get }
}

extension KeyValueReadable {
  /// No names.
  public static var keyPathNames: [AnyKeyPath: String] { [:] }
}

/// What a `KeyValueReadable` type throws for a key that it does not have.
///
/// Not in Apple's framework.
///
/// Source: chosen.
public struct UndefinedKey: Error, Hashable, CustomStringConvertible {
  /// The key.
  public let key: String
  /// An error for a key.
  public init(_ key: String) { self.key = key }
  /// The key in a sentence.
  public var description: String { "There is no value for the key \(key)" }
}

/// A value of a `KeyValueReadable` type as predicates read it.
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
