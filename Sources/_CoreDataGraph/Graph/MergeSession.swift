// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The resolution of the conflicts of one save, over all its attempts.
///
/// It begins with the first attempt that meets conflicts and ends with the save; a resolution outside of a
/// save has a session of its own, without a backup. While a save resolves, the graph holds the session and
/// the session holds the graph.
package final class MergeSession {
  let graph: ObjectGraph
  /// What a failing save puts back; nil for a resolution outside of a save.
  let backup: GraphBackup?
  /// Objects whose one-to-ones were resolved already.
  var decided: Set<ObjectIdentifier> = []
  /// Rows that were read since the last attempt to save, by identity; nil for keys without a row.
  var newestRows: [UInt64: ChunkRow?] = [:]

  init(_ graph: ObjectGraph, backup: GraphBackup? = nil) {
    self.graph = graph
    self.backup = backup
  }
}
