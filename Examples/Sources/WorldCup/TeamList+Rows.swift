// SPDX-License-Identifier: Apache-2.0

import CoreData

/// For a page that shows a long list a screen at a time: how long it is, and some of its rows.
extension TeamList {
  /// The sections and how many rows each of them has.
  func outline() async -> ListOutline {
    await context.perform { [self] in
      ListOutline(
        launch: launch,
        sequence: sequence,
        sections: (controller.sections ?? []).map {
          ListOutline.Section(name: $0.name, count: $0.numberOfObjects)
        }
      )
    }
  }

  /// At most `count` rows of a section from `first` on; none where there is no such section.
  ///
  /// The store is asked for the rows that nobody has asked for yet, a batch at a time.
  func rows(inSection section: Int, from first: Int, count: Int) async -> ListRows {
    await context.perform { [self] in
      let sections = controller.sections ?? []
      var rows: [TeamRow] = []
      if sections.indices.contains(section), first >= 0, count > 0 {
        let last = min(first + min(count, 2000), sections[section].numberOfObjects)
        for row in first..<max(first, last) {
          let path = IndexPath(row: row, section: section)
          rows.append(TeamRow(controller.object(at: path)))
        }
      }
      return ListRows(sequence: sequence, rows: rows)
    }
  }
}

/// How long the list is.
struct ListOutline: Sendable, Encodable {
  struct Section: Sendable, Encodable {
    var name: String
    var count: Int
  }

  var launch: String
  var sequence: Int
  var sections: [Section]
}

/// Some rows, as they are after the round with a number.
struct ListRows: Sendable, Encodable {
  var sequence: Int
  var rows: [TeamRow]
}
