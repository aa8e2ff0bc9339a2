// SPDX-License-Identifier: Apache-2.0

/// Source text that Swift on Linux refuses.
package struct PortFinding: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    /// The edits make the text build on Linux and on Apple's systems.
    case rewritten([SourceEdit])
    /// The text must be changed by hand.
    case left
  }

  /// The byte offsets of the text; empty if the text must be changed by hand.
  package let range: Range<Int>
  package let outcome: Outcome
  /// A description of the replacement, or advice for a change by hand.
  package let message: String
  /// Whether the finding prevents the whole file from being built on Linux.
  var concernsWholeFile = false

  /// The offset of the first byte of the text.
  package var offset: Int { range.lowerBound }

  package var edits: [SourceEdit] {
    if case .rewritten(let edits) = outcome { edits } else { [] }
  }

  package var isLeft: Bool { outcome == .left }

  static func rewritten(
    _ range: Range<Int>,
    _ message: String,
    _ edits: [SourceEdit]
  ) -> PortFinding {
    PortFinding(range: range, outcome: .rewritten(edits), message: message)
  }

  static func left(_ offset: Int, _ message: String) -> PortFinding {
    PortFinding(range: offset..<offset, outcome: .left, message: message)
  }

  /// This finding, left for a change by hand, because its edits would remove a comment.
  var losingComment: PortFinding {
    .left(
      offset,
      message + ": change the code by hand, because the automatic change would remove a comment"
    )
  }

  /// Returns the findings in the order of the text, without those that begin inside an earlier finding.
  ///
  /// Findings whose edits overlap are left for a change by hand.
  static func sorted(_ findings: [PortFinding]) -> [PortFinding] {
    var result: [PortFinding] = []
    for finding in findings.sorted(by: { $0.offset < $1.offset }) {
      if let last = result.last, last.range.contains(finding.offset) { continue }
      result.append(finding)
    }
    let edits = result.enumerated().flatMap { place, finding in
      finding.edits.map { (place: place, range: $0.range) }
    }.sorted {
      ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
    }
    var overlapping: Set<Int> = []
    var widest = edits.first
    for edit in edits.dropFirst() {
      if let other = widest, edit.range.lowerBound < other.range.upperBound {
        overlapping.formUnion([edit.place, other.place])
      }
      if edit.range.upperBound >= widest?.range.upperBound ?? 0 { widest = edit }
    }
    for place in overlapping {
      result[place] = .left(
        result[place].offset,
        result[place].message + ": write the code on a line of its own, and port again"
      )
    }
    return result
  }
}
