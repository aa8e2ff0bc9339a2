// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

extension CollectionDifference where ChangeElement == NSManagedObjectID {
  /// Creates a difference of object IDs for changed rows, and for rows whose temporary IDs a save has
  /// replaced (`saved`).
  ///
  /// An update or a move becomes an associated removal and insertion. A row in `saved` without another change
  /// becomes a removal of the temporary ID and an insertion of the permanent ID. If the delegate has received
  /// an object's temporary ID, which `reported` contains, the removal contains the temporary ID.
  /// `list` is the list after the changes.
  init(
    _ changes: ResultChanges,
    _ saved: [ReportedTemporaryIDs.SavedRow],
    reported: ReportedTemporaryIDs,
    in list: ResultsList?
  ) {
    var steps: [Change] = []
    for change in changes.rows {
      let object = ResultsContent.managedObject(change.object)
      let id = object.objectID
      if let old = change.old {
        let oldID = reported.id(of: object) ?? id
        steps.append(.remove(offset: old.row, element: oldID, associatedWith: change.new?.row))
      }
      if let new = change.new {
        steps.append(.insert(offset: new.row, element: id, associatedWith: change.old?.row))
      }
    }
    let changed = saved.isEmpty ? [] : Set(changes.rows.map { ObjectIdentifier($0.object) })
    for row in saved where !changed.contains(ObjectIdentifier(row.object)) {
      guard let new = list?.path(of: row.object)?.row else { continue }
      steps.append(.remove(offset: row.row, element: row.temporaryID, associatedWith: new))
      steps.append(.insert(offset: new, element: row.object.objectID, associatedWith: row.row))
    }
    self = Self.valid(steps)
  }

  /// Creates a difference that replaces temporary IDs with permanent IDs in rows that keep their positions.
  init(_ saved: [ReportedTemporaryIDs.SavedRow]) {
    self = Self.valid(
      saved.flatMap { row -> [Change] in
        [
          .remove(offset: row.row, element: row.temporaryID, associatedWith: row.row),
          .insert(offset: row.row, element: row.object.objectID, associatedWith: row.row),
        ]
      }
    )
  }

  private static func valid(_ steps: [Change]) -> Self {
    guard let difference = Self(steps) else {
      preconditionFailure(
        "internal error: the changes of a round are not a valid difference: \(steps). This is a defect "
          + "of the library; please report it."
      )
    }
    return difference
  }
}
