// SPDX-License-Identifier: Apache-2.0

/// A source file, the findings in it, and its text after the rewriting.
package struct PortedSource: Sendable {
  /// A line and a column, both from 1; the column counts bytes, as in the compiler's messages.
  package struct Position: Hashable, Sendable {
    package let line: Int
    package let column: Int
  }

  package let path: String
  package let bytes: [UInt8]
  /// The findings in the order of the text.
  package let findings: [PortFinding]
  /// Whether the file uses Core Data or a managed object class.
  package let usesCoreData: Bool

  package var edits: [SourceEdit] { findings.flatMap(\.edits) }

  /// The text after the rewriting; `bytes` if there is nothing to rewrite.
  package var result: [UInt8] { SourceEdit.apply(edits, to: bytes) }

  /// Returns the position of an offset in the original text.
  package func position(of offset: Int) -> Position { Self.position(of: offset, in: bytes) }

  /// Returns the position in `result` of an offset in the original text that no edit replaces.
  package func positionInResult(of offset: Int) -> Position {
    let before = edits.filter { $0.range.upperBound <= offset }
    let shift = before.reduce(0) { $0 + $1.replacement.utf8.count - $1.range.count }
    return Self.position(of: offset + shift, in: result)
  }

  private static func position(of offset: Int, in bytes: [UInt8]) -> Position {
    var line = 1
    var start = 0
    for place in bytes.indices.prefix(offset) where bytes[place] == UInt8(ascii: "\n") {
      line += 1
      start = place + 1
    }
    return Position(line: line, column: offset - start + 1)
  }
}
