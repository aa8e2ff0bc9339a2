// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A value that describes its own type: what key-value coding hands over, and what predicates compare.
///
/// Hot paths do not use it; they read the typed slots of a `RowChunk`.
package enum Value: @unchecked Sendable {
  // Unchecked: `object` and `collection` hold references that their owner confines to one context.
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
  /// An object named by its key, not looked up.
  case key(ObjectKey)
  /// An object that can be asked for values by key: a managed object, or any other.
  case object(any KeyedObject)
  case collection(ValueCollection)
  indirect case dictionary([String: Value])
  /// Anything the model cannot describe, such as the content of a transformable attribute.
  case opaque(Any)

  package var isNull: Bool {
    if case .null = self { true } else { false }
  }
}

/// An object whose values are read by key: the shell's managed objects, dictionaries, users' own types.
package protocol KeyedObject: AnyObject {
  /// The value of `key`; a to-many relationship gives a `ValueCollection` of objects.
  ///
  /// - Throws: `UnknownKey` where the object has no such key.
  func keyedValue(_ key: String) throws -> Value
  /// The key of a managed object, nil for any other object.
  var objectKey: ObjectKey? { get }
  /// Where the values of the entity's attributes are, for as long as the object is not changed; nil
  /// where it has to be asked by key.
  var keyedPlace: KeyedPlace? { get }
}

extension KeyedObject {
  package var keyedPlace: KeyedPlace? { nil }
}

/// The row that an object's attributes are read from, borrowed from the object.
package struct KeyedPlace {
  package let entity: Unmanaged<EntityDefinition>
  package let chunk: Unmanaged<RowChunk>
  package let row: Int
  package init(entity: Unmanaged<EntityDefinition>, chunk: Unmanaged<RowChunk>, row: Int) {
    self.entity = entity
    self.chunk = chunk
    self.row = row
  }
}

/// Thrown where an object or entity has no property of that name.
package struct UnknownKey: Error, Hashable {
  package let key: String
  /// What was asked, such as an entity's name.
  package let owner: String
  package init(key: String, owner: String) {
    self.key = key
    self.owner = owner
  }
}

/// The members of an array, set or ordered set.
package final class ValueCollection: @unchecked Sendable {
  // Unchecked: immutable, but members may be confined objects.
  package enum Kind: Sendable { case array, set, orderedSet }
  package let kind: Kind
  package let members: [Value]
  package init(_ kind: Kind, _ members: [Value]) {
    self.kind = kind
    self.members = members
  }
}
