// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension ObjectGraph {
  /// The session of the save that is resolving conflicts; outside of a save, a new session.
  package var merging: MergeSession { merge ?? MergeSession(self) }

  /// Begins a session before conflicts are resolved.
  ///
  /// If a session has begun in an earlier attempt of the same save, the session is kept and reads rows again.
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

  /// Ends the session and keeps what it resolved; does nothing if no session is open.
  package func endMerge() {
    merge = nil
    journals.merge = nil
  }

  /// Ends the session and restores every object to its state when the session began.
  ///
  /// Does nothing if no session is open.
  package func revertMerge() {
    let backup = merge?.backup
    endMerge()
    guard let backup else { return }
    // Objects must leave the groups while the groups still agree with the flags.
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
    // The object may have written to its own row since, so the copy in the image replaces that row.
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
