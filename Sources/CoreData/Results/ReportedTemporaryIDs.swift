// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

/// The temporary IDs that a delegate has received, and for which it has not received permanent IDs yet.
struct ReportedTemporaryIDs {
  /// A row that was reported with a temporary ID, and whose object now has a permanent ID.
  struct SavedRow {
    let object: NSManagedObject
    let temporaryID: NSManagedObjectID
    let row: Int
  }
  private var reported: [ObjectIdentifier: (object: NSManagedObject, id: NSManagedObjectID)] = [:]

  var isEmpty: Bool { reported.isEmpty }

  func id(of object: NSManagedObject) -> NSManagedObjectID? {
    reported[ObjectIdentifier(object)]?.id
  }

  func savedRows(in list: ResultsList) -> [SavedRow] {
    reported.values.compactMap { object, id in
      guard !object.key.isTemporary, let row = list.path(of: object)?.row else { return nil }
      return SavedRow(object: object, temporaryID: id, row: row)
    }
  }

  // MARK: Changing

  mutating func removeAll() { reported = [:] }

  mutating func removeSaved() {
    reported = reported.filter { $0.value.object.key.isTemporary }
  }

  mutating func remove(_ rows: [SavedRow]) {
    for row in rows { reported[ObjectIdentifier(row.object)] = nil }
  }

  /// Records the temporary IDs of all objects in a list that was reported as a whole, and forgets all other
  /// IDs.
  mutating func replace(with list: ResultsList, of context: NSManagedObjectContext) {
    reported = [:]
    if context.parentSource == nil {
      for object in context.graph.inserted where list.contains(object) { insert(object) }
    } else {
      // After a save of a child context, objects keep their temporary IDs until the root context saves, so
      // any object of the list can have a temporary ID.
      list.objects.forEach { insert($0) }
    }
  }

  mutating func update(with changes: ResultChanges) {
    for change in changes.rows {
      reported[ObjectIdentifier(change.object)] = nil
      if change.new != nil { insert(change.object) }
    }
  }

  private mutating func insert(_ row: AnyObject) {
    let object = ResultsContent.managedObject(row)
    if object.key.isTemporary { reported[ObjectIdentifier(object)] = (object, object.objectID) }
  }
}
