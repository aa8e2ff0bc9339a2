// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// The collection operators of key paths, such as `@count`, `@sum.price` and `@distinctUnionOfObjects.name`.
///
/// Source: documented (Key-Value Coding Programming Guide, Using Collection Operators).
enum CollectionOperator {
  /// Returns the result of the operator `name` for the members of a collection.
  ///
  /// `path` is the key path after the operator; nil if the operator is the last part of the whole key path.
  /// - Throws: `UnknownKey` for an unknown operator, for a missing path after an operator other than
  ///   `@count`, and for an unknown key; `EvaluationError` for values that the operator does not accept; the
  ///   errors of the members.
  static func value(
    _ collection: ValueCollection,
    _ name: Substring,
    _ path: String?
  ) throws -> Value {
    if name == "@count" { return .int(Int64(collection.members.count)) }
    guard let path else { throw UnknownKey(key: String(name), owner: "a collection") }
    switch name {
    case "@sum": return Statistics.sum(try values(collection, path))
    case "@avg", "@average": return try average(try values(collection, path), name)
    case "@min": return try Statistics.extreme(try values(collection, path), -1)
    case "@max": return try Statistics.extreme(try values(collection, path), 1)
    case "@unionOfObjects":
      return .collection(
        ValueCollection(.array, try each(collection, path).filter { !$0.isNull })
      )
    case "@distinctUnionOfObjects":
      let kind: ValueCollection.Kind = collection.kind == .set ? .set : .array
      return .collection(
        ValueCollection(kind, ValueCollection.distinct(try each(collection, path)))
      )
    case "@unionOfArrays":
      return .collection(ValueCollection(.array, try union(collection, path, name)))
    case "@distinctUnionOfArrays":
      return .collection(
        ValueCollection(.array, ValueCollection.distinct(try union(collection, path, name)))
      )
    case "@distinctUnionOfSets":
      return .collection(
        ValueCollection(.set, ValueCollection.distinct(try union(collection, path, name)))
      )
    default: throw UnknownKey(key: String(name), owner: "a collection")
    }
  }

  /// Returns the average of the values, in which nulls count as 0; null for no values.
  ///
  /// - Throws: `EvaluationError` for a value that is neither null nor a number; Apple's framework raises an
  ///   overflow exception for such a value.
  private static func average(_ values: [Value], _ name: Substring) throws -> Value {
    if let other = values.first(where: { !$0.isNull && $0.number == nil }) {
      throw EvaluationError(
        .invalidArgument,
        "\(name) needs numbers, not \(other.kindName)"
      )
    }
    return Statistics.average(values)
  }

  private static func each(_ collection: ValueCollection, _ path: String) throws -> [Value] {
    let path = path == "#self" ? "self" : path
    return try collection.members.map { try $0.value(forKeyPath: path) }
  }

  private static func values(_ collection: ValueCollection, _ path: String) throws -> [Value] {
    Statistics.flattened(try each(collection, path))
  }

  private static func union(
    _ collection: ValueCollection,
    _ path: String,
    _ name: Substring
  ) throws -> [Value] {
    var result: [Value] = []
    for member in collection.members {
      guard case .collection(let inner) = member else {
        throw EvaluationError(
          .invalidArgument,
          "\(name) needs a collection of collections, but a member is \(member.kindName)"
        )
      }
      result += try each(inner, path).filter { !$0.isNull }
    }
    return result
  }
}
