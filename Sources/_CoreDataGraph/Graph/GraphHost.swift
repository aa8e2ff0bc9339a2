// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// What the graph asks of the context that owns it.
package protocol GraphHost: AnyObject {
  /// A new fault for `key`, of the class that the model names; the graph registers it.
  func makeObject(for key: ObjectKey) -> GraphObject
  /// The rows of `keys` in the store or the parent; a key without a row is left out.
  func loadRows(_ keys: [ObjectKey]) throws -> FetchedRows
  /// The row of one key in the store or the parent, as `RowOrigin.row(for:into:)` gives it.
  func loadRow(_ key: ObjectKey, into open: RowChunk?) throws -> LoadedRow?
  /// The members of a to-many of each of `owners`, which share a store and the property, in the store
  /// or the parent: one statement.
  func loadMembers(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]]
  /// The members of a to-many of each of `owners` and their rows, as `RowOrigin.related(to:slot:)`.
  func loadRelated(of owners: [ObjectKey], slot: Int) throws -> RelatedRows
  /// The objects of rows: realised ones as they are, faults with these rows, new faults.
  func objects(of rows: FetchedRows) -> [GraphObject]
  /// A fault's row is gone; the object becomes inaccessible unless the context stops. `slot` is the
  /// property that was asked for, where it is known.
  func rowVanished(_ object: GraphObject, slot: Int?)
  /// Values were realised: `awakeFromFetch`.
  func didRealize(_ object: GraphObject)
  /// The object is about to be deleted, by the user or by a cascade: `prepareForDeletion`.
  func willDelete(_ object: GraphObject)
  /// The first change since the last processing of pending changes.
  func changesBegan()
  /// One property of a watched object is about to change.
  func willChange(_ object: GraphObject, slot: Int)
  /// One property of a watched object has changed.
  func didChange(_ object: GraphObject, slot: Int)
  /// All values of a watched object are about to be replaced.
  func willReplaceValues(of object: GraphObject)
  /// All values of a watched object were replaced.
  func didReplaceValues(of object: GraphObject)
  /// A fault could not be fired for another reason than a missing row.
  func faultFailed(_ object: GraphObject, _ error: any Error) -> Never
}
