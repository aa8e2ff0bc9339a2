// SPDX-License-Identifier: Apache-2.0

/// How much a store tells of its statements, and to whom.
///
/// Source: documented, “Core Data Programming Guide” (`-com.apple.CoreData.SQLDebug`); what each level
/// adds is chosen.
package struct StatementLog: Sendable {
  /// 1: texts, rows and times; 2: bound values too; 3: query plans too; 4: values in full and the
  /// engine's counters too.
  package let level: Int
  /// Takes one line, without its end, on the thread that runs the statement.
  package let write: @Sendable (String) -> Void

  package init(level: Int, write: @escaping @Sendable (String) -> Void) {
    self.level = level
    self.write = write
  }

  var showsValues: Bool { level >= 2 }
  var showsPlans: Bool { level >= 3 }
  var showsCounters: Bool { level >= 4 }

  /// Characters of a bound value that are shown; nil for all.
  var valueLimit: Int? { level >= 4 ? nil : 120 }

  func sql(_ text: String) { write("CoreData: sql: \(text)") }
  func annotation(_ text: String) { write("CoreData: annotation: \(text)") }
  func details(_ text: String) { write("CoreData: details: \(text)") }

  /// Seconds to a tenth of a millisecond, as in `0.0012s`.
  static func seconds(_ duration: Duration) -> String {
    let tenths = Int((duration / .milliseconds(0.1)).rounded())
    let fraction = String(tenths % 10_000)
    return "\(tenths / 10_000).\(String(repeating: "0", count: 4 - fraction.count))\(fraction)s"
  }
}
