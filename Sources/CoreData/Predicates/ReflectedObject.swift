// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// Makes an object of an unknown type readable by the names of its stored properties.
///
/// Linux has no Objective-C runtime, which reads properties by name on Apple's systems.
///
/// Source: this library's choice.
final class ReflectedObject: KeyedContent {
  let subject: Any
  init(_ subject: Any) { self.subject = subject }

  var objectKey: ObjectKey? { nil }
  var keyedContent: Any { subject }

  func keyedValue(_ key: String) throws -> Value {
    var mirror: Mirror? = Mirror(reflecting: subject)
    while let level = mirror {
      if let child = level.children.first(where: { $0.label == key }) {
        return Value(any: child.value).evaluated
      }
      mirror = level.superclassMirror
    }
    throw UnknownKey(key: key, owner: "\(type(of: subject))")
  }
}

extension Value {
  /// The value in a form whose keys predicates can read.
  ///
  /// Values of custom types, also inside collections and dictionaries, are wrapped in objects that read keys
  /// through `KeyValueReadable` or, if the type does not conform, from the stored properties. Values of enums
  /// that do not conform stay opaque.
  var evaluated: Value {
    switch self {
    case .opaque(let any):
      if let readable = any as? any KeyValueReadable { return .object(ReadableObject(readable)) }
      if Mirror(reflecting: any).displayStyle == .enum { return self }
      return .object(ReflectedObject(any))
    case .collection(let collection):
      guard collection.members.contains(where: \.isUnread) else { return self }
      return .collection(ValueCollection(collection.kind, collection.members.map(\.evaluated)))
    case .dictionary(let dictionary):
      guard dictionary.values.contains(where: \.isUnread) else { return self }
      return .dictionary(dictionary.mapValues(\.evaluated))
    default: return self
    }
  }

  private var isUnread: Bool {
    switch self {
    case .opaque: true
    case .collection(let collection): collection.members.contains(where: \.isUnread)
    case .dictionary(let dictionary): dictionary.values.contains(where: \.isUnread)
    default: false
    }
  }
}
