// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A line of text that shows the progress of a long operation.
package struct ProgressText {
  /// The name of the operation, such as `Importing`.
  package let label: String
  /// The number of items processed so far.
  package let done: Int
  /// The elapsed time in seconds.
  package let seconds: Double
  /// The total number of items; nil if unknown.
  package let total: Int?
  /// The completed fraction of the work, from 0 to 1; nil if unknown.
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

  /// The line, such as `Exporting: 120,000 of 480,000 (25 %), 60,000 a second, 6 s left`.
  ///
  /// Unknown parts are left out.
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

  /// Returns a duration such as `40 s`, `2 min 5 s` or `3 h 10 min`.
  package static func duration(_ seconds: Double) -> String {
    let whole = Int(min(max(0, seconds.rounded(.up)), 1e9))
    if whole < 60 { return "\(whole) s" }
    if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
    return "\(whole / 3600) h \(whole % 3600 / 60) min"
  }
}
