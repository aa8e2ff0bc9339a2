// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

extension NSManagedObjectContext {
  /// Reads everything that setting a relationship of `object` to `members` needs, for callers that can throw.
  ///
  /// - Throws: an error from reading rows or members.
  package func loadForConnecting(
    _ object: NSManagedObject,
    slot: Int,
    to members: [NSManagedObject]
  ) throws {
    try graph.loadForConnecting(object, slot: slot, to: members)
  }

  /// Returns the members of a to-many; the members of an ordered to-many are in order.
  ///
  /// - Complexity: usually one statement for keys and rows at the first use. If the source cannot read keys
  ///   and rows together, or the to-many has unsaved changes, one statement for the keys and further
  ///   statements for the rows.
  func members(of owner: NSManagedObject, slot: Int) -> [NSManagedObject] {
    if graph.isUntouched(owner, slot: slot) {
      do {
        if let rows = try memberRows(of: owner.key, slot: slot) {
          graph.load(owner, slot: slot, members: rows.keys)
          let members = register(rows)
          if !graph.hasDeleted { return members }
          // Members that are deleted in this context are left out.
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

  /// Returns the keys and rows of an owner's members; nil if the source cannot read them together.
  private func memberRows(of owner: ObjectKey, slot: Int) throws -> FetchedRows? {
    if let parentSource { return try parentSource.memberRows(of: owner, slot: slot) }
    return try origin(at: owner.store)?.memberRows(of: owner, slot: slot)
  }
}
