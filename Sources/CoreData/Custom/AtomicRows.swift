// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// The rows of an atomic store, in a `MemoryStore` with the values of the nodes.
///
/// Fetches read only the `MemoryStore`. The methods of the store's class are called by one thread at a time.
final class AtomicRows: CustomRows, @unchecked Sendable {
  // Unchecked: `memory` is set before the store is added; `lock` guards the calls of the store's class.
  let identifier: String
  let type: String
  let index: Int
  let frozen: FrozenModel
  let nodes: NodeTable
  private(set) weak var coordinator: NSPersistentStoreCoordinator?
  private(set) weak var store: NSAtomicStore?
  private let lock = NSRecursiveLock()
  private var memory: MemoryStore?

  init(_ store: NSAtomicStore, _ coordinator: NSPersistentStoreCoordinator) {
    identifier = store.uuid
    type = store.place.type ?? store.type
    index = store.index
    frozen = coordinator.frozen
    nodes = NodeTable(coordinator.frozen.definition)
    self.coordinator = coordinator
    self.store = store
  }

  // MARK: Loading

  /// Adds nodes.
  ///
  /// Nodes that are added after `open()` change no rows until the store is loaded again.
  func add(_ added: Set<NSAtomicStoreCacheNode>) {
    for node in added { nodes[node.objectID.key] = node }
  }

  /// Creates the rows from the nodes that `load()` has added.
  ///
  /// - Throws: `NSManagedObjectConstraintMergeError` if objects violate a uniqueness constraint; the
  ///   errors of `NodeValues.batch(of:_:)`.
  func open() throws {
    try calling { store in
      let all = nodes.all.sorted { $0.objectID.key.raw < $1.objectID.key.raw }
      let transfer = ContentTransfer(
        model: model,
        objects: try NodeValues(store).batch(of: all, frozen),
        lastNumbers: store.lastNumbers,
        metadata: StoreMetadata()
      )
      do {
        memory = try MemoryStore(transfer, index: index, type: type)
      } catch let error as StoreError {
        throw cocoaError(error)
      }
    }
  }

  func calling<T>(_ body: (NSAtomicStore) throws -> T) throws -> T {
    lock.lock()
    defer { lock.unlock() }
    guard let store else { throw closed }
    return try body(store)
  }

  private func loaded() throws -> MemoryStore {
    guard let memory else { throw closed }
    return memory
  }

  func close() { memory?.close() }

  // MARK: Reading

  func fetch(_ description: FetchDescription) throws -> FetchResult {
    try loaded().fetch(description)
  }
  func divided(_ description: FetchDescription) throws -> DividedFetch {
    try loaded().divided(description)
  }
  func rows(for keys: [ObjectKey]) throws -> FetchedRows { try loaded().rows(for: keys) }
  func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]] {
    try loaded().members(of: owners, slot: slot)
  }

  // MARK: Metadata

  func metadata() throws -> StoreMetadata {
    _ = try loaded().metadata()
    return try calling { store in
      StoreMetadata(CustomMetadata(store, frozen).completed(store.metadata ?? [:]))
    }
  }

  func requestMetadataSave(by store: NSAtomicStore) throws { try store.save() }

  // MARK: Writing

  func view(
    for context: NSManagedObjectContext,
    executing request: NSFetchRequest<NSFetchRequestResult>?
  ) -> any RowStore {
    AtomicView(self, context)
  }

  func permanentKeys(for objects: [NSManagedObject]) throws -> [ObjectKey] {
    try calling { store in
      objects.map { object in
        let reference = store.newReferenceObject(for: object)
        return store.objectID(for: object.entity, withReferenceObject: reference).key
      }
    }
  }

  func save(_ batch: SaveBatch, beforeCommit body: () throws -> Void) throws -> SaveOutcome {
    try withNewContext { context in
      let objects = try context.graph.absorb(batch)
      let inserted = objects.inserted.map(NSManagedObjectContext.managed)
      let former = inserted.map(\.key)
      let new = inserted.filter { $0.key.isTemporary }
      if !new.isEmpty { context.graph.makePermanent(new, try permanentKeys(for: new)) }
      let changes = AtomicChanges(
        inserted: inserted,
        updated: objects.updated.map(NSManagedObjectContext.managed),
        deleted: objects.deleted.map(NSManagedObjectContext.managed)
      )
      let keys = Dictionary(zip(former, inserted.map(\.key))) { first, _ in first }
      return try write(changes, batch, keys, beforeCommit: body)
    }
  }

  /// Applies the changes to the nodes, saves the store, and applies the batch to the rows.
  ///
  /// `changes` contains the objects of the batch. `keys` maps the temporary keys of new objects to their
  /// permanent keys. `body` runs before the store's `save()`.
  func write(
    _ changes: AtomicChanges,
    _ batch: SaveBatch,
    _ keys: [ObjectKey: ObjectKey] = [:],
    beforeCommit body: () throws -> Void
  ) throws -> SaveOutcome {
    try calling { store in
      try checkWritable(store)
      return try loaded().save(
        batch,
        keys: keys,
        preparing: { _, _ in
          let edit = NodeEdit(nodes, store)
          edit.apply(changes)
          return { isCommitted in
            do {
              if isCommitted { try store.save() } else { edit.revert() }
            } catch {
              edit.revert()
              throw error
            }
            // `save()` has written the metadata together with the nodes.
            _ = store.consumeUnsavedMetadata()
          }
        },
        beforeCommit: body
      )
    }
  }

  func endingWrites<T>(_ body: ([Int: Int64]) throws -> T) throws -> T {
    let result = try calling { store in try body(store.lastNumbers) }
    close()
    return result
  }

  func execute(
    _ request: NSPersistentStoreRequest,
    in context: NSManagedObjectContext
  ) throws -> Any {
    throw coreDataError(
      NSPersistentStoreUnsupportedRequestTypeError,
      "The persistent store cannot execute the request.",
      "An atomic store executes only fetches and saves, not a request of the class \(Swift.type(of: request))."
    )
  }
}

/// The rows of an atomic store for one context; a save passes the context's objects to the store's class.
private final class AtomicView: ContextView, @unchecked Sendable {
  // Unchecked: the view is used only on the context's queue.
  let all: AtomicRows
  private let context: NSManagedObjectContext

  init(_ all: AtomicRows, _ context: NSManagedObjectContext) {
    self.all = all
    self.context = context
  }

  func fetch(_ description: FetchDescription) throws -> FetchResult { try all.fetch(description) }
  func rows(for keys: [ObjectKey]) throws -> FetchedRows { try all.rows(for: keys) }
  func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]] {
    try all.members(of: owners, slot: slot)
  }

  func save(_ batch: SaveBatch, beforeCommit body: () throws -> Void) throws -> SaveOutcome {
    func objects(_ keys: some Sequence<ObjectKey>) -> [NSManagedObject] {
      keys.map { context.object(for: $0) }
    }
    let changes = AtomicChanges(
      inserted: objects(batch.inserts.lazy.map(\.key)),
      updated: objects(batch.updates.lazy.map(\.key)),
      deleted: objects(batch.deletes.lazy.map(\.key))
    )
    return try all.write(changes, batch, beforeCommit: body)
  }
}
