// SPDX-License-Identifier: Apache-2.0

/// A section of a results list: its name and its rows, in blocks.
///
/// It stays the same object for as long as the list has it, and shows the list's present rows. It is its
/// own first block, so that a section of few rows is one allocation.
package final class ResultsSection: ResultsLeaf {
  package let name: String
  private var place: Int32
  private var task: Int32 = -1
  /// The blocks behind the first; none of them is empty between rounds.
  private(set) var others: ContiguousArray<ResultsLeaf> = []

  init(name: String, index: Int, id: UInt32) {
    self.name = name
    place = Int32(index)
    super.init(id: id)
  }

  /// Place among the list's sections; kept after the section went.
  package internal(set) var index: Int {
    get { Int(place) }
    set { place = Int32(newValue) }
  }

  /// Index of the section's work in the running round, -1 outside.
  var work: Int {
    get { Int(task) }
    set { task = Int32(newValue) }
  }

  /// Number of rows; 0 after the section went.
  package var count: Int {
    let last = others.last ?? self
    return last.start + last.objects.count
  }

  // MARK: Blocks

  /// Its blocks in order; the first one, the section itself, is empty where the section is.
  var leaves: Leaves { Leaves(section: self) }

  struct Leaves: RandomAccessCollection {
    fileprivate let section: ResultsSection
    var startIndex: Int { 0 }
    var endIndex: Int { section.others.count + 1 }
    subscript(index: Int) -> ResultsLeaf { index == 0 ? section : section.others[index - 1] }
  }

  /// Takes other blocks behind the first, and counts the rows before each.
  func setOthers(_ leaves: ContiguousArray<ResultsLeaf>) {
    if !(others.isEmpty && leaves.isEmpty) { others = leaves }
    renumber()
  }

  /// Counts the rows before each block.
  func renumber() {
    var row = objects.count
    for leaf in others {
      leaf.start = row
      row += leaf.objects.count
    }
  }

  /// Lets go of the blocks and of the rows, without a word to the list.
  func empty() {
    objects = ResultRows()
    others = []
  }

  // MARK: Rows

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
      try leaf.objects.withElements { objects in
        for object in objects { try body(object.takeUnretainedValue()) }
      }
    }
  }

  /// Index of the last leaf that starts at or before `row`.
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
    let start = leaf.start
    let first = max(range.lowerBound, start) - start
    let last = min(range.upperBound, start + leaf.objects.count) - start
    return start + leaf.objects.partition(first..<last, isBefore)
  }
}

/// A block of consecutive rows of one section.
package class ResultsLeaf {
  /// Rows in a block at most, between rounds.
  static let limit = 512
  /// Rows in a block that is built.
  static let fill = 384

  /// Number by which the list finds it; from 1.
  final let id: UInt32
  private final var firstRow: Int32 = 0
  // Unsafe because a safe reference would make every later retain of a section dearer; the section
  // owns the leaf and outlives it. Nil for the section itself.
  private unowned(unsafe) final let owner: ResultsSection?
  /// The list holds one reference to each.
  final var objects = ResultRows()

  fileprivate init(id: UInt32) {
    self.id = id
    owner = nil
  }

  init(id: UInt32, section: ResultsSection, objects: ResultRows) {
    self.id = id
    owner = section
    self.objects = objects
  }

  final var section: ResultsSection {
    // A leaf without an owner is a section: nobody else can make one.
    owner ?? unsafeDowncast(self, to: ResultsSection.self)
  }

  /// Row of the first object.
  final var start: Int {
    get { Int(firstRow) }
    set { firstRow = Int32(newValue) }
  }
}
