// SPDX-License-Identifier: Apache-2.0

import CoreDataModel

/// An object of a type that Core Data does not know, read by the names of its stored properties.
///
/// Linux has no Objective-C runtime to ask. Source: chosen.
final class ReflectedObject: KeyedObject {
  private let object: Any
  init(_ object: Any) { self.object = object }

  var objectKey: ObjectKey? { nil }

  func keyedValue(_ key: String) throws -> Value {
    var mirror: Mirror? = Mirror(reflecting: object)
    while let level = mirror {
      if let child = level.children.first(where: { $0.label == key }) {
        return Value(any: child.value).evaluated
      }
      mirror = level.superclassMirror
    }
    throw UnknownKey(key: key, owner: "\(type(of: object))")
  }
}

extension Value {
  /// The value as predicates read it: unknown objects answer for their stored properties.
  var evaluated: Value {
    guard case .opaque(let any) = self, Mirror(reflecting: any).displayStyle != .enum else {
      return self
    }
    return .object(ReflectedObject(any))
  }
}
