// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// An object that wraps another value, `keyedContent`.
///
/// Predicates compare two such objects by their contents. If a `Value` that contains such an object is
/// converted to `Any`, the result is the content.
package protocol KeyedContent: KeyedObject {
  var keyedContent: Any { get }
}

extension Value {
  /// A hashable constant that identifies the value in a set, such as the key of a managed object.
  var identity: Constant {
    guard case .object(let object) = self else { return Constant(self) }
    if let key = object.objectKey { return Constant(.key(key)) }
    if let box = object as? any KeyedContent, let content = box.keyedContent as? AnyHashable {
      return Constant(.opaque(content))
    }
    if let entityName { return Constant(.opaque(EntityIdentity(name: entityName))) }
    return Constant(self)
  }

  /// Whether two objects are equal.
  ///
  /// An object equals itself. Managed objects are equal if their keys are equal, entities if their names are
  /// equal, ordered objects if neither precedes the other, and wrappers if their contents are equal.
  static func isSame(_ left: any KeyedObject, _ right: any KeyedObject) -> Bool {
    if left === right { return true }
    if let key = left.objectKey { return key == right.objectKey }
    return isSame(left, .object(right))
  }

  /// Whether an object without an object key equals a value.
  ///
  /// A wrapper equals its content, and any other wrapper whose content is equal.
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

private struct EntityIdentity: Hashable {
  let name: String
}
