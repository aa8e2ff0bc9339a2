// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Where a row is: the two numbers of an index path.
struct Place: Sendable, Encodable, Comparable {
  let section: Int
  let row: Int

  init(_ indexPath: IndexPath) {
    section = indexPath[0]
    row = indexPath[1]
  }

  static func < (left: Place, right: Place) -> Bool {
    (left.section, left.row) < (right.section, right.row)
  }
}
