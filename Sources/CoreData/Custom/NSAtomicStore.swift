// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel
import _CoreDataStore

/// A custom store that is read and written as a whole, for example a file in a format of its own.
///
/// A subclass overrides `load()`, which creates a node for each object, `save()`, which writes the nodes, and
/// `newReferenceObject(for:)`. This library executes fetches in memory. docs/custom-stores.md has an example.
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
  /// An override adds no nodes if the store does not exist yet.
  /// - Throws: an error of the subclass, which `addPersistentStore` then throws;
  ///   `NSPersistentStoreUnsupportedRequestTypeError` (134091), unless the method is overridden.
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
  ///   `NSPersistentStoreUnsupportedRequestTypeError` (134091), unless the method is overridden.
  ///
  /// Source: documented, “save()”.
  open func save() throws {
    throw StoreClasses.notOverridden("save()", Swift.type(of: self), "The store cannot be saved.")
  }

  /// Returns a node for a new object.
  ///
  /// The default implementation copies the object's values to the node.
  /// `updateCacheNode(_:from:)` is called afterwards, when the nodes of all new objects exist.
  ///
  /// Source: documented, “newCacheNode(for:)”.
  open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
    let node = NSAtomicStoreCacheNode(objectID: managedObject.objectID)
    NodeValues(self).copy(managedObject, to: node)
    return node
  }

  /// Copies the values of a changed or new object to its node.
  ///
  /// The default implementation copies all values.
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

  /// Returns the reference object for a new object: a value that is unique in the object's entity hierarchy
  /// and is the same each time the store is loaded.
  ///
  /// The default implementation stops the program.
  ///
  /// Source: documented, “newReferenceObject(for:)”.
  open func newReferenceObject(for managedObject: NSManagedObject) -> Any {
    Misuse.storeHasNoReferences(self)
  }

  /// Sets `metadata` to the result of the class method `metadataForPersistentStore(with:)` if the file at
  /// the URL exists and is not empty, otherwise to new metadata with a random UUID.
  ///
  /// Does nothing if the initializer of the subclass has set `metadata`.
  /// - Throws: the errors of `metadataForPersistentStore(with:)`.
  open override func loadMetadata() throws {
    if metadata != nil { return }
    let path = url?.isFileURL == true ? url?.path : nil
    // The error is dropped: a file whose attributes cannot be read is treated as missing.
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
  /// An added node replaces an existing node of the same object.
  ///
  /// Source: documented, “addCacheNodes(_:)”.
  open func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
    guard let rows = adapter.withLock({ $0 }) else { Misuse.storeHasNoCoordinator(self) }
    rows.add(cacheNodes)
  }

  /// Returns the node of an object; nil if the store has no node of that object.
  ///
  /// Source: documented, “cacheNode(for:)”.
  open func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
    adapter.withLock { $0 }?.nodes[objectID.key]
  }

  // MARK: IDs

  /// Returns the ID of the object of `entity` that the reference object `data` identifies in this store.
  ///
  /// `newObjectID(for:referenceObject:)` of `NSIncrementalStore` describes which values can be reference
  /// objects. Stops the program if the entity does not belong to the store's model, or if the entity
  /// hierarchy already has 2^41 - 1 objects.
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

  /// The greatest number assigned to a reference object in each hierarchy, by the index of the root entity.
  final var lastNumbers: [Int: Int64] { references.lastNumbers }
}
