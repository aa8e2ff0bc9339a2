// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The unsaved state of a graph while a save resolves conflicts, so that a save that fails after all
/// leaves everything as it was.
struct GraphBackup {
  let journal = ChangeJournal()
  let inserted: [GraphObject]
  let updated: [GraphObject]
  let deleted: [GraphObject]
  let unpropagated: [GraphObject]
  let event: ChangeEvent
  let watched: ObjectList
  /// Objects whose one-to-ones were decided already.
  var decided: Set<ObjectIdentifier> = []
  /// Rows that were read since the last attempt to save, by identity; nil for keys without one.
  var newest: [UInt64: (chunk: RowChunk, row: Int)?] = [:]
}

extension ObjectGraph {
  /// Starts to keep what conflict resolution changes, after each attempt to save that met conflicts.
  ///
  /// - Complexity: the number of unsaved objects.
  package func beginBackup() {
    if backup != nil {
      backup?.newest = [:]
      return
    }
    backup = GraphBackup(
      inserted: inserted,
      updated: updated,
      deleted: deleted,
      unpropagated: unpropagated,
      event: event,
      watched: watched
    )
    for object in inserted + updated + deleted { capture(object) }
  }

  /// The resolution stays.
  package func endBackup() { backup = nil }

  /// Puts every object back as it was when the backup began; nothing without one.
  package func restoreBackup() {
    guard let kept = backup else { return }
    backup = nil
    // Objects leave the groups while these say what the flags say.
    for image in kept.journal.images where !image.isRegistered {
      if image.object.registry === registry { forget(image.object) }
    }
    for image in kept.journal.images where image.isRegistered { putBack(image) }
    replaceUnsaved(kept.inserted, kept.updated, kept.deleted)
    unpropagated = kept.unpropagated
    event = kept.event
    watched = kept.watched
  }

  private func putBack(_ image: ObjectImage) {
    let object = image.object
    if object.registry !== registry {
      object.registry = registry
      registry.register(object)
    }
    if object.key != image.key { registry.rekey(object, to: image.key) }
    object.flags = image.flags
    // A row of the object's own may have been written since: the copy takes its place.
    let place = image.place
    object.place(at: place?.chunk, row: place?.row ?? 0)
    if !image.hadDetail && object.detail == nil { return }
    let detail = object.madeDetail
    detail.base = image.base
    detail.changed = image.changed
    detail.changedInEvent = image.changedInEvent
    detail.untracked = image.untracked
    detail.baseObjects = image.baseObjects
    detail.toManys = image.hadDetail ? image.toManys : ToManys()
    detail.objects = image.objects
  }
}
