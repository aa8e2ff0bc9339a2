// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The versions of the rows of an incremental store, as this library counts them.
///
/// The version of a node can be any number, and a save does not return the new one. A context, however,
/// expects a save to increase the version of a row by one. The table therefore keeps a counter for each row,
/// which increases with each save, and whenever the version of the row's node changes.
///
/// Memory: about 50 bytes for each row that a context has read or saved.
struct VersionTable {
  private struct Entry {
    var version: Int64
    /// The version of the last node; nil after a save, until the next node is read.
    var node: UInt64?
  }
  private var entries: [UInt64: Entry] = [:]

  /// Returns the version of a row after its node was read; `node` is the version of the node.
  ///
  /// The first node after a save is assumed to contain the values that the save wrote.
  mutating func version(of row: UInt64, node: UInt64) -> Int64 {
    guard var entry = entries[row] else {
      entries[row] = Entry(version: 1, node: node)
      return 1
    }
    if let known = entry.node, known != node { entry.version += 1 }
    entry.node = node
    entries[row] = entry
    return entry.version
  }

  /// Returns the version of a row; nil for a row that no context has read or saved, or that was deleted.
  func version(of row: UInt64) -> Int64? { entries[row]?.version }

  /// Records that a save has inserted or updated the row.
  mutating func recordSave(of row: UInt64) {
    entries[row] = Entry(version: (entries[row]?.version ?? 0) + 1, node: nil)
  }

  /// Records that a save may have changed the node of the row, but not the version that contexts expect.
  mutating func forgetNode(of row: UInt64) { entries[row]?.node = nil }

  /// Records that the row no longer exists.
  mutating func remove(_ row: UInt64) { entries[row] = nil }
}
