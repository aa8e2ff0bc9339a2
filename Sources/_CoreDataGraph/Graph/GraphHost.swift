// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// The operations that a graph needs from the context that owns it.
package protocol GraphHost: AnyObject {
  /// Returns a new fault for `key`, of the class that the model names; the caller registers it.
  func makeObject(for key: ObjectKey) -> GraphObject
  /// Returns the rows of `keys` from the store or the parent; leaves out keys without a row.
  ///
  /// All keys must belong to one store.
  func loadRows(_ keys: [ObjectKey]) throws -> FetchedRows
  /// Returns the row of one key from the store or the parent, as `RowOrigin.row(for:into:)` does.
  func loadRow(_ key: ObjectKey, into open: RowChunk?) throws -> LoadedRow?
  /// Returns the members of a to-many of each of `owners`, from the store or the parent.
  ///
  /// All owners must belong to one store, and inherit the to-many from one entity.
  func loadMembers(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]]
  /// Returns the members of a to-many of each of `owners`, and the rows of these members.
  ///
  /// See `RowOrigin.related(to:slot:)`.
  func loadRelated(of owners: [ObjectKey], slot: Int) throws -> RelatedRows
  /// Returns the objects of `rows`, in the order of the fetch.
  ///
  /// Objects that are not faults are not changed. Registered faults get these rows, and other rows become new
  /// faults.
  func objects(of rows: FetchedRows) -> [GraphObject]
  /// Called when the row of a fault that fires no longer exists; the object becomes inaccessible if the call
  /// returns.
  ///
  /// `slot` is the slot of the property that is read; nil if the property is not known.
  func rowVanished(_ object: GraphObject, slot: Int?)
  /// Called after a fault has fired; the context calls `awakeFromFetch`.
  func didRealize(_ object: GraphObject)
  /// Called by `ObjectGraph.delete(_:)`, also for an object that is already deleted; the context calls
  /// `prepareForDeletion`.
  func willDelete(_ object: GraphObject)
  /// Called when the first change since the last processing of pending changes is recorded.
  func changesBegan()
  /// Called before one property of a watched object changes.
  func willChange(_ object: GraphObject, slot: Int)
  /// Called after one property of a watched object has changed.
  func didChange(_ object: GraphObject, slot: Int)
  /// Called before all values of a watched object are replaced.
  func willReplaceValues(of object: GraphObject)
  /// Called after all values of a watched object were replaced.
  func didReplaceValues(of object: GraphObject)
  /// Stops the program, because rows or the members of a to-many could not be read.
  func faultFailed(_ object: GraphObject, _ error: any Error) -> Never
}
