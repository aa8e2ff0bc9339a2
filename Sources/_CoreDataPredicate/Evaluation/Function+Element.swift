// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension Function {
  /// Returns `base[index]`: a member of an array or ordered set, or the value of a dictionary's or object's
  /// key; null for null.
  ///
  /// Source: documented (NSExpression, `objectFrom:withIndex:`).
  /// - Throws: `EvaluationError`: `range` for an index out of bounds, `invalidArgument` for a set, whose
  ///   members have no index, and for any other value.
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
          "index \(number) beyond bounds for a collection (number of members: \(collection.members.count))"
        )
      }
      return collection.members[Int(number)]
    default: break
    }
    throw EvaluationError(
      .invalidArgument,
      "Can't read element \(index.shown) of \(base.kindName)"
    )
  }

  /// Returns `base[FIRST]`, `base[LAST]` or `base[SIZE]`; the first and last of an empty collection are null.
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
        "Can't read \(index.rawValue) of \(base.kindName)"
      )
    }
  }

  /// Returns the distance of two locations in metres; null if either location is null.
  ///
  /// The distance is computed on a sphere with the Earth's mean radius. Because Core Location is not
  /// available, a location is any value with the keys `latitude` and `longitude` in degrees, or a value whose
  /// key `coordinate` has such a value.
  /// Source: chosen.
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
    // The errors of missing keys are dropped: the error below describes both forms of a location.
    for base in [place, try? place.value(forKey: "coordinate")] {
      // The errors of these keys are dropped too, because the error below describes both forms.
      if let latitude = try? base?.value(forKey: "latitude").number,
        let longitude = try? base?.value(forKey: "longitude").number
      {
        return (latitude, longitude)
      }
    }
    throw EvaluationError(
      .invalidArgument,
      "The function distanceToLocation:fromLocation: needs two locations with latitude and longitude"
    )
  }
}
