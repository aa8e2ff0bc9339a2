// SPDX-License-Identifier: Apache-2.0

import _CoreDataSQL
import _CoreDataStore

/// The primary keys with which one execution of a statement selects rows.
enum KeyNumbers: Equatable {
  case one(Int64)
  /// Consecutive numbers; a scan of the range takes a third of the time of the separate look-ups.
  case range(ClosedRange<Int64>)
  case list([Int64])

  /// The form of the statement's parameters.
  var form: KeyCount {
    switch self {
    case .one: .one
    case .range: .range
    case .list: .list
    }
  }

  var count: Int {
    switch self {
    case .one: 1
    case .range(let range): Int(range.upperBound - range.lowerBound) + 1
    case .list(let numbers): numbers.count
    }
  }

  /// The average length of ranges above which one statement for each range is faster than a list.
  private static let runLength = 64

  /// Divides numbers into the keys of one or more statements.
  ///
  /// Numbers become ranges of consecutive numbers if there is only one range, or at most one range for every
  /// 64 numbers. A list has at most `listLength` numbers.
  static func parts(of numbers: [Int64], listLength: Int = .max) -> [KeyNumbers] {
    if numbers.count < 2 { return numbers.map { .one($0) } }
    if let ranges = ranges(of: numbers) { return ranges.map { .range($0) } }
    if numbers.count <= listLength { return [.list(numbers)] }
    return stride(from: 0, to: numbers.count, by: listLength).map { start in
      .list(Array(numbers[start..<min(start + listLength, numbers.count)]))
    }
  }

  /// Returns the ranges of consecutive numbers; nil if the numbers are not ascending, or if there are too many
  /// ranges.
  private static func ranges(of numbers: [Int64]) -> [ClosedRange<Int64>]? {
    let limit = max(1, numbers.count / runLength)
    var ranges: [ClosedRange<Int64>] = []
    var (first, last) = (numbers[0], numbers[0])
    for number in numbers.dropFirst() {
      if number == last + 1 {
        last = number
        continue
      }
      if number <= last || ranges.count + 1 == limit { return nil }
      ranges.append(first...last)
      (first, last) = (number, number)
    }
    return ranges + [first...last]
  }
}

extension PreparedStatement {
  /// Binds the keys to the parameters of this statement; the parameters must have the form of the keys.
  func bind(_ keys: KeyNumbers) throws {
    switch keys {
    case .one(let number): try bind(number, at: 1)
    case .range(let range):
      try bind(range.lowerBound, at: 1)
      try bind(range.upperBound, at: 2)
    case .list(let numbers): try bind(.text(JSONList.text(numbers)), at: 1)
    }
  }
}

/// The positions of primary keys in a list.
struct KeyPlaces {
  private let first: Int64
  /// The number of keys if the keys are consecutive; otherwise nil.
  private let length: Int?
  private var places: [Int64: Int] = [:]
  /// Whether each key occurs only once in the list.
  let areUnique: Bool

  /// `parts` is the result of `KeyNumbers.parts(of:listLength:)` for `numbers`.
  init(of numbers: [Int64], in parts: [KeyNumbers]) {
    first = numbers.first ?? 0
    switch parts.count == 1 ? parts[0] : nil {
    case .one?, .range?:
      length = numbers.count
      areUnique = true
      return
    case .list?, nil: length = nil
    }
    places.reserveCapacity(numbers.count)
    for (place, number) in numbers.enumerated() { places[number] = place }
    areUnique = places.count == numbers.count
  }

  /// The last position of a key; nil if the key is not in the list.
  subscript(_ number: Int64) -> Int? {
    guard let length else { return places[number] }
    let place = number - first
    return place >= 0 && place < length ? Int(place) : nil
  }
}
