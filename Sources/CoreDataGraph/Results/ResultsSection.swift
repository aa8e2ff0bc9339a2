// SPDX-License-Identifier: Apache-2.0

/// A section of a results list: its name and its rows, in blocks.
///
/// It stays the same object for as long as the list has it, and shows the list's present rows.
package final class ResultsSection {
  package let name: String
  /// Place among the list's sections; kept after the section went.
  package internal(set) var index: Int
  /// Number of rows; 0 after the section went.
  package internal(set) var count = 0
  /// Never an empty one between rounds.
  var leaves: ContiguousArray<ResultsLeaf> = []
  /// Index of the section's work in the running round, -1 outside.
  var work = -1

  init(name: String, index: Int) {
    self.name = name
    self.index = index
  }

  /// The object in a row.
  ///
  /// A row outside `0..<count` is a programmer's error and stops the program.
  /// - Complexity: O(log n).
  package subscript(row: Int) -> AnyObject {
    precondition(row >= 0 && row < count, "row \(row) of a section of \(count) rows")
    let leaf = leaves[leafIndex(row)]
    return leaf.objects[row - leaf.start].takeUnretainedValue()
  }

  /// Calls `body` with every object, in order.
  package func forEach(_ body: (AnyObject) throws -> Void) rethrows {
    for leaf in leaves {
      for object in leaf.objects { try body(object.takeUnretainedValue()) }
    }
  }

  /// Index of the last leaf that starts at or before `row`; 0 for a section of no or one leaf.
  func leafIndex(_ row: Int) -> Int {
    var low = 0
    var high = leaves.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if leaves[middle].start <= row { low = middle } else { high = middle }
    }
    return low
  }

  /// The first row of `range` that does not come before a wanted place, where all rows that do come
  /// first; asks O(log n) times.
  ///
  /// Galloping asks O(log d) times for a place `d` rows behind the start of the range.
  func partition(
    _ range: Range<Int>,
    galloping: Bool,
    isBefore: (AnyObject) -> Bool
  ) -> Int {
    guard galloping else { return partition(range, isBefore: isBefore) }
    var low = range.lowerBound
    var step = 1
    while low + step <= range.upperBound {
      let probe = low + step - 1
      if !isBefore(self[probe]) { return partition(low..<probe, isBefore: isBefore) }
      low = probe + 1
      step *= 2
    }
    return partition(low..<range.upperBound, isBefore: isBefore)
  }

  private func partition(_ range: Range<Int>, isBefore: (AnyObject) -> Bool) -> Int {
    if range.isEmpty { return range.lowerBound }
    var low = leafIndex(range.lowerBound)
    var high = leafIndex(range.upperBound - 1) + 1
    while high - low > 1 {
      let middle = (low + high) / 2
      if isBefore(leaves[middle].objects[0].takeUnretainedValue()) {
        low = middle
      } else {
        high = middle
      }
    }
    let leaf = leaves[low]
    var first = max(range.lowerBound, leaf.start)
    var last = min(range.upperBound, leaf.start + leaf.objects.count)
    while first < last {
      let middle = (first + last) / 2
      if isBefore(leaf.objects[middle - leaf.start].takeUnretainedValue()) {
        first = middle + 1
      } else {
        last = middle
      }
    }
    return first
  }
}

/// A block of consecutive rows of one section.
final class ResultsLeaf {
  /// Rows in a block at most, between rounds.
  static let limit = 512
  /// Rows in a block that is built.
  static let fill = 384

  /// Number by which the list finds it; from 1.
  let id: UInt32
  // Unsafe because a safe reference would make every later retain of a section dearer; the section
  // owns the leaf and outlives it.
  unowned(unsafe) let section: ResultsSection
  /// Row of the first object.
  var start = 0
  /// The list holds one reference to each.
  var objects: ContiguousArray<Unmanaged<AnyObject>>

  init(id: UInt32, section: ResultsSection, objects: ContiguousArray<Unmanaged<AnyObject>>) {
    self.id = id
    self.section = section
    self.objects = objects
  }

  func index(of object: Unmanaged<AnyObject>) -> Int? {
    let wanted = object.toOpaque()
    return objects.withUnsafeBufferPointer { objects in
      for index in objects.indices where objects[index].toOpaque() == wanted { return index }
      return nil
    }
  }
}
