// SPDX-License-Identifier: Apache-2.0

/// Rows of a results list that were placed while a save of another context was not merged yet.
///
/// Until the merge, a fault that fires reads newer values than the other objects have. The rows may therefore
/// have been compared with values from two moments, so their positions are checked again after the merge.
package struct UncertainRows {
  private var rows: [ObjectIdentifier: AnyObject] = [:]

  package init() {}

  /// Adds the rows that a round has inserted, moved or updated.
  package mutating func insert(placedBy changes: ResultChanges) {
    for change in changes.rows where change.new != nil {
      rows[ObjectIdentifier(change.object)] = change.object
    }
  }

  /// Returns the rows of `list` to check now, and forgets the uncertain rows among them.
  ///
  /// If there are many uncertain rows, all rows of the list are returned, which bounds the number of rows
  /// kept here. If there are few, only the uncertain rows are returned; but while saves are unmerged, these
  /// rows are kept, and the result is empty.
  /// - Complexity: O(1) on average for each inserted row.
  package mutating func removeRowsToCheck(
    in list: ResultsList,
    hasUnmergedSaves: Bool
  ) -> [AnyObject] {
    if rows.isEmpty { return [] }
    let isLong = rows.count > max(256, list.count / 4)
    if hasUnmergedSaves && !isLong { return [] }
    defer { rows = [:] }
    return isLong ? list.objects : Array(rows.values)
  }
}
