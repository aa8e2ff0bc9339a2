// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Resolves the conflicts of one save, across all attempts of that save.
///
/// A session begins with the first attempt that finds conflicts, and ends with the save. Until then, the
/// graph and the session retain each other. A resolution outside a save uses a new session without a backup.
package final class MergeSession {
  let graph: ObjectGraph
  /// The state that is restored if the save fails; nil if conflicts are resolved outside a save.
  let backup: GraphBackup?
  var resolvedOneToOnes: Set<ObjectIdentifier> = []
  /// The rows read since the last attempt to save, by the identity of their keys; nil for a key without a
  /// row.
  var newestRows: [UInt64: ChunkRow?] = [:]

  init(_ graph: ObjectGraph, backup: GraphBackup? = nil) {
    self.graph = graph
    self.backup = backup
  }
}
