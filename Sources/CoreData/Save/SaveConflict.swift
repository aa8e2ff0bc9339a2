// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// The conflicts that prevented a store from writing its part of a save, for the merge policy to resolve.
struct SaveConflict {
  /// Conflicts of rows that were changed or deleted after they were read.
  private(set) var versions: [NSMergeConflict] = []
  /// Conflicts of values that violate a uniqueness constraint.
  private(set) var constraints: [NSConstraintConflict] = []

  init(_ constraints: [NSConstraintConflict]) { self.constraints = constraints }

  /// Creates a version conflict for each key, with the row that the store contains now.
  ///
  /// - Throws: the store's errors.
  init(
    of keys: [ObjectKey],
    in store: any RowStore,
    with context: NSManagedObjectContext
  ) throws {
    let registry = context.registry
    let stored: FetchedRows
    do { stored = try store.rows(for: keys) } catch { throw cocoaError(error) }
    var rows: [UInt64: ChunkRow] = [:]
    stored.forEach { key, chunk, row in rows[registry.identity(key)] = (chunk, row) }
    versions = keys.map { key in
      // `object(for:)` also creates an object if none is registered, for example for the destination of a
      // relationship without an inverse.
      NSMergeConflict(context.object(for: key), stored: rows[registry.identity(key)])
    }
  }

  /// All conflicts, as passed to `NSMergePolicy.resolve(mergeConflicts:)`.
  var list: [Any] { versions + constraints }

  /// The error of a save whose conflicts are not resolved: `NSManagedObjectMergeError` if rows were changed
  /// or deleted, otherwise `NSManagedObjectConstraintMergeError`.
  var error: NSError {
    versions.isEmpty ? MergeErrors.constraints(constraints) : MergeErrors.versions(versions)
  }
}
