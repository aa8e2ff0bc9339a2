// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension Function {
  /// `base[index]`: a member of an array or ordered set, the value of a dictionary's or object's key.
  ///
  /// Null of null. Source: documented (NSExpression, `objectFrom:withIndex:`).
  /// - Throws: `EvaluationError`: `range` beyond the members, `invalidArgument` for sets, which have
  ///   no places, and for what has no members.
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
          "index \(number) beyond bounds for a collection of \(collection.members.count)"
        )
      }
      return collection.members[Int(number)]
    default: break
    }
    throw EvaluationError(
      .invalidArgument,
      "Can't take element \(index.shown) of \(base.kindName)"
    )
  }

  /// `base[FIRST]`, `base[LAST]` and `base[SIZE]`; null for the ends of an empty collection.
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
        "Can't take \(index.rawValue) of \(base.kindName)"
      )
    }
  }

  /// Metres between two places on a sphere of the Earth's mean radius; null where a place is.
  ///
  /// A place is anything with `latitude` and `longitude` in degrees, or with a `coordinate` that has
  /// them: there is no Core Location here. Source: chosen.
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
    // What lacks a key is not a place of that form; the error below names both forms.
    for base in [place, try? place.value(forKey: "coordinate")] {
      // As above.
      if let latitude = try? base?.value(forKey: "latitude").number,
        let longitude = try? base?.value(forKey: "longitude").number
      {
        return (latitude, longitude)
      }
    }
    throw EvaluationError(
      .invalidArgument,
      "distanceToLocation:fromLocation: needs places with latitude and longitude"
    )
  }
}
