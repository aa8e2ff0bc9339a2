// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// Executes one batch request: selects the stores, runs one transaction in each, and reports the outcome
/// to the contexts that merge batch changes.
struct BatchExecution {
  let model: FrozenModel
  private let request: NSPersistentStoreRequest
  private let context: NSManagedObjectContext
  let coordinator: NSPersistentStoreCoordinator

  init(_ request: NSPersistentStoreRequest, _ context: NSManagedObjectContext) throws {
    guard let coordinator = context.coordinator else { Misuse.contextHasNoModel(entityName: "") }
    self.request = request
    self.context = context
    self.coordinator = coordinator
    model = coordinator.frozen
  }

  /// Returns the entity in the coordinator's model.
  ///
  /// - Throws: 134060 if the model has no entity with that name.
  func entity(_ entity: NSEntityDescription?, named name: String) throws -> EntityDefinition {
    if let entity, entity.frozen === model { return model.definition.entities[entity.frozenIndex] }
    guard let found = model.definition.entity(named: name) else {
      throw coreDataError(
        NSCoreDataError,
        "There is no entity with that name.",
        noEntity(named: name, in: model.definition)
      )
    }
    return found
  }

  /// Returns what the stores must report: what the result needs and, if any context merges batch changes
  /// automatically, the changed keys.
  func report(_ wanted: BatchReport) -> BatchReport {
    coordinator.hasBatchFollowers ? wanted.union(.changes) : wanted
  }

  // MARK: Stores

  /// Returns the stores that hold rows of the entity, limited to the request's affected stores.
  ///
  /// - Throws: 134091 if one of these stores is not an SQLite store; 134070 if no store remains.
  func stores(
    of entity: EntityDefinition,
    or others: [NSPersistentStore]? = nil
  ) throws -> [any BatchStore] {
    let stores = try candidates(entity, others)
    return try stores.map { store in
      guard let rows = store.rows as? any BatchStore else {
        throw coreDataError(
          NSPersistentStoreUnsupportedRequestTypeError,
          "The persistent store cannot carry out the request.",
          "Unsupported request: only an SQLite store supports batch requests; the type of this store is "
            + "\(store.type). Fetch the objects and change or delete them in a context, or add the store "
            + "as \(NSSQLiteStoreType)."
        )
      }
      return rows
    }
  }

  private func candidates(
    _ entity: EntityDefinition,
    _ others: [NSPersistentStore]?
  ) throws -> [NSPersistentStore] {
    let affected = request.affectedStores ?? others
    let stores = coordinator.stores(forEntity: entity).filter { store in
      affected.map { $0.contains { $0 === store } } ?? true
    }
    if stores.isEmpty {
      throw coreDataError(
        NSPersistentStoreOperationError,
        "The batch request cannot be carried out.",
        "No \(affected == nil ? "store of the coordinator" : "affected store") contains the entity "
          + "\(entity.name). \(affected == nil ? "Add a store" : "Name a store in affectedStores") "
          + "whose configuration contains it."
      )
    }
    return stores
  }

  // MARK: Work

  /// Runs `work` in every store, in all of them or in none, and passes the outcome to the contexts that
  /// merge batch changes automatically.
  func run(on stores: [any BatchStore], _ work: BatchWork) throws -> BatchOutcome {
    // Every coordinator uses the same order, so that two batches cannot deadlock.
    let ordered = stores.sorted { $0.identifier < $1.identifier }
    var total = BatchOutcome()
    var writes: [StoreWrite] = []
    defer { coordinator.didWrite(writes) }
    // The author is read before a store is locked: reading it may wait for a parent's queue, whose work
    // may be waiting for that store.
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

  /// Inserts the rows into the first store that holds the entity and is writable.
  func insert(
    _ entity: EntityDefinition,
    from request: NSBatchInsertRequest,
    _ wanted: BatchReport
  ) throws -> BatchOutcome {
    let stores = try stores(of: entity).filter { store in
      coordinator.store(at: store.index)?.entities?.contains(entity.index) ?? true
    }
    guard let store = stores.first(where: { !$0.isReadOnly }) ?? stores.first else {
      throw context.noStore(forEntityNamed: entity.name)
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

  /// Returns how a merge policy handles rows that violate a uniqueness constraint.
  ///
  /// Source: behaviour.md INS-2 for object trump; SAVE-7 for the other policies.
  private static func duplicates(under policy: Any) -> BatchInsert.Duplicates {
    switch (policy as? NSMergePolicy)?.mergeType {
    case nil, .errorMergePolicyType: .refuse
    case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType: .keep
    case .mergeByPropertyObjectTrumpMergePolicyType: .overwriteGivenProperties
    case .overwriteMergePolicyType: .overwrite
    }
  }
}
