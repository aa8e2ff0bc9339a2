// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// The operations that a graph needs from the context that owns it.
package protocol GraphHost: AnyObject {
  /// Returns a new fault for `key`, of the class that the model names; the caller registers the fault.
  func makeObject(for key: ObjectKey) -> GraphObject
  /// Returns the rows of `keys` from the store or the parent; leaves out keys that have no row.
  ///
  /// All keys must belong to one store.
  func loadRows(_ keys: [ObjectKey]) throws -> FetchedRows
  /// Returns the row of one key from the store or the parent, as `RowOrigin.row(for:into:)` does.
  func loadRow(_ key: ObjectKey, into open: RowChunk?) throws -> LoadedRow?
  /// Returns, for each owner, the members of one to-many, as read from the store or the parent.
  ///
  /// All owners must belong to one store, and inherit the to-many from one entity.
  func loadMembers(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]]
  /// Returns, for each owner, the members of one to-many, and the rows of all these members.
  ///
  /// See `RowOrigin.related(to:slot:)`.
  func loadRelated(of owners: [ObjectKey], slot: Int) throws -> RelatedRows
  /// Returns the objects for `rows`, in the order of the fetch.
  ///
  /// A registered fault gets its row from `rows`, and a registered object that is not a fault does not
  /// change. If no object is registered for a row, the row becomes a new fault.
  func objects(of rows: FetchedRows) -> [GraphObject]
  /// Called when a fault fires but its row no longer exists; the object becomes inaccessible if the call
  /// returns.
  ///
  /// `slot` is the slot of the property that is read; nil if the property is not known.
  func rowVanished(_ object: GraphObject, slot: Int?)
  /// Called when a fault has fired, before `didRealize(_:)`, if the model has transient attributes.
  ///
  /// The context sets the transient values that rows cannot hold.
  func setTransientObjects(of object: GraphObject)
  /// Called after a fault has fired; the context calls `awakeFromFetch`.
  func didRealize(_ object: GraphObject)
  /// Called by `ObjectGraph.delete(_:)`, even for an object that is already deleted; the context calls
  /// `prepareForDeletion`.
  func willDelete(_ object: GraphObject)
  /// Called when the first change of an event is recorded.
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
