// SPDX-License-Identifier: Apache-2.0

/// A section of a results list: its name and its rows, in blocks.
///
/// The instance stays the same while the list contains the section, and always has the current rows. The
/// instance is also the section's first block, so that a section with few rows needs only one allocation.
package final class ResultsSection: ResultsLeaf {
  package let name: String
  private var sectionIndex: Int32
  private var task: Int32 = -1
  /// The blocks after the first block; between rounds, each of these blocks has rows.
  private(set) var others: ContiguousArray<ResultsLeaf> = []

  init(name: String, index: Int, id: UInt32) {
    self.name = name
    sectionIndex = Int32(index)
    super.init(id: id)
  }

  /// The index among the list's sections; a deleted section keeps its last index.
  package internal(set) var index: Int {
    get { Int(sectionIndex) }
    set { sectionIndex = Int32(newValue) }
  }

  /// The index of the section's `SectionWork` in the current round; -1 if there is none.
  var work: Int {
    get { Int(task) }
    set { task = Int32(newValue) }
  }

  /// The number of rows; 0 after the section was deleted.
  package var count: Int {
    let last = others.last ?? self
    return last.start + last.objects.count
  }

  // MARK: Blocks

  /// The blocks in order; the first block is the section itself, and is empty only if the section is empty.
  var leaves: Leaves { Leaves(section: self) }

  struct Leaves: RandomAccessCollection {
    fileprivate let section: ResultsSection
    var startIndex: Int { 0 }
    var endIndex: Int { section.others.count + 1 }
    subscript(index: Int) -> ResultsLeaf { index == 0 ? section : section.others[index - 1] }
  }

  /// Replaces the blocks after the first, and updates the start of each block.
  func setOthers(_ leaves: ContiguousArray<ResultsLeaf>) {
    if !(others.isEmpty && leaves.isEmpty) { others = leaves }
    renumber()
  }

  /// Updates the start of each block after the first.
  func renumber() {
    var row = objects.count
    for leaf in others {
      leaf.start = row
      row += leaf.objects.count
    }
  }

  /// Removes all blocks and rows of the section, but does not update the list.
  func empty() {
    objects = ResultRows()
    others = []
  }

  // MARK: Rows

  /// Returns the object in a row; stops the program if the row is outside `0..<count`.
  ///
  /// - Complexity: O(log n).
  package subscript(row: Int) -> AnyObject {
    precondition(
      row >= 0 && row < count,
      "row \(row) is outside the section's rows 0..<\(count)"
    )
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

  /// Returns the index of the last leaf that starts at or before `row`.
  func leafIndex(_ row: Int) -> Int {
    var low = 0
    var high = leaves.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if leaves[middle].start <= row { low = middle } else { high = middle }
    }
    return low
  }

  /// Returns the first row in `range` whose object does not satisfy `isBefore`, or the end of `range`.
  ///
  /// Rows whose objects satisfy `isBefore` must precede all others. The method calls `isBefore` O(log n)
  /// times or, if `galloping` is true, O(log d) times, where d is the distance of the result from the start
  /// of `range`.
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
  /// The maximum number of rows in a block between rounds.
  static let limit = 512
  /// The maximum number of rows in a new block.
  static let fill = 384

  /// The index at which the list stores the block; never 0, because an empty cell of a `LeafTable` is 0.
  final let id: UInt32
  private final var firstRow: Int32 = 0
  // Unsafe, because a safe reference would make every later retain of a section slower. The reference stays
  // valid, because the section owns the leaf and outlives it. It is nil if the leaf is the section itself.
  private unowned(unsafe) final let owner: ResultsSection?
  /// The objects of the rows; a list that owns its objects retains each of them once.
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
    // A leaf without an owner is a section, because only `ResultsSection` calls `init(id:)`, which sets no
    // owner.
    owner ?? unsafeDowncast(self, to: ResultsSection.self)
  }

  /// The index in the section of the block's first row.
  final var start: Int {
    get { Int(firstRow) }
    set { firstRow = Int32(newValue) }
  }
}
