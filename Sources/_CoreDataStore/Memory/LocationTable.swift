// SPDX-License-Identifier: Apache-2.0

/// The places of the rows of one entity hierarchy, by primary key.
///
/// Consecutive keys are indexes of an array. A key that is far above all others, as a damaged file can
/// contain, is in a dictionary, because the array would become too large.
struct LocationTable: Sendable {
  typealias Location = MemoryState.Location

  private var dense: [Location] = [.none]
  /// Key → place, for keys beyond the end of `dense`; keys without a row are left out.
  private var sparse: [Int64: Location] = [:]

  /// The array always grows for a key that exceeds the array's size by less than this number.
  private static let gap = 1 << 16

  /// Returns the place of a row; `Location.none` if there is no row with the key.
  subscript(number: Int64) -> Location {
    get {
      if number > 0, number < Int64(dense.count) { return dense[Int(number)] }
      return sparse.isEmpty ? .none : sparse[number] ?? .none
    }
    set {
      if number < Int64(dense.count) {
        dense[Int(number)] = newValue
      } else if number < Int64(dense.count) * 4 + Int64(Self.gap) {
        grow(to: Int(number))
        dense[Int(number)] = newValue
      } else {
        sparse[number] = newValue.isSet ? newValue : nil
      }
    }
  }

  /// Calls `body` with the key and the place of each row, in ascending order of the keys.
  func forEach(_ body: (Int64, Location) throws -> Void) rethrows {
    for (number, location) in dense.enumerated() where location.isSet {
      try body(Int64(number), location)
    }
    for number in sparse.keys.sorted() { try body(number, self[number]) }
  }

  private mutating func grow(to number: Int) {
    dense.append(contentsOf: repeatElement(.none, count: number + 1 - dense.count))
    if sparse.isEmpty { return }
    for (key, location) in sparse where key < Int64(dense.count) {
      dense[Int(key)] = location
      sparse[key] = nil
    }
  }
}
