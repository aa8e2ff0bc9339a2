// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

struct BatchExecution {
  let model: FrozenModel
  private let request: NSPersistentStoreRequest
  private let context: NSManagedObjectContext
  let coordinator: NSPersistentStoreCoordinator

  init(_ request: NSPersistentStoreRequest, _ context: NSManagedObjectContext) throws {
    guard let coordinator = context.coordinator else { Misuse.contextHasNoCoordinator(context) }
    self.request = request
    self.context = context
    self.coordinator = coordinator
    model = coordinator.frozen
  }

  /// Returns the definition of `entity` if it belongs to the coordinator's model, otherwise the definition
  /// of the model's entity with the given name.
  ///
  /// - Throws: `NSCoreDataError` (134060) if the model has no entity with that name.
  func entity(_ entity: NSEntityDescription?, named name: String) throws -> EntityDefinition {
    if let entity, entity.frozen === model { return model.definition.entities[entity.frozenIndex] }
    if name.isEmpty {
      throw coreDataError(
        NSCoreDataError,
        "The batch request cannot be executed.",
        "The batch request has no entity. Create it with an entity or with the name of an entity."
      )
    }
    guard let found = model.definition.entity(named: name) else {
      throw coreDataError(
        NSCoreDataError,
        "The batch request cannot be executed, because the model has no entity named “\(name)”.",
        noEntity(named: name, in: model.definition)
      )
    }
    return found
  }

  /// Returns which keys the stores must report: those that `wanted` names and, if any context of the
  /// coordinator merges batch changes automatically, the keys of all changed rows.
  func report(_ wanted: BatchReport) -> BatchReport {
    coordinator.hasBatchFollowers ? wanted.union(.changes) : wanted
  }

  // MARK: Stores

  /// Returns the stores that can hold rows of the entity or of its subentities.
  ///
  /// The result is limited to the first of these lists that is not nil: the request's `affectedStores`;
  /// `held`, the stores of the request's object IDs; `others`, the `affectedStores` of the request's fetch
  /// request.
  ///
  /// - Throws: `NSPersistentStoreUnsupportedRequestTypeError` (134091) if one of the remaining stores is not
  ///   an SQLite store; `NSPersistentStoreOperationError` (134070) if no store remains.
  func stores(
    of entity: EntityDefinition,
    ofIDs held: [NSPersistentStore]? = nil,
    or others: [NSPersistentStore]? = nil
  ) throws -> [any BatchStore] {
    let stores = try candidates(entity, held, others)
    return try stores.map { store in
      guard let rows = store.rows as? any BatchStore else {
        throw coreDataError(
          NSPersistentStoreUnsupportedRequestTypeError,
          "The persistent store cannot execute the request.",
          "The store \(store.locationInText) is of type \(store.type), and only SQLite stores support batch "
            + "requests. Insert, change or delete the objects in a context instead, limit affectedStores to "
            + "SQLite stores, or add the store as \(NSSQLiteStoreType)."
        )
      }
      return rows
    }
  }

  private func candidates(
    _ entity: EntityDefinition,
    _ held: [NSPersistentStore]?,
    _ others: [NSPersistentStore]?
  ) throws -> [NSPersistentStore] {
    let holding = coordinator.stores(forEntity: entity)
    if holding.isEmpty {
      throw noStore(
        coordinator.persistentStores.isEmpty
          ? "The coordinator has no stores. Add one with addPersistentStore or loadPersistentStores."
          : "No store of the coordinator has a configuration that contains the entity \(entity.name). Add a "
            + "store with such a configuration."
      )
    }
    guard let affected = request.affectedStores ?? held ?? others else { return holding }
    let stores = holding.filter { store in affected.contains { $0 === store } }
    if stores.isEmpty {
      throw noStore(
        request.affectedStores == nil && held != nil
          ? "The object IDs belong to no store of the coordinator whose configuration contains the entity "
            + "\(entity.name). Use IDs of objects in such a store."
          : "affectedStores\(request.affectedStores == nil ? " of the fetch request" : "") contains no store "
            + "of the coordinator whose configuration contains the entity \(entity.name). Add such a store "
            + "to affectedStores, or set affectedStores to nil for all stores."
      )
    }
    return stores
  }

