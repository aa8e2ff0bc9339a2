// SPDX-License-Identifier: Apache-2.0

/// A hash table that maps a name to its section, with open addressing and eight bytes per cell.
///
/// The list retains the sections; the table holds unretained references.
struct SectionTable {
  // The unmanaged references are valid, because a section is removed from the table before it is released.
  private var cells: ContiguousArray<Unmanaged<ResultsSection>?>
  private var count = 0

  init() { cells = [] }

  init(minimumCapacity: Int) {
    self.init()
    if minimumCapacity > 0 { resize(for: minimumCapacity) }
  }

  /// The section with the given name; setting nil removes the entry for that name.
  subscript(name: String) -> ResultsSection? {
    get {
      if cells.isEmpty { return nil }
      return cells[index(of: name)]?.takeUnretainedValue()
    }
    set {
      if let newValue { insert(newValue) } else { remove(name) }
    }
  }

  private mutating func insert(_ section: ResultsSection) {
    if (count + 1) * 5 > cells.count * 4 { resize(for: count + 1) }
    let index = index(of: section.name)
    if cells[index] == nil { count += 1 }
    cells[index] = .passUnretained(section)
  }

  private mutating func remove(_ name: String) {
    if cells.isEmpty { return }
    var hole = index(of: name)
    if cells[hole] == nil { return }
    let mask = cells.count - 1
    count -= 1
    // Later cells of the run move into the hole, because a search stops at the first empty cell.
    var index = (hole + 1) & mask
    while let section = cells[index]?.takeUnretainedValue() {
      let home = section.name.hashValue & mask
      if (index - home) & mask >= (index - hole) & mask {
        cells[hole] = cells[index]
        hole = index
      }
      index = (index + 1) & mask
    }
    cells[hole] = nil
  }

  /// Returns the index of the cell that holds the section with the given name or, if there is no such
  /// section, the index of the empty cell for it.
  private func index(of name: String) -> Int {
    let mask = cells.count - 1
    var index = name.hashValue & mask
    while let section = cells[index]?.takeUnretainedValue(),
      !SectionNames.areSame(section.name, name)
    {
      index = (index + 1) & mask
    }
    return index
  }

  private mutating func resize(for count: Int) {
    var size = 4
    while size * 4 < count * 5 { size *= 2 }
    let old = cells
    cells = ContiguousArray(repeating: nil, count: size)
    for case let section? in old {
      cells[index(of: section.takeUnretainedValue().name)] = section
    }
  }
}
