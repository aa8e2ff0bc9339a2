// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A table of limited width, which formats rows as lines of text.
package struct TextTable {
  /// The names of the shown columns.
  package let columns: [String]
  /// The maximum number of terminal columns in a line; nil for no limit.
  package let width: Int?
  private var widths: [Int] = []
  private var isNumeric: [Bool] = []
  /// The text in the head that states how many columns are omitted; nil if all columns are shown.
  private let omission: String?

  /// Creates a table; the column names and the sample rows determine the column widths.
  ///
  /// `remedy` describes the option that selects columns. If it is not nil, the table omits columns that do
  /// not fit `width`, and the head then shows their number and `remedy`. The first column is always shown.
  package init(columns: [String], sample: [[Value]], width: Int?, remedy: String? = nil) {
    self.width = width
    var widths = columns.map(DisplayWidth.of)
    var numbers = columns.map { _ in true }
    var seen = columns.map { _ in false }
    for row in sample {
      for (index, value) in row.enumerated() {
        widths[index] = max(widths[index], DisplayWidth.of(Self.shown(value)))
        if value.isNull { continue }
        seen[index] = true
        if !CellText.isNumber(value) { numbers[index] = false }
      }
    }
    let names = columns.map(DisplayWidth.of)
    let (shown, omission) = Self.room(for: widths, in: width, remedy: remedy)
    self.columns = Array(columns.prefix(shown))
    self.omission = omission
    isNumeric = zip(numbers, seen).map { $0 && $1 }.prefix(shown).map { $0 }
    let left = width.map { $0 - (omission.map { DisplayWidth.of($0) + 2 } ?? 0) }
    self.widths = Self.fitted(Array(widths.prefix(shown)), names: names, into: left)
  }

  /// The width that a column must have to be shown, unless its contents need less.
  private static let readable = 12

  /// Returns the number of columns to show, and the text about the omitted columns; the text is nil if all
  /// columns are shown.
  private static func room(
    for natural: [Int],
    in width: Int?,
    remedy: String?
  ) -> (shown: Int, omission: String?) {
    guard let width, let remedy, natural.count > 1 else { return (natural.count, nil) }
    let needed = natural.map { min($0, readable) }
    if needed.reduce(0, +) + 2 * (needed.count - 1) <= width { return (natural.count, nil) }
    var used = 0
    var shown = 0
    while shown < needed.count - 1 {
      let omission = Self.omission(natural.count - shown - 1, remedy)
      if used + needed[shown] + 2 + DisplayWidth.of(omission) > width { break }
      used += needed[shown] + 2
      shown += 1
    }
    shown = max(1, shown)
    return (shown, Self.omission(natural.count - shown, remedy))
  }

  private static func omission(_ count: Int, _ remedy: String) -> String {
    "… \(CellText.count(count, "more column")) (\(remedy))"
  }

  /// Returns the column widths, reduced to fit `width`; the widest columns are narrowed first.
  ///
  /// The sum can still exceed `width`, because each column keeps a minimum width that depends on its name.
  static func fitted(_ natural: [Int], names: [Int], into width: Int?) -> [Int] {
    guard let width else { return natural }
    var widths = natural
    var excess = widths.reduce(0, +) + 2 * max(0, widths.count - 1) - width
    let floors = names.map { min($0, 8) }.map { max($0, 4) }
    while excess > 0 {
      let candidates = widths.indices.filter { widths[$0] > floors[$0] }
      guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { break }
      let second = candidates.filter { $0 != widest }.map { widths[$0] }.max() ?? 0
      let step = max(1, min(excess, widths[widest] - max(second, floors[widest])))
      widths[widest] -= step
      excess -= step
    }
    return widths
  }

  /// The two lines above the rows: the column names, and a rule below each name.
  package var head: [String] {
    let rules = widths.indices.map { index in
      // If the last column is aligned to the left, it can be very wide, so its rule is limited to 40
      // characters.
      let isOpen = index == widths.count - 1 && !isNumeric[index]
      return String(repeating: "─", count: isOpen ? min(widths[index], 40) : widths[index])
    }
    let line = line(columns, isHead: true)
    let gap = max(0, widths.reduce(0, +) + 2 * (widths.count - 1) - DisplayWidth.of(line))
    let tail = omission.map { String(repeating: " ", count: gap + 2) + $0 } ?? ""
    return [line + tail, rules.joined(separator: "  ")]
  }

  /// Returns a row as a line of the table, without a line feed.
  package func line(_ row: [Value]) -> String {
    line(row.prefix(columns.count).map(Self.shown), isHead: false)
  }

  private func line(_ texts: [String], isHead: Bool) -> String {
    var parts: [String] = []
    for (index, text) in texts.enumerated() {
      let isLast = index == texts.count - 1
      let shown = width == nil ? text : DisplayWidth.cut(text, to: widths[index])
      let padding = String(
        repeating: " ",
        count: max(0, widths[index] - DisplayWidth.of(shown))
      )
      parts.append(isNumeric[index] ? padding + shown : isLast ? shown : shown + padding)
    }
    let line = parts.joined(separator: "  ")
    return String(line.reversed().drop { $0 == " " }.reversed())
  }

  /// Returns a value as one line of text; symbols replace line breaks and control characters.
  static func shown(_ value: Value) -> String {
    let text = CellText.line(value)
    guard text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
      return text
    }
    return String(
      text.map { character in
        switch character {
        case "\n", "\r\n", "\r": "⏎"
        case "\t": "⇥"
        case _ where character.unicodeScalars.allSatisfy { $0.value < 0x20 || $0.value == 0x7F }:
          "·"
        default: character
        }
      }
    )
  }
}
