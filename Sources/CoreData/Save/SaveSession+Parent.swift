// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

extension SaveSession {
  /// Applies the child's changes to the parent, in which they remain unsaved.
  ///
  /// Conflicts are not detected, so the child's values overwrite the parent's. Objects that were deleted in
  /// the parent are not restored, and are removed from the child as well.
  mutating func pushChanges(to source: ParentSource) {
    saved = SavedObjects(graph)
    let dead = source.inParent {
      source.parent.endChangeEvent()
      let dead = source.parent.graph.absorb(graph)
      source.parent.related.pushingChild = context
      source.parent.endChangeEvent()
      source.parent.related.pushingChild = nil
      return dead
    }
    graph.commitToParent()
    context.unmerged.notePushed(saved.inserted.map(\.key))
    if dead.isEmpty { return }
    graph.recordParentDeletions(dead)
    graph.dropUndoStep()
    context.passToChildren(context.changes(besides: SavedKeys()))
    context.endChangeEvent()
    graph.removeLostObjects(dead)
    let gone = Set(dead)
    saved.updated.removeAll { gone.contains($0.key) }
  }
}
