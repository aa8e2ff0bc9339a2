// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataStore

/// What the graph asks of the context that owns it.
package protocol GraphHost: AnyObject {
  /// A new fault for `key`, of the class that the model names; the graph registers it.
  func makeObject(for key: ObjectKey) -> GraphObject
  /// The rows of `keys` in the store or the parent; a key without a row is left out.
  func loadRows(_ keys: [ObjectKey]) throws -> FetchedRows
  /// The members of a to-many in the store or the parent.
  func loadMembers(of owner: ObjectKey, slot: Int) throws -> [ObjectKey]
  /// A fault's row is gone; the object becomes inaccessible unless the context stops.
  func rowVanished(_ object: GraphObject)
  /// Values were realised: `awakeFromFetch`.
  func didRealize(_ object: GraphObject)
  /// The object is about to be deleted, by the user or by a cascade: `prepareForDeletion`.
  func willDelete(_ object: GraphObject)
  /// The first change since the last processing of pending changes.
  func changesBegan()
  /// A fault could not be fired for another reason than a missing row.
  func faultFailed(_ object: GraphObject, _ error: any Error) -> Never
}
