// SPDX-License-Identifier: Apache-2.0

/// The deletion of the rows that a fetch would give, with what their delete rules ask for.
package struct BatchDelete: Sendable {
  /// Its shape counts for nothing.
  package let rows: FetchDescription
  package let report: BatchReport

  package init(rows: FetchDescription, report: BatchReport) {
    self.rows = rows
    self.report = report
  }
}