  private func noStore(_ reason: String) -> NSError {
    coreDataError(
      NSPersistentStoreOperationError,
      "The batch request cannot be executed.",
      reason
    )
  }

  // MARK: Work

  /// Runs `work` in each of the stores, and passes the outcome to the contexts that merge batch changes
  /// automatically.
  ///
  /// No store commits before the work has succeeded in all of them.
  func run(on stores: [any BatchStore], _ work: BatchWork) throws -> BatchOutcome {
    // Every coordinator uses the same order, so that two batches cannot deadlock.
    let ordered = stores.sorted { $0.identifier < $1.identifier }
    var total = BatchOutcome()
    var writes: [StoreWrite] = []
    defer { coordinator.didWrite(writes) }
    // The author is read before a store is locked, because reading the author may wait for a parent's
    // queue, whose work may be waiting for that store.
    try run(ordered[...], work, by: context.historyAuthor, total: &total, writes: &writes)
    coordinator.didExecuteBatch(total, by: context)
    return total
  }

  private func run(
    _ stores: ArraySlice<any BatchStore>,
    _ work: BatchWork,
    by author: HistoryAuthor,
    total: inout BatchOutcome,
    writes: inout [StoreWrite]
  ) throws {
    guard let store = stores.first else { return }
    let outcome = try store.execute(work, by: author) {
      try run(stores.dropFirst(), work, by: author, total: &total, writes: &writes)
    }
    if outcome.count > 0 {
      writes.append(StoreWrite(store: store.index, transaction: outcome.transaction))
    }
    total.count += outcome.count
    total.keys += outcome.keys
    total.inserted += outcome.inserted
    total.updated += outcome.updated
    total.deleted += outcome.deleted
  }

  /// Inserts the rows into the first writable store of the request whose configuration contains the entity.
  ///
  /// If every such store is read-only, the insertion fails with the error of the first one. A store whose
  /// configuration contains only subentities of the entity is not used.
  ///
  /// - Throws: `NSPersistentStoreOperationError` (134070) if no store contains the entity; the errors of the
  ///   store and of `InsertedRows.next()`.
  func insert(
    _ entity: EntityDefinition,
    from request: NSBatchInsertRequest,
    _ wanted: BatchReport
  ) throws -> BatchOutcome {
    let stores = try stores(of: entity).filter { store in
      coordinator.store(at: store.index)?.entities?.contains(entity.index) ?? true
    }
    guard let store = stores.first(where: { !$0.isReadOnly }) ?? stores.first else {
      throw noStore(
        "Each of the request's stores contains subentities of \(entity.name), but not \(entity.name) itself. "
          + "Insert rows of a subentity, or use a store whose configuration contains the entity."
      )
    }
    let duplicates = Self.duplicates(under: context.mergePolicy)
    let source = InsertedRows(
      request,
      entity: entity,
      model: model,
      reportsNamedSlots: duplicates == .overwriteGivenProperties
        && !entity.uniquenessConstraints.isEmpty
    )
    let insert = BatchInsert(
      entity: entity.index,
      duplicates: duplicates,
      report: report(wanted),
      next: source.next
    )
    return try run(on: [store], .insert(insert))
  }

  /// Returns how a merge policy handles rows that violate a uniqueness constraint; a policy that is not an
  /// `NSMergePolicy` counts as the error policy.
  ///
  /// Source: behaviour.md INS-2 for `mergeByPropertyObjectTrump`; SAVE-7 for the other policies.
  private static func duplicates(under policy: Any) -> BatchInsert.Duplicates {
    switch (policy as? NSMergePolicy)?.mergeType {
    case nil, .errorMergePolicyType: .refuse
    case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType: .keep
    case .mergeByPropertyObjectTrumpMergePolicyType: .overwriteGivenProperties
    case .overwriteMergePolicyType: .overwrite
    }
  }
}
