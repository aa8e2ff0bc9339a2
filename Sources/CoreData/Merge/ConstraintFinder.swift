// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// Finds the unsaved objects that would violate a uniqueness constraint, either together or with a stored
/// row.
struct ConstraintFinder {
  let context: NSManagedObjectContext
  let store: any RowStore

  /// Returns a conflict for each set of values that more than one object or row would have after the save.
  ///
  /// - Throws: the store's errors.
  /// - Complexity: at most one statement for each set of values that the save would write.
  func conflicts() throws -> [NSConstraintConflict] {
    var conflicts: [NSConstraintConflict] = []
    for group in context.graph.constraintGroups() {
      if group.objects.count > 1 {
        conflicts.append(conflict(group, nil))
      } else if let row = try row(group) {
        conflicts.append(conflict(group, row))
      }
    }
    return conflicts
  }

  /// Returns the stored row that has the group's values, belongs to no object of the group, and keeps the
  /// values in this save; nil if there is no such row.
  private func row(_ group: ConstraintGroup) throws -> (key: ObjectKey, chunk: RowChunk, row: Int)?
  {
    guard case .rows(let rows) = try store.fetch(group.description) else { return nil }
    let graph = context.graph
    var found: (key: ObjectKey, chunk: RowChunk, row: Int)?
    rows.forEach { key, chunk, row in
      // The fetch compares strings as predicates do, but the constraint compares bytes.
      guard UniqueValues(chunk, row, group.constraint.slots) == group.values,
        !group.objects.contains(where: { graph.registry.identity($0.key) == identity(key) })
      else { return }
      if let known = graph.registry.object(for: key),
        !graph.keeps(group.values, of: group.constraint, known)
      {
        return
      }
      found = (key, chunk, row)
    }
    return found
  }

  private func identity(_ key: ObjectKey) -> UInt64 { context.registry.identity(key) }

  private func conflict(
    _ group: ConstraintGroup,
    _ row: (key: ObjectKey, chunk: RowChunk, row: Int)?
  ) -> NSConstraintConflict {
    let objects = group.objects.map(NSManagedObjectContext.managed)
    let database = row.map { row -> NSManagedObject in
      let object = context.object(for: row.key)
      if object.isFault { context.graph.fill(object, from: row.chunk, row: row.row) }
      return object
    }
    return NSConstraintConflict(
      constraint: group.constraint.names,
      database: database,
      databaseSnapshot: row.flatMap { row in
        database?.storedValues(at: (row.chunk, row.row))
      },
      conflicting: objects,
      conflictingSnapshots: objects.map { object -> Any in
        object.isInserted ? NSNull() : object.storedCommittedValues()
      }
    )
  }
}
