// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The resolution of the conflicts of one save, over all attempts of the save.
///
/// The session begins with the first attempt that meets conflicts, and ends with the save; until then, the
/// graph and the session retain each other. A resolution outside of a save uses a new session without a
/// backup.
package final class MergeSession {
  let graph: ObjectGraph
  /// The state that a failed save restores; nil for a resolution outside of a save.
  let backup: GraphBackup?
  var resolvedOneToOnes: Set<ObjectIdentifier> = []
  /// Identity → the row that was read since the last attempt to save; nil if the key has no row.
  var newestRows: [UInt64: ChunkRow?] = [:]

  init(_ graph: ObjectGraph, backup: GraphBackup? = nil) {
    self.graph = graph
    self.backup = backup
  }
}
