// SPDX-License-Identifier: Apache-2.0

/// The log of a store's statements: its level and its destination.
///
/// Source: documented, “Core Data Programming Guide” (`-com.apple.CoreData.SQLDebug`); what each level adds
/// is this library's choice.
package struct StatementLog: Sendable {
  /// The level of detail, from 1 to 4; each level also logs what the levels below it log.
  ///
  /// Level 1 logs texts, row counts and times. Level 2 adds bound values, level 3 adds query plans, and level
  /// 4 adds complete values and the engine's counters.
  package let level: Int
  /// The closure that receives each line without its line break, on the thread that runs the statement.
  package let write: @Sendable (String) -> Void

  package init(level: Int, write: @escaping @Sendable (String) -> Void) {
    self.level = level
    self.write = write
  }

  var showsValues: Bool { level >= 2 }
  var showsPlans: Bool { level >= 3 }
  var showsCounters: Bool { level >= 4 }

  /// The maximum number of characters that the log shows of a bound value; nil for no limit.
  var valueLimit: Int? { level >= 4 ? nil : 120 }

  func sql(_ text: String) { write("CoreData: sql: \(text)") }
  func annotation(_ text: String) { write("CoreData: annotation: \(text)") }
  func details(_ text: String) { write("CoreData: details: \(text)") }

  /// Returns the duration in seconds with four decimal places, such as `0.0012s`.
  static func seconds(_ duration: Duration) -> String {
    let tenths = Int((duration / .milliseconds(0.1)).rounded())
    let fraction = String(tenths % 10_000)
    return "\(tenths / 10_000).\(String(repeating: "0", count: 4 - fraction.count))\(fraction)s"
  }
}
