// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// The rows of an incremental store: converts the calls of a `RowStore` to calls of the program's class.
///
/// A lock ensures that the class is called by one thread at a time, because classes written for Apple's
/// framework rely on that. The lock is recursive, because a class may fetch from its own store or fire faults
/// while it executes a request.
final class IncrementalRows: CustomRows, @unchecked Sendable {
  // Unchecked: the lock guards `versions` and `isClosed`; the rest does not change.
  let identifier: String
  let type: String
  let index: Int
  let frozen: FrozenModel
  private(set) weak var coordinator: NSPersistentStoreCoordinator?
  private(set) weak var store: NSIncrementalStore?
  private let lock = NSRecursiveLock()
  var versions = VersionTable()
  private var isClosed = false

  init(_ store: NSIncrementalStore, _ coordinator: NSPersistentStoreCoordinator) {
    identifier = store.uuid
    type = store.place.type ?? store.type
    index = store.index
    frozen = coordinator.frozen
    self.coordinator = coordinator
    self.store = store
  }

  func calling<T>(_ body: (NSIncrementalStore) throws -> T) throws -> T {
    lock.lock()
    defer { lock.unlock() }
    guard !isClosed, let store else { throw closed }
    return try body(store)
  }

  func close() {
    lock.lock()
    defer { lock.unlock() }
    isClosed = true
    coordinator?.registrations.setObserver(nil, ofStore: index)
  }

  // MARK: Contexts

  func view(
    for context: NSManagedObjectContext,
    executing request: NSFetchRequest<NSFetchRequestResult>?
  ) -> any RowStore {
    IncrementalView(self, context, request)
  }

  /// Calls `body` with a view for a new context, which contains no objects.
  private func withView<T>(_ body: (IncrementalView) throws -> T) throws -> T {
    try withNewContext { try body(IncrementalView(self, $0, nil)) }
  }

  // MARK: Registered objects

  /// Informs the store's class that contexts have registered or unregistered the objects with `keys`.
  func report(_ change: RegistrationLog.Change, _ keys: [ObjectKey]) {
    // The error is dropped, because a removed store does not need this information.
    try? calling { store in
      let ids = keys.map {
        NSManagedObjectID(key: $0, entity: frozen.entities[$0.entity], store: store)
      }
      switch change {
      case .registered: store.managedObjectContextDidRegisterObjects(with: ids)
      case .unregistered: store.managedObjectContextDidUnregisterObjects(with: ids)
      }
    }
  }

  // MARK: Reading

  func fetch(_ description: FetchDescription) throws -> FetchResult {
    try withView { view in
      let result = try view.fetch(description)
      guard case .rows = description.shape, case .keys(let keys) = result else { return result }
      return .rows(try view.rows(for: keys))
    }
  }

  /// Leaves no part of the fetch to the caller, because an incremental store receives the whole fetch.
  func divided(_ description: FetchDescription) throws -> DividedFetch { DividedFetch(description) }

  func rows(for keys: [ObjectKey]) throws -> FetchedRows { try withView { try $0.rows(for: keys) } }

  func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]] {
    try withView { try $0.members(of: owners, slot: slot) }
  }

  // MARK: Metadata

  func requestMetadataSave(by store: NSIncrementalStore) throws {
    let request = NSSaveChangesRequest(inserted: nil, updated: nil, deleted: nil, locked: nil)
    request.affectedStores = [store]
    _ = try store.execute(request, with: nil)
  }

  // MARK: Writing

  func permanentKeys(for objects: [NSManagedObject]) throws -> [ObjectKey] {
    try calling { store in
      let ids = try store.obtainPermanentIDs(for: objects)
      guard ids.count == objects.count else {
        throw CustomStoreErrors.wrongResult(
          store,
          "obtainPermanentIDs(for:)",
          "\(ids.count) IDs for \(CellText.objects(objects.count)). Return one ID for each object"
        )
      }
      return try zip(objects, ids).map { object, id in
        guard id.coordinatorNumber == store.coordinatorNumber, id.key.store == index,
          !id.isTemporaryID
        else {
          throw CustomStoreErrors.wrongResult(
            store,
            "obtainPermanentIDs(for:)",
            "the ID \(id.uriRepresentation().absoluteString), which is not a permanent ID of this store. "
              + "Create the IDs with newObjectID(for:referenceObject:)"
          )
        }
        return id.key.with(entity: object.key.entity)
      }
    }
  }

  func save(_ batch: SaveBatch, beforeCommit body: () throws -> Void) throws -> SaveOutcome {
    try withView { view in
      let changes = try view.context.graph.absorb(batch)
      let inserted = changes.inserted.map(NSManagedObjectContext.managed)
      let new = inserted.filter { $0.key.isTemporary }
      if !new.isEmpty {
        view.context.graph.makePermanent(new, try permanentKeys(for: new))
      }
      return try view.write(
        IncrementalChanges(
          inserted: inserted,
          updated: changes.updated.map(NSManagedObjectContext.managed),
          deleted: changes.deleted.map(NSManagedObjectContext.managed)
        ),
        of: batch,
        beforeCommit: body
      )
    }
  }

  func endingWrites<T>(_ body: ([Int: Int64]) throws -> T) throws -> T {
    let result = try calling { store in try body(store.lastNumbers) }
    close()
    return result
  }

  // MARK: Other requests

  func execute(
    _ request: NSPersistentStoreRequest,
    in context: NSManagedObjectContext
  ) throws -> Any {
    try calling { try $0.execute(request, with: context) }
  }
}
