// SPDX-License-Identifier: Apache-2.0

/// A replacement of bytes in a source file.
package struct SourceEdit: Hashable, Sendable {
  /// The bytes that are replaced; empty for an insertion.
  package let range: Range<Int>
  package let replacement: String

  package init(_ range: Range<Int>, _ replacement: String) {
    self.range = range
    self.replacement = replacement
  }

  /// Returns the bytes with the edits applied.
  ///
  /// The ranges must not overlap. Insertions at the same offset are applied in the order of the array.
  package static func apply(_ edits: [SourceEdit], to bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + edits.count * 40)
    var position = 0
    for edit in sorted(edits) {
      result += bytes[position..<edit.range.lowerBound]
      result += Array(edit.replacement.utf8)
      position = edit.range.upperBound
    }
    return result + bytes[position...]
  }

  /// Returns the edits in the order of their ranges.
  static func sorted(_ edits: [SourceEdit]) -> [SourceEdit] {
    edits.enumerated().sorted { left, right in
      (left.element.range.lowerBound, left.element.range.upperBound, left.offset)
        < (right.element.range.lowerBound, right.element.range.upperBound, right.offset)
    }.map(\.element)
  }
}
