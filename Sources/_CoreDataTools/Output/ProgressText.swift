// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// How far long work is, in one line for a person.
package struct ProgressText {
  /// What is done, as `Importing`.
  package let label: String
  /// Things that are done, and seconds that it took.
  package let done: Int
  package let seconds: Double
  /// How many things there are; nil where nobody knows.
  package let total: Int?
  /// The part of the work that is done, from 0 to 1; follows from `total` where nil.
  package let fraction: Double?

  package init(
    _ label: String,
    done: Int,
    of total: Int? = nil,
    fraction: Double? = nil,
    seconds: Double
  ) {
    self.label = label
    self.done = done
    self.total = total
    self.fraction = fraction ?? total.map { $0 == 0 ? 1 : Double(done) / Double($0) }
    self.seconds = seconds
  }

  /// `Exporting: 120,000 of 480,000 (25 %), 60,000 a second, 6 s left`; what is not known is left out.
  package var line: String {
    var line = "\(label): \(CellText.count(done))"
    if let total { line += " of \(CellText.count(total))" }
    if let part { line += " (\(Int(part * 100)) %)" }
    let rate = Double(done) / max(0.001, seconds)
    line += ", \(CellText.count(Int(min(rate, 1e15)))) a second"
    if let part, part > 0, part < 1 {
      line += ", \(Self.duration(seconds / part - seconds)) left"
    }
    return line
  }

  private var part: Double? { fraction.map { min(1, max(0, $0)) } }

  /// `40 s`, `2 min 5 s`, `3 h 10 min`.
  static func duration(_ seconds: Double) -> String {
    let whole = Int(min(max(0, seconds.rounded(.up)), 1e9))
    if whole < 60 { return "\(whole) s" }
    if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
    return "\(whole / 3600) h \(whole % 3600 / 60) min"
  }
}
