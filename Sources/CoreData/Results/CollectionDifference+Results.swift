// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

extension CollectionDifference where ChangeElement == NSManagedObjectID {
  /// The rows' changes as removals and insertions of IDs; an update or a move is a pair of one ID, whose
  /// halves are associated.
  ///
  /// `saved` are rows whose temporary IDs, which `reported` has, were replaced: each of them is a pair of
  /// its temporary and its permanent ID. `list` is the list after the changes.
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

  /// The replacement of temporary IDs by permanent ones, in rows that keep their places.
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
      preconditionFailure("each row is removed and inserted at most once")
    }
    return difference
  }
}
