// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel
import _CoreDataStore

/// A custom store that is read and written as a whole, for example a file in a format of its own.
///
/// A subclass overrides `load()`, which creates a node for each object, `save()`, which writes the nodes, and
/// `newReferenceObject(for:)`. Fetches, predicates and sort descriptors are evaluated in memory by this
/// library. docs/custom-stores.md has an example.
///
/// Source: documented, “NSAtomicStore”.
open class NSAtomicStore: NSPersistentStore, @unchecked Sendable {
  // Unchecked: the constants are thread-safe.
  private let references = StoreReferences()
  private let adapter = Mutex<AtomicRows?>(nil)

  /// Creates a custom store; the coordinator calls this initializer, and then
  /// `loadMetadata()` and `load()`.
  ///
  /// Source: documented, “init(persistentStoreCoordinator:configurationName:at:options:)”.
  public required init(
    persistentStoreCoordinator root: NSPersistentStoreCoordinator?,
    configurationName name: String?,
    at url: URL,
    options: [AnyHashable: Any]? = nil
  ) {
    super.init(
      persistentStoreCoordinator: root,
      configurationName: name,
      at: url,
      options: options
    )
  }

  // MARK: For subclasses

  /// Reads the store, and passes a node for each object to `addCacheNodes(_:)`; called once, when the store is
  /// added.
  ///
  /// A store that does not exist yet has no nodes.
  /// - Throws: an error of the subclass, which `addPersistentStore` then throws;
  ///   `NSPersistentStoreUnsupportedRequestTypeError` (134091), unless it is overridden.
  ///
  /// Source: documented, “load()”.
  open func load() throws {
    throw StoreClasses.notOverridden("load()", Swift.type(of: self), "The store cannot be loaded.")
  }

  /// Writes the nodes of `cacheNodes()` and the metadata.
  ///
  /// Called by each save of a context, after the nodes were created, updated and removed. If the method
  /// throws, the nodes get their former values back.
  /// - Throws: an error of the subclass, which the save then throws;
  ///   `NSPersistentStoreUnsupportedRequestTypeError` (134091), unless it is overridden.
  ///
  /// Source: documented, “save()”.
  open func save() throws {
    throw StoreClasses.notOverridden("save()", Swift.type(of: self), "The store cannot be saved.")
  }

  /// Returns a node for a new object: by default a node with the object's values.
  ///
  /// `updateCacheNode(_:from:)` is called afterwards, when the nodes of all new objects exist.
  ///
  /// Source: documented, “newCacheNode(for:)”.
  open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
    let node = NSAtomicStoreCacheNode(objectID: managedObject.objectID)
    NodeValues(self).copy(managedObject, to: node)
    return node
  }

  /// Copies the values of a changed or new object to its node; by default all values.
  ///
  /// Source: documented, “updateCacheNode(_:from:)”; that the method need not be overridden is this library's
  /// choice.
  open func updateCacheNode(
    _ node: NSAtomicStoreCacheNode,
    from managedObject: NSManagedObject
  ) {
    NodeValues(self).copy(managedObject, to: node)
  }

  /// Called before nodes of deleted objects are removed from `cacheNodes()`.
  ///
  /// Source: documented, “willRemoveCacheNodes(_:)”.
  open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

  /// Returns a new reference object for a new object, which identifies it in the hierarchy of its entity each
  /// time the store is loaded.
  ///
  /// Stops the program, unless it is overridden.
  ///
  /// Source: documented, “newReferenceObject(for:)”.
  open func newReferenceObject(for managedObject: NSManagedObject) -> Any {
    Misuse.storeHasNoReferences(self)
  }

  /// Loads the metadata: with `metadataForPersistentStore(with:)` of the class if the file at the URL exists
  /// and is not empty, otherwise new metadata with a random UUID.
  ///
  /// Does nothing if the initializer of the subclass has set `metadata`.
  /// - Throws: errors of the class.
  open override func loadMetadata() throws {
    if metadata != nil { return }
    let path = url?.isFileURL == true ? url?.path : nil
    // The error is dropped: a file without readable attributes is read below, which reports the error.
    let attributes = path.flatMap { try? FileManager.default.attributesOfItem(atPath: $0) }
    if let url, let attributes, (attributes[.size] as? NSNumber)?.intValue != 0 {
      metadata = try Swift.type(of: self).metadataForPersistentStore(with: url)
    } else {
      metadata = [NSStoreUUIDKey: UUID().uuidString, NSStoreTypeKey: place.type ?? type]
    }
  }

  // MARK: Nodes

  /// All nodes of the store.
  ///
  /// Source: documented, “cacheNodes()”.
  open func cacheNodes() -> Set<NSAtomicStoreCacheNode> {
    Set(adapter.withLock { $0 }?.nodes.all ?? [])
  }

  /// Adds nodes to the store; for use in `load()`.
  ///
  /// A node of an object that has one already replaces it.
  ///
  /// Source: documented, “addCacheNodes(_:)”.
  open func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
    guard let rows = adapter.withLock({ $0 }) else { Misuse.storeHasNoCoordinator(self) }
    rows.add(cacheNodes)
  }

  /// Returns the node of an object; nil if the store has none.
  ///
  /// Source: documented, “cacheNode(for:)”.
  open func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
    adapter.withLock { $0 }?.nodes[objectID.key]
  }

  // MARK: IDs

  /// Returns the ID of the object of an entity that a reference object identifies in the store.
  ///
  /// The reference object is as for `newObjectID(for:referenceObject:)` of `NSIncrementalStore`. Stops the
  /// program if the entity does not belong to the store's model.
  ///
  /// Source: documented, “objectID(for:withReferenceObject:)”.
  open func objectID(
    for entity: NSEntityDescription,
    withReferenceObject data: Any
  ) -> NSManagedObjectID {
    references.id(of: entity, reference: data, in: self)
  }

  /// Returns the reference object of an ID of this store.
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
    let rows = AtomicRows(self, coordinator)
    adapter.withLock { $0 = rows }
    try load()
    try rows.open()
  }

  final override func reference(of key: ObjectKey) -> String? { references.text(of: key) }

  final override func key(of entity: EntityDefinition, named text: String) -> ObjectKey? {
    references.key(of: entity, text: text, in: self)
  }

  /// Root entity → the greatest number that was assigned to a reference object.
  final var lastNumbers: [Int: Int64] { references.lastNumbers }
}
