// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A value of any Swift type as an object that predicates and sort keys can ask.
///
///     let value = Value.object(KeyedBox(song) { song, key in … })
///
/// Boxes with equal contents are equal where the contents can be compared.
package final class KeyedBox<Content>: KeyedObject, KeyedContent {
  package let content: Content
  private let read: (Content, String) throws -> Value

  /// `read` gives the value of a key and throws `UnknownKey` for one that there is not.
  package init(_ content: Content, read: @escaping (Content, String) throws -> Value) {
    self.content = content
    self.read = read
  }

  package var objectKey: ObjectKey? { nil }
  package func keyedValue(_ key: String) throws -> Value { try read(content, key) }
  package var keyedContent: Any { content }
}

/// An object that stands for another value: what it is equal to, and what it gives back.
package protocol KeyedContent: KeyedObject {
  var keyedContent: Any { get }
}

extension Value {
  /// What tells the value from others among the members of a set: objects by their key or content.
  var identity: Constant {
    guard case .object(let object) = self else { return Constant(self) }
    if let key = object.objectKey { return Constant(.key(key)) }
    if let box = object as? any KeyedContent, let content = box.keyedContent as? AnyHashable {
      return Constant(.opaque(content))
    }
    if let entityName { return Constant(.opaque(EntityIdentity(name: entityName))) }
    return Constant(self)
  }

  /// Whether two objects are one: the same, of one key, of one place, of one entity, or boxes of equal content.
  static func isSame(_ left: any KeyedObject, _ right: any KeyedObject) -> Bool {
    if left === right { return true }
    if let key = left.objectKey { return key == right.objectKey }
    return isSame(left, .object(right))
  }

  /// Whether an object without a key is one with a value that may stand for it.
  static func isSame(_ left: any KeyedObject, _ right: Value) -> Bool {
    if let place = left as? any OrderedContent { return place.order(to: right) == 0 }
    if let name = Value.object(left).entityName { return name == right.entityName }
    guard let box = left as? any KeyedContent, let content = box.keyedContent as? AnyHashable else {
      return false
    }
    return switch right {
    case .object(let object): content == (object as? any KeyedContent)?.keyedContent as? AnyHashable
    case .opaque(let any): content == any as? AnyHashable
    default: false
    }
  }
}

/// What tells the entities apart among the members of a set.
private struct EntityIdentity: Hashable {
  let name: String
}
