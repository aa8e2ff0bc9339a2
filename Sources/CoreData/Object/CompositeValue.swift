// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Converts the dictionaries of composite attributes to records of their elements, and back.
///
/// Source: Apple documents that the value is a dictionary with the elements' names as keys. It is this
/// library's choice that a missing element is nil, and that a dictionary without elements is nil.
enum CompositeValue {
  /// Returns the record of a dictionary; the record is empty if every element is nil.
  ///
  /// Returns nil if the object is not a dictionary, if a key is not the name of an element, or if an element
  /// cannot hold its value.
  static func record(of object: Any, _ elements: [CompositeElement]) -> Data? {
    guard let members = members(object), isMade(of: elements.map { $0.path[...] }, members) else {
      return nil
    }
    var values: [Value] = []
    for element in elements {
      guard let value = value(at: element.path, members, element.attribute) else { return nil }
      values.append(value)
    }
    return CompositeRecord.data(values)
  }

  private static func members(_ object: Any) -> [String: Any]? {
    if let members = object as? [String: Any] { return members }
    return (object as? NSDictionary).flatMap { $0 as? [String: Any] }
  }

  /// Returns whether all keys of the dictionary, and of the dictionary of each nested composite, are names
  /// of elements.
  ///
  /// Returns false if the value of a nested composite is neither a dictionary nor null.
  private static func isMade(of paths: [ArraySlice<String>], _ members: [String: Any]) -> Bool {
    members.allSatisfy { name, member in
      let inside = paths.filter { $0.first == name }
      if inside.isEmpty { return false }
      guard inside[0].count > 1, !(member is NSNull) else { return true }
      return self.members(member).map { isMade(of: inside.map { $0.dropFirst() }, $0) } ?? false
    }
  }

  private static func value(
    at path: [String],
    _ members: [String: Any],
    _ attribute: AttributeDefinition
  ) -> Value? {
    var object: Any? = members
    for name in path {
      object = object.flatMap { self.members($0) }?[name]
      if object is NSNull { object = nil }
    }
    guard let object else { return .null }
    if attribute.type == .transformable {
      return Transformable.data(from: object, attribute).map(Value.data)
    }
    return AttributeValue.value(object, as: attribute.type)
  }

  /// Returns the dictionary of a record; nil if every element is nil.
  static func object(of record: Data, _ elements: [CompositeElement]) -> [String: Any]? {
    var members: [String: Any] = [:]
    for (element, value) in zip(elements, CompositeRecord.values(record)) {
      var object = AttributeValue.any(value)
      if element.attribute.type == .transformable, case .data(let data) = value {
        object = Transformable.object(from: data, element.attribute)
      }
      if let object { set(object, at: element.path[...], in: &members) }
    }
    return members.isEmpty ? nil : members
  }

  private static func set(
    _ object: Any,
    at path: ArraySlice<String>,
    in members: inout [String: Any]
  ) {
    guard let name = path.first else { return }
    if path.count == 1 {
      members[name] = object
    } else {
      var inside = members[name] as? [String: Any] ?? [:]
      set(object, at: path.dropFirst(), in: &inside)
      members[name] = inside
    }
  }
}
