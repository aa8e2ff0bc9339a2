// SPDX-License-Identifier: Apache-2.0

import CoreData

/// What the name of a workload with a live list says: `W11_live_K` or `W11_list_memory`, by zone, or in
/// `_in_S` sections of the same size, named by their numbers.
struct LiveWorkload {
  /// Rows that change in a round; nil where memory is asked for.
  let changes: Int?
  /// Nil for the zones.
  let sections: Int?

  /// Nil for the name of another workload.
  init?(_ name: String) {
    let parts = name.split(separator: "_").map(String.init)
    guard parts.count == 3 || parts.count == 5 && parts[3] == "in", parts[0] == "W11" else {
      return nil
    }
    sections = parts.count == 5 ? Int(parts[4]) : nil
    if parts.count == 5, sections ?? 0 < 1 { return nil }
    switch (parts[1], Int(parts[2])) {
    case ("list", nil) where parts[2] == "memory": changes = nil
    case ("live", let count?) where count > 0: changes = count
    default: return nil
    }
  }

  /// The section after that of a name, around.
  func section(after name: String?) -> String {
    guard let sections else { return Generator.zone(after: name) }
    let digits = String((name.flatMap { Int($0) }.map { $0 + 1 } ?? 0) % sections)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }
}
