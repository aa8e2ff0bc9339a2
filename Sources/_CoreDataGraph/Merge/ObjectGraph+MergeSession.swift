// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension ObjectGraph {
  /// The open merge session of a save; if no session is open, a new session, which cannot be reverted.
  package var merging: MergeSession { merge ?? MergeSession(self) }

  /// Begins a merge session, in which a save resolves its conflicts.
  ///
  /// If an earlier attempt of the same save has begun a session, that session continues, but it reads the
  /// newest rows again.
  ///
  /// - Complexity: O(unsaved objects).
  package func beginMerge() {
    if let merge {
      merge.newestRows = [:]
      return
    }
    let backup = GraphBackup(
      inserted: inserted,
      updated: updated,
      deleted: deleted,
      unpropagated: deletions.unpropagated,
      event: event,
      watched: watched
    )
    merge = MergeSession(self, backup: backup)
    journals.merge = backup.journal
    for object in inserted + updated + deleted { capture(object) }
  }

  /// Ends the merge session and keeps its changes; does nothing if no session is open.
  package func endMerge() {
    merge = nil
    journals.merge = nil
  }

  /// Ends the merge session and restores every object to its state at the beginning of the session.
  ///
  /// Does nothing if no session is open.
  package func revertMerge() {
    let backup = merge?.backup
    endMerge()
    guard let backup else { return }
    // Objects that the session has registered are removed before any flags are restored, because a removal
    // relies on flags that agree with the groups of unsaved objects.
    for image in backup.journal.images where !image.isRegistered {
      if image.object.registry === registry { removeFromContext(image.object) }
    }
    for image in backup.journal.images where image.isRegistered { restore(image) }
    unsaved.replace(inserted: backup.inserted, updated: backup.updated, deleted: backup.deleted)
    deletions.unpropagated = backup.unpropagated
    event = backup.event
    watched = backup.watched
  }

  private func restore(_ image: ObjectImage) {
    let object = image.object
    if object.registry !== registry {
      object.registry = registry
      registry.register(object)
    }
    if object.key != image.key { registry.rekey(object, to: image.key) }
    object.flags = image.flags
    // The session may have written to the object's row, so the object gets the row of the image instead.
    let place = image.chunkRow
    object.point(at: place?.chunk, row: place?.row ?? 0)
    if !image.hadDetail && object.detail == nil { return }
    let detail = object.detailCreatingIfNeeded
    detail.base = image.base
    detail.changed = image.changed
    detail.changedInEvent = image.changedInEvent
    detail.untracked = image.untracked
    detail.baseObjects = image.baseObjects
    detail.toManys = image.hadDetail ? image.toManys : ToManys()
    detail.objects = image.objects
  }
}
