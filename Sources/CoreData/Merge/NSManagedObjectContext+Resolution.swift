// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

extension NSManagedObjectContext {
  /// Resolves the conflict between an object and its row according to `rule`; does nothing for an object of
  /// another context.
  ///
  /// - Throws: the store's errors.
  func apply(_ rule: MergeRule, to conflict: NSMergeConflict) throws {
    let object = conflict.sourceObject
    guard object.registry === registry else { return }
    do {
      try graph.merging.resolve(object, stored: conflict.newerRow, by: rule)
    } catch {
      throw cocoaError(error)
    }
    if !object.isDeleted { object.awake(fromSnapshotEvents: .mergePolicy) }
  }

  /// Resolves the conflict of objects with equal constrained values: calls `MergeSession.fold(_:into:_:by:)`
  /// for a target object and each of the other objects.
  ///
  /// The target is `databaseObject`. If `databaseObject` is nil, the target is the first conflicting object
  /// that is not new; if all are new, it is the first conflicting object. Deleted conflicting objects and
  /// objects of another context are ignored.
  func apply(_ rule: MergeRule, to conflict: NSConstraintConflict) throws {
    let objects = conflict.conflictingObjects.filter {
      $0.registry === registry && !$0.isDeleted
    }
    let stored = conflict.databaseObject.flatMap { $0.registry === registry ? $0 : nil }
    guard let survivor = stored ?? objects.first(where: { !$0.isInserted }) ?? objects.first else {
      return
    }
    for object in objects where object !== survivor {
      graph.merging.fold(object, into: survivor, conflict.constraint, by: rule)
    }
    if !survivor.isDeleted { survivor.awake(fromSnapshotEvents: .mergePolicy) }
  }
}
