// SPDX-License-Identifier: Apache-2.0

import _CoreDataCodeGeneration

/// A source file, prepared for the rules.
struct PortText {
  let bytes: [UInt8]
  let declarations: SourceDeclarations
  /// The tokens of the file, followed by the tokens of each interpolation in its strings.
  let codes: [SwiftTokens]
  /// The line on which the first unterminated string or comment begins; nil if all are terminated.
  let unfinishedLine: Int?
  /// Whether the file contains `#selector` outside of interpolations.
  let hasSelector: Bool
  /// The ranges in `#if` branches that are not compiled on Linux.
  private let excluded: [Range<Int>]
  let newline: String

  init(_ bytes: [UInt8], declarations: SourceDeclarations) {
    self.bytes = bytes
    self.declarations = declarations
    let main = SwiftLexer.tokens(of: bytes)
    codes =
      [main]
      + main.interpolations.map { SwiftTokens(bytes: bytes, tokens: $0, unfinishedLine: nil) }
    unfinishedLine = main.unfinishedLine
    hasSelector = main.tokens.contains {
      $0.kind == .punctuation && $0.first == 35 && main.text($0) == "#selector"
    }
    excluded = Self.excludedRanges(main)
    let first = bytes.firstIndex(of: 10)
    newline = first.map { $0 > 0 && bytes[$0 - 1] == 13 } == true ? "\r\n" : "\n"
  }

  private static func excludedRanges(_ source: SwiftTokens) -> [Range<Int>] {
    var conditions = ConditionStack()
    var ranges: [Range<Int>] = []
    var start: Int?
    for token in source.tokens where token.kind == .condition || token.kind == .end {
      if token.kind == .condition { conditions.apply(source.text(token)) }
      let isExcluded = token.kind == .condition && ConditionEvaluator.excludes(conditions.current)
      if let begin = start, !isExcluded {
        ranges.append(begin..<token.start)
        start = nil
      } else if start == nil, isExcluded {
        start = token.end
      }
    }
    return ranges
  }

  /// Returns whether the text at the offset is not compiled on Linux.
  func isExcluded(_ offset: Int) -> Bool { excluded.contains { $0.contains(offset) } }

  /// Returns the spaces and tabs with which the line of an offset begins.
  func indentation(at offset: Int) -> String {
    let start = lineStart(of: offset)
    return String(decoding: bytes[start...].prefix { $0 == 32 || $0 == 9 }, as: UTF8.self)
  }

  /// Returns the offset of the first byte of the line.
  func lineStart(of offset: Int) -> Int {
    let start = bytes[..<offset].lastIndex(of: 10).map { $0 + 1 } ?? 0
    return start == 0 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : start
  }

  /// Returns the offset of the first byte of a line that is counted from 1.
  func offset(ofLine line: Int) -> Int {
    var current = 1
    for (place, byte) in bytes.enumerated() {
      if current == line { return place }
      if byte == 10 { current += 1 }
    }
    return bytes.count
  }

  /// Returns the offset of the line break that ends the line, or of the end of the file.
  func lineEnd(of offset: Int) -> Int {
    guard let end = bytes[offset...].firstIndex(of: 10) else { return bytes.count }
    return end > offset && bytes[end - 1] == 13 ? end - 1 : end
  }

  /// Returns the offset of the first byte from `offset` that is not a space or tab.
  func skipBlanks(_ offset: Int) -> Int {
    bytes[offset...].firstIndex { $0 != 32 && $0 != 9 } ?? bytes.count
  }

  /// Returns the offset after the last byte before `offset` that is not a space or tab.
  func skipBlanksBackward(_ offset: Int) -> Int {
    (bytes[..<offset].lastIndex { $0 != 32 && $0 != 9 } ?? -1) + 1
  }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// Returns whether the text that the edits of a finding replace contains no comment.
  func keepsComments(_ finding: PortFinding) -> Bool {
    finding.edits.allSatisfy { edit in
      let replaced = text(edit.range)
      return !["//", "/*", "*/"].contains { replaced.contains($0) }
    }
  }

  /// Returns the innermost type or extension whose body contains the offset; nil outside of types.
  func type(at offset: Int) -> TypeDeclaration? {
    var found: TypeDeclaration?
    var types = declarations.types
    while let inner = types.first(where: { $0.body?.contains(offset) == true }) {
      found = inner
      types = inner.members
    }
    return found
  }
}
