// SPDX-License-Identifier: Apache-2.0

import CoreData

extension Bench {
  /// Formats as applications write them, with the values of their placeholders.
  private static let formats: [(format: String, arguments: [any Sendable])] = [
    ("name == %@", ["Ann"]),
    ("isRead == NO AND deletedAt == nil", []),
    ("%K == %@", ["identifier", "A1B2"]),
    ("teamName CONTAINS[cd] %@ AND wins >= %d", ["ab", 3]),
    ("status IN {1, 2, 5} OR priority > 3", []),
    ("ANY tags.name ==[c] 'urgent'", []),
    ("date >= %@ AND date < %@", [Date(timeIntervalSinceReferenceDate: 0), Date.distantFuture]),
    ("account.owner.lastName BEGINSWITH[cd] %@", ["ma"]),
    ("SUBQUERY(items, $item, $item.price > 10 AND $item.sold == YES).@count > 0", []),
    ("NOT (folder.isHidden == TRUE OR (size > 1000000 AND kind != 'image'))", []),
    ("children.@count == 0 && parent != nil", []),
    ("(flags & %d) == 0", [4]),
  ]

  /// P1: parses that many formats, a mixture of typical ones.
  mutating func parse() {
    let count = count
    var length = 0
    for _ in 0..<options.repetitions {
      length = measurement.time {
        var length = 0
        for index in 0..<count {
          let (format, arguments) = Self.formats[index % Self.formats.count]
          let predicate = NSPredicate(format: format, argumentArray: arguments)
          length &+= predicate is NSCompoundPredicate ? 2 : 1
        }
        return length
      }
    }
    measurement.check = "\(count):\(length)"
  }
}
