// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// The objects of to-many relationships.
extension NSManagedObjectContext {
  /// The members of a to-many, in order where it is ordered, with rows at hand where they are faults.
  ///
  /// - Complexity: at the first use one statement for keys and rows together; where the rows lie apart
  ///   from the pairs, or some members have changed already, one for the keys and one for each hierarchy
  ///   and some hundred rows.
  func members(of owner: NSManagedObject, slot: Int) -> [NSManagedObject] {
    if graph.isUnknown(owner, slot: slot) {
      do {
        if let rows = try memberRows(of: owner.key, slot: slot) {
          graph.load(owner, slot: slot, members: rows.keys)
          let members = register(rows)
          if !graph.hasDeleted { return members }
          // Those that are deleted here are left out.
          return withExtendedLifetime(members) {
            objects(for: graph.memberKeys(owner, slot: slot))
          }
        }
      } catch {
        faultFailed(owner, error)
      }
    }
    return objects(for: graph.memberKeys(owner, slot: slot))
  }

  /// Keys and rows of an owner's members; nil where they do not come together.
  private func memberRows(of owner: ObjectKey, slot: Int) throws -> FetchedRows? {
    if let parentSource { return try parentSource.memberRows(of: owner, slot: slot) }
    return try origin(at: owner.store)?.memberRows(of: owner, slot: slot)
  }
}
