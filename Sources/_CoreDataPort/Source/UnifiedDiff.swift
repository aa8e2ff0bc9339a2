// SPDX-License-Identifier: Apache-2.0

/// The difference between a source and its rewriting, as a patch.
package struct UnifiedDiff {
  /// A range of lines that the edits replace.
  private struct Change {
    /// The indexes of the replaced lines in the old text.
    var old: Range<Int>
    var new: [ArraySlice<UInt8>]
  }

  private let path: String
  private let lines: [ArraySlice<UInt8>]
  private var changes: [Change] = []
  private static let context = 3

  /// Creates the difference of a source and its rewriting.
  package init(_ source: PortedSource) {
    path = source.path
    lines = Self.lines(of: source.bytes[...])
    var starts: [Int] = []
    for line in lines { starts.append(line.startIndex) }
    let edits = SourceEdit.sorted(source.edits)
    var index = 0
    while index < edits.count {
      var first = Self.line(of: edits[index].range.lowerBound, starts)
      var last = Self.line(of: edits[index].range.upperBound, starts)
      var group = [edits[index]]
      index += 1
      while index < edits.count, Self.line(of: edits[index].range.lowerBound, starts) <= last {
        last = max(last, Self.line(of: edits[index].range.upperBound, starts))
        group.append(edits[index])
        index += 1
      }
      first = min(first, lines.count)
      let range = starts[first]..<lines[last].endIndex
      let shifted = group.map { edit in
        SourceEdit(
          edit.range.lowerBound - range.lowerBound..<edit.range.upperBound - range.lowerBound,
          edit.replacement
        )
      }
      let new = SourceEdit.apply(shifted, to: Array(source.bytes[range]))
      append(Change(old: first..<last + 1, new: Self.lines(of: new[...])))
    }
  }

  /// Appends the parts of a change in which the old and new lines differ.
  private mutating func append(_ change: Change) {
    let equal = Self.commonLines(lines[change.old], change.new[...])
    var old = change.old.lowerBound
    var new = 0
    for pair in equal + [(change.old.upperBound, change.new.count)] {
      if old < pair.0 || new < pair.1 {
        join(Change(old: old..<pair.0, new: Array(change.new[new..<pair.1])))
      }
      old = pair.0 + 1
      new = pair.1 + 1
    }
  }

  /// Appends a change, or extends the last one if no line is between them.
  private mutating func join(_ change: Change) {
    if let last = changes.indices.last, changes[last].old.upperBound == change.old.lowerBound {
      let start = changes[last].old.lowerBound
      changes[last].old = start..<change.old.upperBound
      changes[last].new += change.new
    } else {
      changes.append(change)
    }
  }

  /// Returns a longest common subsequence of lines, as pairs of an old index and a new index.
  ///
  /// - Complexity: the product of the numbers of lines, which are few, because edits are small.
  private static func commonLines(
    _ old: ArraySlice<ArraySlice<UInt8>>,
    _ new: ArraySlice<ArraySlice<UInt8>>
  ) -> [(Int, Int)] {
    let width = new.count + 1
    var lengths = [Int](repeating: 0, count: (old.count + 1) * width)
    for row in old.indices.reversed() {
      for column in new.indices.reversed() {
        let place = (row - old.startIndex) * width + column - new.startIndex
        lengths[place] =
          old[row] == new[column]
          ? lengths[place + width + 1] + 1 : max(lengths[place + width], lengths[place + 1])
      }
    }
    var pairs: [(Int, Int)] = []
    var row = old.startIndex
    var column = new.startIndex
    while row < old.endIndex, column < new.endIndex {
      let place = (row - old.startIndex) * width + column - new.startIndex
      if old[row] == new[column] {
        pairs.append((row, column))
        row += 1
        column += 1
      } else if lengths[place + width] >= lengths[place + 1] {
        row += 1
      } else {
        column += 1
      }
    }
    return pairs
  }

  /// Returns the index of the line that contains an offset.
  private static func line(of offset: Int, _ starts: [Int]) -> Int {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return low
  }

  /// Returns the lines of a text with their line breaks.
  private static func lines(of bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var rest = bytes
    while let end = rest.firstIndex(of: 10) {
      lines.append(rest[...end])
      rest = rest[(end + 1)...]
    }
    if !rest.isEmpty { lines.append(rest) }
    return lines
  }

  // MARK: Text

  /// The patch in the form that `patch -p1` and `git apply` read; empty if the texts are equal.
  package var text: String {
    if changes.isEmpty { return "" }
    var bytes = Array("--- a/\(path)\n+++ b/\(path)\n".utf8)
    var shift = 0
    for hunk in hunks { bytes += text(of: hunk, shift: &shift) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The changes, grouped so that changes whose context lines touch or overlap are in one hunk.
  private var hunks: [[Change]] {
    var groups: [[Change]] = []
    for change in changes {
      if let last = groups.last?.last,
        change.old.lowerBound - last.old.upperBound <= 2 * Self.context
      {
        groups[groups.count - 1].append(change)
      } else {
        groups.append([change])
      }
    }
    return groups
  }

  private func text(of hunk: [Change], shift: inout Int) -> [UInt8] {
    guard let first = hunk.first, let last = hunk.last else { return [] }
    let start = max(0, first.old.lowerBound - Self.context)
    let end = min(lines.count, last.old.upperBound + Self.context)
    let gained = hunk.reduce(0) { $0 + $1.new.count - $1.old.count }
    var bytes: [UInt8] = []
    var position = start
    for change in hunk {
      for line in lines[position..<change.old.lowerBound] { bytes += marked(" ", line) }
      for line in lines[change.old] { bytes += marked("-", line) }
      for line in change.new { bytes += marked("+", line) }
      position = change.old.upperBound
    }
    for line in lines[position..<end] { bytes += marked(" ", line) }
    let old = Self.header(start, end - start)
    let new = Self.header(start + shift, end - start + gained)
    shift += gained
    return Array("@@ -\(old) +\(new) @@\n".utf8) + bytes
  }

  private static func header(_ start: Int, _ count: Int) -> String {
    let first = count == 0 ? start : start + 1
    return count == 1 ? "\(first)" : "\(first),\(count)"
  }

  private func marked(_ mark: String, _ line: ArraySlice<UInt8>) -> [UInt8] {
    let text = Array(mark.utf8) + line
    return line.last == 10 ? text : text + Array("\n\\ No newline at end of file\n".utf8)
  }
}
