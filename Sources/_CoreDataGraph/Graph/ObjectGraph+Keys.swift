// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension ObjectGraph {
  /// Starts to record replaced keys.
  package func recordKeyChanges() { keys.isRecording = true }

  /// Starts to record replaced keys, and returns a reader for a child's graph.
  package func makeKeyChangeReader() -> KeyChangeReader { keys.makeReader() }

  /// Returns the replacements that the reader has not read yet, oldest first, and marks them as read.
  ///
  /// - Complexity: O(1).
  package func unreadKeyChanges(
    by reader: KeyChangeReader
  ) -> ArraySlice<KeyChanges.Change> {
    keys.unreadChanges(by: reader)
  }

  /// Returns the key that replaced a temporary key; nil if no replacement is known.
  package func permanentKey(for key: ObjectKey) -> ObjectKey? { keys.permanentKey(for: key) }

  /// Returns the key that replaced `key`; `key` itself if no replacement is known.
  package func currentKey(for key: ObjectKey) -> ObjectKey { keys.currentKey(for: key) }

  /// The number of kept entries for replaced keys, including those for undo.
  ///
  /// Tests check that it does not grow with every save.
  package var replacedKeyCount: Int { keys.count + keys.undo.count }

  /// Forgets the replacements that neither a registered object nor another context needs, if many are kept.
  func pruneKeys() {
    if keys.isDueForPruning { keys.prune { registry.contains($0) } }
  }

  func rekey(_ object: GraphObject, to key: ObjectKey) {
    if journals.undo != nil { keys.undo.record(object.key, replacedBy: key) }
    if keys.isRecording { keys.record(object.key, replacedBy: key) }
    registry.rekey(object, to: key)
  }

  /// Gives each object the permanent key at the same index in `keys`.
  ///
  /// Replaces the former temporary keys in the relationships of inserted and updated objects.
  /// - Complexity: O(unsaved objects).
  package func makePermanent(_ objects: [GraphObject], _ keys: [ObjectKey]) {
    pruneKeys()
    var permanent: [ObjectKey: ObjectKey] = [:]
    for (object, key) in zip(objects, keys) {
      permanent[object.key] = key
      rekey(object, to: key)
    }
    for object in inserted + updated {
      replaceTemporaryKeys(of: object) { permanent[$0] ?? $0 }
      guard let detail = object.detail else { continue }
      for position in detail.toManys.indices {
        detail.toManys[position]?.rekey { permanent[$0] ?? $0 }
      }
    }
  }

  func replaceTemporaryKeys(of object: GraphObject, with permanent: (ObjectKey) -> ObjectKey) {
    guard let chunk = object.chunk else { return }
    for slot in object.entityDefinition.toOneSlots where !chunk.isNull(object.rowIndex, slot) {
      let key = chunk.key(object.rowIndex, slot)
      if key.isTemporary { chunk.setKey(object.rowIndex, slot, permanent(key)) }
    }
  }

  /// Applies the key replacements of the parent to the registered objects and to their relationships.
  ///
  /// - Complexity: O(registered objects); O(1) if `changes` is empty.
  package func adoptKeys(_ changes: some Collection<(old: ObjectKey, new: ObjectKey)>) {
    if changes.isEmpty { return }
    pruneKeys()
    for change in changes {
      if let object = registry.object(for: change.old) {
        rekey(object, to: change.new)
      } else {
        keys.record(change.old, replacedBy: change.new)
      }
    }
    for object in registry.objects {
      replaceTemporaryKeys(of: object) { keys.currentKey(for: $0) }
      guard let detail = object.detail else { continue }
      if let base = detail.base { replaceTemporaryKeys(of: object, at: base) }
      for position in detail.toManys.indices {
        detail.toManys[position]?.rekey { keys.currentKey(for: $0) }
      }
    }
  }

  private func replaceTemporaryKeys(of object: GraphObject, at place: ChunkRow) {
    for slot in object.entityDefinition.toOneSlots where !place.chunk.isNull(place.row, slot) {
      let key = place.chunk.key(place.row, slot)
      if key.isTemporary, let permanent = keys.permanentKey(for: key) {
        place.chunk.setKey(place.row, slot, permanent)
      }
    }
  }
}
