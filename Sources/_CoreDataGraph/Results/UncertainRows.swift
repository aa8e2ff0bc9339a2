// SPDX-License-Identifier: Apache-2.0

/// Rows of a results list that were placed while faults could read newer values than realized objects
/// have.
///
/// Another context has saved then, and this one has not merged the save. Such rows were compared with
/// values of two moments, so their places are checked again after the merge.
package struct UncertainRows {
  private var rows: [ObjectIdentifier: AnyObject] = [:]

  /// No rows.
  package init() {}

  /// Adds the rows that a round has inserted, moved or updated.
  package mutating func insert(placedBy changes: ResultChanges) {
    for change in changes.rows where change.new != nil {
      rows[ObjectIdentifier(change.object)] = change.object
    }
  }

  /// Removes and returns the rows of `list` to check now.
  ///
  /// There are none while saves are unmerged, except where the rows have become many: then all rows of the
  /// list are returned, so that this does not grow without end.
  /// - Complexity: O(rows inserted since), all in all.
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
