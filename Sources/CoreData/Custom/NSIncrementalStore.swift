// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel
import _CoreDataStore

/// The base class of custom stores that read objects one by one, for example from a web service or a folder
/// of files.
///
/// A subclass overrides `loadMetadata()`, `execute(_:with:)`, `newValuesForObject(with:with:)`,
/// `newValue(forRelationship:forObjectWith:with:)` and, if objects can be inserted,
/// `obtainPermanentIDs(for:)`. Register the subclass with `registerStoreClass(_:type:)`. The methods of one
/// store are called one at a time, on the threads of the contexts. docs/custom-stores.md explains how to
/// write each method.
///
/// Source: documented, “NSIncrementalStore”.
open class NSIncrementalStore: NSPersistentStore, @unchecked Sendable {
  // Unchecked: both constants are thread-safe.
  private let references = StoreReferences()
  private let adapter = Mutex<IncrementalRows?>(nil)

  // MARK: For subclasses

  /// Executes a request: a fetch or a save.
  ///
  /// - Parameters:
  ///   - request: for a fetch, an `NSFetchRequest<NSFetchRequestResult>`, whose `resultType` determines what
  ///     to return. For a save, an `NSSaveChangesRequest`.
  ///   - context: the context that fetches or saves; nil for a request that only saves metadata.
  /// - Returns: for a fetch, an array of objects from `context.object(with:)`, of IDs, of dictionaries, or of
  ///   one number. For a save, an empty array.
  /// - Throws: an error of the subclass, which the fetch or save then throws. If a save throws
  ///   `NSManagedObjectMergeError` (133020) or `NSPersistentStoreSaveConflictsError` (134050) with merge
  ///   conflicts under `NSPersistentStoreSaveConflictsErrorKey`, the context's merge policy resolves the
  ///   conflicts, and the context saves again. `NSPersistentStoreUnsupportedRequestTypeError` (134091) if the
  ///   subclass does not override this method.
  ///
  /// Source: documented, “execute(_:with:)”; the resolution of conflicts is this library's choice.
  open func execute(
    _ request: NSPersistentStoreRequest,
    with context: NSManagedObjectContext?
  ) throws -> Any {
    throw StoreClasses.notOverridden(
      "execute(_:with:)",
      Swift.type(of: self),
      "The persistent store cannot execute the request."
    )
  }

  /// Returns the values of an object; called when a fault fires.
  ///
  /// - Throws: `NSManagedObjectReferentialIntegrityError` (133000) if the store has no such object; any other
  ///   error of the subclass if the object cannot be read; `NSPersistentStoreUnsupportedRequestTypeError`
  ///   (134091) if the subclass does not override this method.
  ///
  /// Source: documented, “newValuesForObject(with:with:)”; the code for an object that does not exist is this
  /// library's choice.
  open func newValuesForObject(
    with objectID: NSManagedObjectID,
    with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    throw StoreClasses.notOverridden(
      "newValuesForObject(with:with:)",
      Swift.type(of: self),
      "The values of an object cannot be read from the persistent store."
    )
  }

  /// Returns the destinations of a relationship: for a to-many, a collection of IDs, in order if the
  /// relationship is ordered; for a to-one that the object's node does not have, an ID or `NSNull`.
  ///
  /// Called for a to-many when it is read for the first time, and for such a to-one when the values of its
  /// object are read.
  /// - Throws: an error of the subclass; `NSPersistentStoreUnsupportedRequestTypeError` (134091) if the
  ///   subclass does not override this method.
  ///
  /// Source: documented, “newValue(forRelationship:forObjectWith:with:)”.
  open func newValue(
    forRelationship relationship: NSRelationshipDescription,
    forObjectWith objectID: NSManagedObjectID,
    with context: NSManagedObjectContext?
  ) throws -> Any {
    throw StoreClasses.notOverridden(
      "newValue(forRelationship:forObjectWith:with:)",
      Swift.type(of: self),
      "The relationship \(relationship.name) of an object cannot be read from the persistent store."
    )
  }

  /// Returns a permanent ID for each new object, in the order of `array`; called before a save that inserts
  /// the objects.
  ///
  /// Create the IDs with `newObjectID(for:referenceObject:)`.
  /// - Throws: an error of the subclass; `NSPersistentStoreUnsupportedRequestTypeError` (134091) if the
  ///   subclass does not override this method.
  ///
  /// Source: documented, “obtainPermanentIDs(for:)”.
  open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
    throw StoreClasses.notOverridden(
      "obtainPermanentIDs(for:)",
      Swift.type(of: self),
      "New objects cannot be inserted into the persistent store."
    )
  }

  /// Returns an identifier for a new store at `storeURL`; by default, a random UUID as a string.
  ///
  /// Call this method in `loadMetadata()`.
  ///
  /// Source: documented, “identifierForNewStore(at:)”.
  open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

  /// Called after a context has registered objects with permanent IDs; the store may cache the values of the
  /// objects until they are unregistered.
  ///
  /// The call comes with a delay, on a thread of this library. If several contexts register an object, the
  /// store receives the object's ID once for each context.
  ///
  /// Source: documented, “managedObjectContextDidRegisterObjects(with:)”.
  open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

  /// Called after a context has unregistered objects: each ID is passed as often as it was passed to
  /// `managedObjectContextDidRegisterObjects(with:)`.
  ///
  /// Source: documented, “managedObjectContextDidUnregisterObjects(with:)”.
  open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

  // MARK: IDs

  /// Returns the ID of the object of `entity` that the reference object `data` identifies in this store.
  ///
  /// A reference object is a string, a number, data, or another value whose description is unique in the
  /// entity hierarchy. The description becomes a part of the ID's URI, so it must be the same each time the
  /// store is opened.
  ///
  /// Stops the program if the entity does not belong to the store's model, or if the entity hierarchy already
  /// has 2^41 - 1 objects.
  ///
  /// Source: documented, “newObjectID(for:referenceObject:)”.
  open func newObjectID(
    for entity: NSEntityDescription,
    referenceObject data: Any
  ) -> NSManagedObjectID {
    references.id(of: entity, reference: data, in: self)
  }

  /// Returns the reference object of an ID of this store.
  ///
  /// For an ID that was created from a URI, this is the text in the URI, or a number if the store uses
  /// numbers. After the store has passed its own reference object to `newObjectID(for:referenceObject:)`,
  /// this is that reference object.
  ///
  /// Stops the program for an ID of another store, and for a temporary ID.
  ///
  /// Source: documented, “referenceObject(for:)”.
  open func referenceObject(for objectID: NSManagedObjectID) -> Any {
    references.reference(of: objectID, in: self)
  }

  // MARK: Implementation

  package final override var rows: any RowStore {
    guard let rows = adapter.withLock({ $0 }) else { Misuse.storeHasNoCoordinator(self) }
    return rows
  }

  final override func openRows() throws {
    guard let coordinator = persistentStoreCoordinator else { Misuse.storeHasNoCoordinator(self) }
    let rows = IncrementalRows(self, coordinator)
    adapter.withLock { $0 = rows }
    coordinator.registrations.setObserver(
      { [weak rows] change, keys in rows?.report(change, keys) },
      ofStore: index
    )
  }

  /// The greatest number assigned to a reference object in each hierarchy, by the index of the root entity.
  final var lastNumbers: [Int: Int64] { references.lastNumbers }

  final override func reference(of key: ObjectKey) -> String? {
    references.text(of: key)
  }

  final override func key(of entity: EntityDefinition, named text: String) -> ObjectKey? {
    references.key(of: entity, text: text, in: self)
  }
}
