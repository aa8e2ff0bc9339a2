// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The resolution of the conflicts of one save, over all its attempts.
///
/// It begins with the first attempt that meets conflicts and ends with the save. A resolution outside of a
/// save has a session of its own, without a backup. During a save the graph retains the session and the
/// session retains the graph.
package final class MergeSession {
  let graph: ObjectGraph
  /// The state that a failed save restores; nil for a resolution outside of a save.
  let backup: GraphBackup?
  /// Objects whose one-to-one relationships were resolved already.
  var resolvedOneToOnes: Set<ObjectIdentifier> = []
  /// The rows that were read since the last attempt to save, by identity; nil for keys without a row.
  var newestRows: [UInt64: ChunkRow?] = [:]

  init(_ graph: ObjectGraph, backup: GraphBackup? = nil) {
    self.graph = graph
    self.backup = backup
  }
}
