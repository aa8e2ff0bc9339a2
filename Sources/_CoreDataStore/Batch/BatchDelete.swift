// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The deletion of the rows that a fetch would give, with what their delete rules ask for.
package struct BatchDelete: Sendable {
  /// Its shape counts for nothing.
  package let rows: FetchDescription
  /// The keys of the rows, in place of a condition; those of other stores and hierarchies name none.
  package let keys: [ObjectKey]?
  package var report: BatchReport

  package init(rows: FetchDescription, keys: [ObjectKey]? = nil, report: BatchReport) {
    self.rows = rows
    self.keys = keys
    self.report = report
  }
}
