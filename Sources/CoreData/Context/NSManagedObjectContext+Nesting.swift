// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// Contexts above and below each other.
extension NSManagedObjectContext {
  // MARK: The parent

  /// A child begins to read from here.
  func adopt(child: NSManagedObjectContext) { children.add(child.ticket) }

  /// What a child's fetch gives: as a fetch here, unsaved changes included.
  ///
  /// Dictionaries show the store alone, as everywhere.
  func answer(_ description: FetchDescription) throws -> FetchResult {
    endChangeEvent()
    let manner = FetchManner()
    switch description.shape {
    case .rows: return .rows(graph.copyRows(of: try objects(description, manner)))
    case .keys: return .keys(try keys(description, manner))
    case .count: return .count(try count(description, manner))
    case .dictionaries(let shape):
      return .dictionaries(try dictionaryRows(description, shape))
    }
  }

  /// Tells the children that merge by themselves what was saved here.
  func tellChildren(_ saved: SavedObjects) {
    if saved.isEmpty { return }
    // The event that reported the changes has noted them, but for what a child pushed itself.
    noteUnmergedInChildren(saved.deleted.map(\.key))
    let merging = children.living.filter(\.automaticallyMergesChangesFromParent)
    if merging.isEmpty { return }
    let keys = saved.keys
    for child in merging { child.scheduleMerge(of: keys) }
  }

  // MARK: The child

  /// A child's save: its changes become unsaved changes of the parent.
  ///
  /// No conflict is looked for: the child's values stay. What the parent has deleted stays deleted, and
  /// is gone here too afterwards.
  func push(to source: ParentSource) throws -> SavedObjects {
    var saved = SavedObjects(graph)
    let dead = source.inParent {
      source.parent.endChangeEvent()
      let dead = source.parent.graph.absorb(graph)
      source.parent.pushingChild = self
      source.parent.endChangeEvent()
      source.parent.pushingChild = nil
      return dead
    }
    graph.commitToParent()
    if isObserved { pushed.formUnion(saved.inserted.map(\.key)) }
    if dead.isEmpty { return saved }
    graph.lose(dead)
    graph.dropUndoStep()
    endChangeEvent()
    graph.forgetLost(dead)
    let gone = Set(dead)
    saved.updated.removeAll { gone.contains($0.key) }
    return saved
  }

  /// Of the objects that the parent has saved, those that only this child has changed: it pushed them to
  /// the parent, and no other context has changed them since.
  ///
  /// Objects that the parent has inserted are no longer noted as pushed.
  func keysOnlyChangedHere(updated: [ObjectKey], inserted: [ObjectKey]) -> Set<ObjectKey> {
    if parentSource == nil { return [] }
    var own = unmerged.merged(updated)
    if pushed.isEmpty { return own }
    let saved = Set(inserted)
    for key in pushed {
      guard let permanent = graph.permanentKey(for: key) else {
        // An object that is not registered is read again anyway.
        if !registry.contains(key) { pushed.remove(key) }
        continue
      }
      if !saved.contains(permanent) { continue }
      pushed.remove(key)
      own.insert(permanent)
    }
    return own
  }

  /// Permanent IDs of objects that are new in the parent; nothing in a context of a coordinator.
  func makePermanentInParent(_ objects: [NSManagedObject]) throws {
    guard let parentSource else { return }
    let pushed = objects.filter {
      $0.registry === registry && $0.key.isTemporary && !$0.isInserted
    }
    if pushed.isEmpty { return }
    let parent = parentSource.parent
    try parentSource.inParent {
      try parent.makePermanent(
        pushed.compactMap { parent.registry.object(for: $0.key).map(Self.managed) }
      )
    }
    parentSource.adoptKeys()
  }
}
