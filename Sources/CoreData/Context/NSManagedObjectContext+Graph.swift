// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

extension NSManagedObjectContext: GraphHost {
  package func makeObject(for key: ObjectKey) -> GraphObject {
    faultMaker.refresh()
    return faultMaker.make(key)
  }

  package func loadRows(_ keys: [ObjectKey]) throws -> FetchedRows {
    if let parentSource { return try parentSource.rows(for: keys) }
    let stored = keys.filter { !$0.isTemporary }
    guard let first = stored.first, let origin = try origin(at: first.store) else {
      return FetchedRows()
    }
    return try origin.rows(for: stored)
  }

  package func loadRow(_ key: ObjectKey, into open: RowChunk?) throws -> LoadedRow? {
    if let parentSource { return try parentSource.row(for: key, into: open) }
    if key.isTemporary { return nil }
    return try origin(at: key.store)?.row(for: key, into: open)
  }

  package func loadMembers(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]] {
    if let parentSource { return try parentSource.members(of: owners, slot: slot) }
    guard let first = owners.first, !first.isTemporary, let origin = try origin(at: first.store)
    else { return [] }
    return try origin.members(of: owners, slot: slot)
  }

  package func loadRelated(of owners: [ObjectKey], slot: Int) throws -> RelatedRows {
    if let parentSource { return try parentSource.related(to: owners, slot: slot) }
    guard let first = owners.first, !first.isTemporary, let origin = try origin(at: first.store)
    else { return RelatedRows(members: [], rows: FetchedRows()) }
    return try origin.related(to: owners, slot: slot)
  }

  package func objects(of rows: FetchedRows) -> [GraphObject] { register(rows) }

  package func rowVanished(_ object: GraphObject, slot: Int?) {
    let object = Self.managed(object)
    let property = slot.map { object.frozenModel.properties[object.key.entity][$0] }
    let id = object.objectID
    if !shouldHandleInaccessibleFault(object, for: id, triggeredByProperty: property) {
      Misuse.unfulfilledFault(object, missing(id))
    }
  }

  package func willChange(_ object: GraphObject, slot: Int) {
    Self.managed(object).reportWillChange(slot)
  }

  package func didChange(_ object: GraphObject, slot: Int) {
    Self.managed(object).reportDidChange(slot)
  }

  package func willReplaceValues(of object: GraphObject) {
    Self.managed(object).reportWillReplace()
  }

  package func didReplaceValues(of object: GraphObject) {
    Self.managed(object).reportDidReplace()
  }

  package func setTransientObjects(of object: GraphObject) {
    if let parentSource, !object.entityDefinition.transientSlots.isEmpty {
      let shared = parentSource.transientObjects(of: object.key)
      if !shared.isEmpty { object.detailCreatingIfNeeded.objects.merge(shared) { own, _ in own } }
    }
    if graph.model.hasOpaqueTransientDefaults { Self.managed(object).setTransientDefaultObjects() }
  }

  package func didRealize(_ object: GraphObject) { Self.managed(object).awakeFromFetch() }

  package func willDelete(_ object: GraphObject) { Self.managed(object).prepareForDeletion() }

  package func changesBegan() {
    reportHasChanges()
    // On the main queue the program can make changes outside `perform(_:)`, which would process the pending
    // changes after its block, so the end of the event is scheduled here.
    guard queue.kind == .main, !reporter.isEndOfEventScheduled else { return }
    reporter.isEndOfEventScheduled = true
    queue.async { [ticket] in
      guard let context = ticket.context else { return }
      context.reporter.isEndOfEventScheduled = false
      context.processPendingChanges()
    }
  }

  package func faultFailed(_ object: GraphObject, _ error: any Error) -> Never {
    Misuse.unfulfilledFault(Self.managed(object), error)
  }
}
