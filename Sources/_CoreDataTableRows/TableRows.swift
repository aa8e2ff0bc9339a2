// SPDX-License-Identifier: Apache-2.0

/// Simulates a table view that applies batches of changes as `UITableView` does.
///
/// Inconsistent batches are rejected, with UIKit's messages where they exist. A row is any value that
/// identifies an object. The order of changes within a batch does not matter. Positions of deletions, of
/// updates and of sources of moves refer to the table before the batch; positions of insertions and of
/// targets of moves refer to the table after the batch.
package struct TableRows<Row: Hashable> {
  package var sections: [[Row]]

  package init(_ sections: [[Row]]) { self.sections = sections }

  package struct Path: Hashable, Comparable {
    package var section: Int
    package var row: Int
    package init(_ section: Int, _ row: Int) {
      self.section = section
      self.row = row
    }
    fileprivate var text: String { "row \(row) in section \(section)" }

    package static func < (left: Path, right: Path) -> Bool {
      (left.section, left.row) < (right.section, right.row)
    }
  }

  /// The changes that a delegate receives between its will-change and did-change calls.
  package struct Batch {
    package var deletedSections: [Int] = []
    package var insertedSections: [Int] = []
    package var deletions: [Path] = []
    package var insertions: [(path: Path, row: Row)] = []
    package var moves: [(from: Path, to: Path)] = []
    package var updates: [(path: Path, row: Row)] = []
    package init() {}
  }

  package struct InvalidUpdate: Error, CustomStringConvertible {
    package let description: String
  }

  /// Applies `batch`; `counts` contains the number of rows that the data source reports for each section
  /// after the batch.
  ///
  /// - Throws: `InvalidUpdate` for inconsistent changes; the table is then not changed.
  package mutating func apply(_ batch: Batch, counts: [Int]) throws {
    try check(batch, counts)
    var rows = sections.map { $0.map(Optional.some) }
    var placed = batch.insertions.map { (path: $0.path, row: $0.row) }
    for path in batch.deletions { rows[path.section][path.row] = nil }
    for move in batch.moves {
      if let row = rows[move.from.section][move.from.row] { placed.append((move.to, row)) }
      rows[move.from.section][move.from.row] = nil
    }
    var result = rows.map { $0.compactMap { $0 } }
    for section in batch.deletedSections.sorted(by: >) { result.remove(at: section) }
    for section in batch.insertedSections.sorted() { result.insert([], at: section) }
    for (path, row) in placed.sorted(by: { $0.path < $1.path }) {
      guard path.row <= result[path.section].count else {
        throw InvalidUpdate(
          description:
            "attempt to insert or move a row to \(path.text), but after the batch this section would have "
            + "only \(Self.rows(result[path.section].count)) above that row"
        )
      }
      result[path.section].insert(row, at: path.row)
    }
    sections = result
  }

  private static func rows(_ count: Int) -> String { count == 1 ? "1 row" : "\(count) rows" }

  // MARK: Checks

  private func check(_ batch: Batch, _ counts: [Int]) throws {
    try checkSections(batch, counts.count)
    try checkSources(batch)
    try checkTargets(batch, counts)
    try checkCounts(batch, counts)
  }

  private func checkSections(_ batch: Batch, _ count: Int) throws {
    let deleted = Set(batch.deletedSections)
    let inserted = Set(batch.insertedSections)
    for (changes, verb) in [(batch.deletedSections, "delete"), (batch.insertedSections, "insert")] {
      var seen: Set<Int> = []
      if let section = changes.first(where: { !seen.insert($0).inserted }) {
        throw InvalidUpdate(description: "attempt to \(verb) section \(section) twice")
      }
    }
    if let section = deleted.first(where: { !sections.indices.contains($0) }) {
      throw InvalidUpdate(
        description: "attempt to delete section \(section), but there are only \(sections.count) "
          + "sections before the update"
      )
    }
    if let section = inserted.first(where: { $0 < 0 || $0 >= count }) {
      throw InvalidUpdate(
        description: "attempt to insert section \(section) but there are only \(count) sections "
          + "after the update"
      )
    }
    guard sections.count - deleted.count + inserted.count == count else {
      throw InvalidUpdate(
        description:
          "Invalid update: invalid number of sections.  The number of sections contained "
          + "in the table view after the update (\(count)) must be equal to the number of sections "
          + "contained in the table view before the update (\(sections.count)), plus or minus the "
          + "number of sections inserted or deleted (\(inserted.count) inserted, \(deleted.count) "
          + "deleted)."
      )
    }
  }

  private func checkSources(_ batch: Batch) throws {
    var seen = Set<Path>()
    let sources =
      batch.deletions.map { ($0, "delete") } + batch.moves.map { ($0.from, "move") }
      + batch.updates.map { ($0.path, "reload") }
    for (path, verb) in sources {
      guard sections.indices.contains(path.section) else {
        throw InvalidUpdate(
          description: "attempt to \(verb) row \(path.row) from section \(path.section), but there "
            + "are only \(sections.count) sections before the update"
        )
      }
      guard sections[path.section].indices.contains(path.row) else {
        throw InvalidUpdate(
          description: "attempt to \(verb) row \(path.row) from section \(path.section) which only "
            + "contains \(sections[path.section].count) rows before the update"
        )
      }
      guard seen.insert(path).inserted else {
        throw InvalidUpdate(
          description:
            "attempt to \(verb) \(path.text), which another change of the batch also deletes, moves "
            + "or reloads"
        )
      }
    }
    for (path, row) in batch.updates where sections[path.section][path.row] != row {
      throw InvalidUpdate(
        description:
          "attempt to reload \(path.text) with the object \(row), but the row has the object "
          + "\(sections[path.section][path.row])"
      )
    }
  }

  private func checkTargets(_ batch: Batch, _ counts: [Int]) throws {
    var seen = Set<Path>()
    let targets =
      batch.insertions.map { ($0.path, "insert") } + batch.moves.map { ($0.to, "move") }
    for (path, verb) in targets {
      guard counts.indices.contains(path.section) else {
        throw InvalidUpdate(
          description: "attempt to \(verb) row \(path.row) into section \(path.section), but there "
            + "are only \(counts.count) sections after the update"
        )
      }
      guard path.row >= 0, path.row < counts[path.section] else {
        throw InvalidUpdate(
          description: "attempt to \(verb) row \(path.row) into section \(path.section), but there "
            + "are only \(counts[path.section]) rows in section \(path.section) after the update"
        )
      }
      guard seen.insert(path).inserted else {
        throw InvalidUpdate(
          description: "attempt to insert or move two rows to \(path.text)"
        )
      }
    }
  }

  private func checkCounts(_ batch: Batch, _ counts: [Int]) throws {
    let deleted = Set(batch.deletedSections)
    let inserted = Set(batch.insertedSections)
    let kept = sections.indices.filter { !deleted.contains($0) }
    let targets = counts.indices.filter { !inserted.contains($0) }
    let insertions = Dictionary(grouping: batch.insertions, by: \.path.section).mapValues(\.count)
    let deletions = Dictionary(grouping: batch.deletions, by: \.section).mapValues(\.count)
    let movedIn = Dictionary(grouping: batch.moves, by: \.to.section).mapValues(\.count)
    let movedOut = Dictionary(grouping: batch.moves, by: \.from.section).mapValues(\.count)
    for (old, new) in zip(kept, targets) {
      let before = sections[old].count
      let came = insertions[new] ?? 0
      let went = deletions[old] ?? 0
      let arrived = movedIn[new] ?? 0
      let left = movedOut[old] ?? 0
      guard before + came - went + arrived - left == counts[new] else {
        throw InvalidUpdate(
          description: "Invalid update: invalid number of rows in section \(new).  The number of "
            + "rows contained in an existing section after the update (\(counts[new])) must be equal "
            + "to the number of rows contained in that section before the update (\(before)), plus "
            + "or minus the number of rows inserted or deleted from that section (\(came) inserted, "
            + "\(went) deleted) and plus or minus the number of rows moved into or out of that "
            + "section (\(arrived) moved in, \(left) moved out)."
        )
      }
    }
  }
}
