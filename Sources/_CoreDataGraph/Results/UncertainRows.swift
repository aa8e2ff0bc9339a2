// SPDX-License-Identifier: Apache-2.0

/// Rows of a results list that were placed while faults could read newer values than realised objects have.
///
/// This happens between a save of another context and its merge into this context. Such rows were compared
/// with values of two moments, so their positions are checked again after the merge.
package struct UncertainRows {
  private var rows: [ObjectIdentifier: AnyObject] = [:]

  package init() {}

  /// Adds the rows that a round has inserted, moved or updated.
  package mutating func insert(placedBy changes: ResultChanges) {
    for change in changes.rows where change.new != nil {
      rows[ObjectIdentifier(change.object)] = change.object
    }
  }

  /// Returns the rows of `list` to check now, and forgets them.
  ///
  /// These are the uncertain rows or, if there are many of them, all rows of the list. While saves are
  /// unmerged, rows are returned only if there are many, which bounds the number of rows kept here.
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
