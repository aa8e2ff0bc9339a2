// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The replaced keys of objects of one context, and the keys that replaced them.
///
/// Until a child context reads the replacements, it uses the temporary keys of objects that its parent has
/// saved. A replacement is therefore kept at least until every child has read it. A replacement is also kept
/// while the object with the new key is registered, so that the temporary object ID still leads to the
/// object.
package struct KeyHistory {
  /// Whether replacements are recorded; true once there is a child or a parent.
  package var isRecording = false
  /// The replaced keys that undo steps may still contain.
  package var undo = UndoKeys()
  /// Temporary key → the key that replaced it.
  private var permanent: [ObjectKey: ObjectKey] = [:]
  private var changes = KeyChanges()
  private var limit = Self.leastLimit

  private static let leastLimit = 64

  package init() {}

  package var count: Int { permanent.count }

  /// Returns the key that replaced a temporary key; nil if no replacement is known.
  package func permanentKey(for key: ObjectKey) -> ObjectKey? { permanent[key] }

  /// Returns the key that replaced `key`; `key` itself if no replacement is known.
  package func currentKey(for key: ObjectKey) -> ObjectKey { permanent[key] ?? key }

  /// Records that a temporary key was replaced; does nothing for a permanent key.
  package mutating func record(_ old: ObjectKey, replacedBy new: ObjectKey) {
    if old == new || !old.isTemporary { return }
    permanent[old] = new
    changes.append(old, new)
  }

  // MARK: Reading

  /// Starts recording, and returns a reader for a child's graph.
  package mutating func makeReader() -> KeyChangeReader {
    isRecording = true
    return changes.makeReader()
  }

  /// Returns the replacements that the reader has not read yet, oldest first, and marks them as read.
  ///
  /// - Complexity: O(1).
  package func unreadChanges(by reader: KeyChangeReader) -> ArraySlice<KeyChanges.Change> {
    changes.read(by: reader)
  }

  // MARK: Pruning

  /// Whether the table has at least 64 entries, and at least twice as many as the last pruning left.
  package var isDueForPruning: Bool { permanent.count >= limit }

  /// Drops the replacements that every reader has read and whose permanent key is not needed.
  ///
  /// Call this method before a batch of replacements is recorded, so that each batch is kept at least until
  /// the next one.
  /// - Complexity: O(replacements), and on average O(1) for each recorded replacement if called only when
  ///   `isDueForPruning` is true.
  package mutating func prune(isNeeded: (ObjectKey) -> Bool) {
    let unread = changes.dropRead()
    permanent = permanent.filter { unread.contains($0.key) || isNeeded($0.value) }
    limit = max(Self.leastLimit, 2 * permanent.count)
  }
}
