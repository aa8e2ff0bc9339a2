// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension Function {
  /// Returns `base[index]`: a member of an array or ordered set, or the value of a key of a dictionary or
  /// object.
  ///
  /// Returns null if `base` is null, or if a dictionary does not have the key.
  /// Source: documented (NSExpression, `objectFrom:withIndex:`).
  /// - Throws: `EvaluationError` with the code `range` for an index out of bounds; `EvaluationError` with the
  ///   code `invalidArgument` for a set, for a value without elements, and for an index or key of the wrong
  ///   type; `UnknownKey` and other errors of an object.
  static func element(of base: Value, _ index: Value) throws -> Value {
    switch (base, index) {
    case (.null, _): return .null
    case (.dictionary(let dictionary), .text(let key)): return dictionary[key] ?? .null
    case (.dictionary(let dictionary), _) where index.number != nil:
      return dictionary[index.plainText] ?? .null
    case (.object, .text(let key)): return try base.value(forKey: key)
    case (.collection(let collection), _) where collection.kind != .set:
      guard let number = index.truncated else { break }
      guard number >= 0, number < collection.members.count else {
        throw EvaluationError(
          .range,
          "The index \(number) is out of bounds: the collection has \(members(collection.members.count))"
        )
      }
      return collection.members[Int(number)]
    default: break
    }
    throw EvaluationError(.invalidArgument, obstacle(toReading: index, of: base))
  }

  private static func members(_ count: Int) -> String {
    count == 1 ? "1 member" : "\(count) members"
  }

  private static func obstacle(toReading index: Value, of base: Value) -> String {
    switch base {
    case .collection(let collection) where collection.kind == .set:
      "Can't read element \(index.shown) of a set, because the members of a set have no order"
    case .collection:
      "Can't read element \(index.shown) of a collection, because the index is not a 64-bit integer"
    case .dictionary:
      "Can't read element \(index.shown) of a dictionary, because the key is neither a string nor a number"
    case .object:
      "Can't read element \(index.shown) of an object, because the key is not a string"
    default:
      "Can't read element \(index.shown) of \(base.kindName); only collections, dictionaries and objects "
        + "have elements"
    }
  }

  /// Returns `base[FIRST]`, `base[LAST]` or `base[SIZE]`.
  ///
  /// Returns null if `base` is null, and for the first and the last member of an empty collection.
  /// - Throws: `EvaluationError` (`invalidArgument`) if `base` is neither null nor a collection. `SIZE` also
  ///   accepts a dictionary.
  static func element(of base: Value, _ index: Term.SymbolicIndex) throws -> Value {
    switch (base, index) {
    case (.null, _): .null
    case (.collection(let collection), .first): collection.members.first ?? .null
    case (.collection(let collection), .last): collection.members.last ?? .null
    case (.collection(let collection), .size): .int(Int64(collection.members.count))
    case (.dictionary(let dictionary), .size): .int(Int64(dictionary.count))
    default:
      throw EvaluationError(
        .invalidArgument,
        "Can't read \(index.rawValue) of \(base.kindName); only collections have FIRST and LAST, and only "
          + "collections and dictionaries have SIZE"
      )
    }
  }

  /// Returns the distance between two locations in metres; null if either location is null.
  ///
  /// The distance is computed on a sphere with the Earth's mean radius. Because Core Location is not
  /// available, a location is any value with the keys `latitude` and `longitude` in degrees, or a value whose
  /// key `coordinate` has such a value.
  /// Source: this library's choice.
  /// - Throws: `EvaluationError` (`invalidArgument`) for a value that is not a location.
  static func distance(_ to: Value, _ from: Value) throws -> Value {
    if to.isNull || from.isNull { return .null }
    let (end, start) = (try degrees(to), try degrees(from))
    let radians = Double.pi / 180
    let rise = sin((end.latitude - start.latitude) * radians / 2)
    let turn = sin((end.longitude - start.longitude) * radians / 2)
    let chord =
      rise * rise + cos(start.latitude * radians) * cos(end.latitude * radians) * turn * turn
    return .double(2 * 6_371_008.8 * asin(min(1, chord.squareRoot())))
  }

  private static func degrees(_ place: Value) throws -> (latitude: Double, longitude: Double) {
    // The error of a missing key is dropped, because the error below describes both forms of a location.
    for base in [place, try? place.value(forKey: "coordinate")] {
      // The errors of missing keys are dropped for the same reason.
      if let latitude = try? base?.value(forKey: "latitude").number,
        let longitude = try? base?.value(forKey: "longitude").number
      {
        return (latitude, longitude)
      }
    }
    throw EvaluationError(
      .invalidArgument,
      "The function distanceToLocation:fromLocation: needs values with numbers for the keys latitude and "
        + "longitude, or with such a value for the key coordinate; an argument is \(place.kindName) without "
        + "these keys"
    )
  }
}
