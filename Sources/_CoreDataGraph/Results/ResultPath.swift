// SPDX-License-Identifier: Apache-2.0

/// A position in a sectioned list: section and row, both counted from 0.
package struct ResultPath: Hashable, Comparable, Sendable {
  package var section: Int
  package var row: Int

  package init(section: Int, row: Int) {
    self.section = section
    self.row = row
  }

  package static func < (left: ResultPath, right: ResultPath) -> Bool {
    left.section != right.section ? left.section < right.section : left.row < right.row
  }
}
