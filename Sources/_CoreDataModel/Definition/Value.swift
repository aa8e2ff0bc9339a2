// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A value with its type, for key-value coding and predicates.
///
/// Hot paths read the typed slots of a `RowChunk` instead.
package enum Value: @unchecked Sendable {
  // Unchecked: a value can hold references to objects, which its owner confines to one context.
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  indirect case decimal(Decimal)
  case text(String)
  /// Seconds since 2001-01-01 00:00 UTC.
  case date(Double)
  case data(Data)
  case uuid(UUID)
  case url(URL)
  /// The key of an object that has not been looked up.
  case key(ObjectKey)
  /// An object whose values are read by key, such as a managed object.
  case object(any KeyedObject)
  case collection(ValueCollection)
  indirect case dictionary([String: Value])
  /// A value of any other type, such as the object of a transformable attribute.
  case opaque(Any)

  package var isNull: Bool {
    if case .null = self { true } else { false }
  }
}

/// An object whose values are read by key, such as a managed object or an object of the program.
package protocol KeyedObject: AnyObject {
  /// Returns the value of `key`; for a to-many relationship, a `ValueCollection` of objects.
  ///
  /// - Throws: `UnknownKey` if the object has no such key, and other errors of the object.
  func keyedValue(_ key: String) throws -> Value
  /// The key of the object if it is a managed object; otherwise nil.
  var objectKey: ObjectKey? { get }
  /// The row with the values of the object's attributes, valid until the object is changed; nil if the values
  /// must be read with `keyedValue(_:)`.
  var keyedRow: KeyedRow? { get }
  /// Returns the result of a message that only objects of this type understand; nil for any other message.
  ///
  /// An expression sends a message with `FUNCTION(object, "selector:", …)`.
  /// - Throws: the errors of the object.
  func reply(to selector: String, _ arguments: [Value]) throws -> Value?
}

extension KeyedObject {
  package var keyedRow: KeyedRow? { nil }
  package func reply(to selector: String, _ arguments: [Value]) throws -> Value? { nil }
}

/// The row from which an object's attributes are read.
///
/// Its entity and chunk are not retained.
package struct KeyedRow {
  package let entity: Unmanaged<EntityDefinition>
  package let chunk: Unmanaged<RowChunk>
  package let row: Int
  package init(entity: Unmanaged<EntityDefinition>, chunk: Unmanaged<RowChunk>, row: Int) {
    self.entity = entity
    self.chunk = chunk
    self.row = row
  }
}

/// The error for reading a key that the object or entity does not have.
package struct UnknownKey: Error, Hashable {
  package let key: String
  /// The name or description of the object or entity that does not have the key.
  package let owner: String
  package init(key: String, owner: String) {
    self.key = key
    self.owner = owner
  }
}

/// A collection: an array, set or ordered set of values.
package final class ValueCollection: @unchecked Sendable {
  // Unchecked: the collection is immutable, but its members may be objects that are confined to one context.
  package enum Kind: Sendable { case array, set, orderedSet }
  package let kind: Kind
  package let members: [Value]
  package init(_ kind: Kind, _ members: [Value]) {
    self.kind = kind
    self.members = members
  }
}
