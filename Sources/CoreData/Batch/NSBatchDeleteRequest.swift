// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// Deletes rows in the store: no objects, no validation, no notifications.
///
/// ```swift
/// let request = NSBatchDeleteRequest(fetchRequest: Team.fetchRequest())
/// request.resultType = .resultTypeCount
/// try context.execute(request)
/// ```
/// Cascade and Nullify are applied in the store, to any depth; Deny fails with 1600 where rows stay that
/// deny it; pairs of many-to-manys and files of external storage go with their rows. Minimum counts are
/// not checked. The result is about the rows of the request, not about those that cascade.
/// Source: documented, “NSBatchDeleteRequest”; behaviour.md DELB-1 to DELB-3.
open class NSBatchDeleteRequest: NSPersistentStoreRequest {
  /// A copy of the request that says which rows, with its order, limit and offset.
  public let fetchRequest: NSFetchRequest<NSFetchRequestResult>
  /// The form of the result; the status at first.
  open var resultType = NSBatchDeleteRequestResultType.resultTypeStatusOnly
  /// The IDs that the request was made with, and the predicate that says the same; nil for a request made
  /// with a fetch.
  private var given: (ids: [NSManagedObjectID], predicate: NSPredicate)?

  /// A request that deletes the rows that `fetch` would give.
  public init(fetchRequest fetch: NSFetchRequest<NSFetchRequestResult>) {
    fetchRequest = fetch.rowsOnly()
    super.init()
  }

  /// A request that deletes the rows that `fetch` would give, whatever it would give them as.
  ///
  /// Ours: on Apple's systems every fetch request can be cast to one of `NSFetchRequestResult`.
  public init<ResultType>(fetchRequest fetch: NSFetchRequest<ResultType>) {
    fetchRequest = fetch.rowsOnly()
    super.init()
  }

  /// A request that deletes the rows of `objects`, which are of one hierarchy; none delete nothing.
  public convenience init(objectIDs objects: [NSManagedObjectID]) {
    let predicate = NSPredicate(format: "SELF IN %@", argumentArray: [objects])
    let fetch = NSFetchRequest<NSFetchRequestResult>()
    fetch.entity = objects.first.map(\.entity.hierarchyRoot)
    fetch.predicate = predicate
    self.init(fetchRequest: fetch)
    given = (objects, predicate)
  }

  /// The request that says which rows.
  open override var description: String { "\(addressedName) (fetchRequest: \(fetchRequest))" }

  open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }

  /// A request with the same settings.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSBatchDeleteRequest(fetchRequest: fetchRequest)
    copy.given = given
    copy.resultType = resultType
    copy.affectedStores = affectedStores
    return copy
  }

  override func result(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    let execution = try BatchExecution(self, context)
    let keys =
      given?.predicate === fetchRequest.predicate ? try givenKeys(execution.coordinator) : nil
    if let keys, keys.isEmpty {
      return NSBatchDeleteResult(resultType.result(of: BatchOutcome(), in: context), resultType)
    }
    let definition = try fetchRequest.resolve(in: execution.model)
    let delete = BatchDelete(
      rows: try fetchRequest.description(of: definition, in: execution.model.definition),
      keys: keys,
      report: execution.report(resultType.report)
    )
    let held = keys.map { Set($0.map(\.store)).compactMap(execution.coordinator.store(at:)) }
    let stores = try execution.stores(of: definition, or: held ?? fetchRequest.affectedStores)
    if stores.count > 1, delete.rows.limit > 0 || delete.rows.offset > 0 {
      throw coreDataError(
        NSPersistentStoreUnsupportedRequestTypeError,
        "The batch delete cannot be carried out.",
        "A limit or an offset says nothing about several stores; name one in affectedStores."
      )
    }
    let outcome = try execution.run(on: stores, .delete(delete))
    return NSBatchDeleteResult(resultType.result(of: outcome, in: context), resultType)
  }

  /// The keys of the IDs, as far as the coordinator has their stores; nil for a request made with a fetch.
  ///
  /// - Throws: 134060 for IDs of several hierarchies.
  private func givenKeys(_ coordinator: NSPersistentStoreCoordinator) throws -> [ObjectKey]? {
    guard let ids = given?.ids else { return nil }
    guard let first = ids.first else { return [] }
    let root = first.entity.hierarchyRoot
    var keys: [ObjectKey] = []
    keys.reserveCapacity(ids.count)
    for id in ids {
      // An object that was never saved has no row, nor a store yet.
      if !id.isTemporaryID, let key = coordinator.localKey(id) { keys.append(key) }
      // Most are of one entity, and asking for a root costs more than the deletion of a row.
      if id.key.entity == first.key.entity || id.entity.hierarchyRoot == root { continue }
      throw coreDataError(
        NSCoreDataError,
        "The batch delete cannot be carried out.",
        "mismatched objectIDs in batch delete initializer: \(root.name ?? "") and "
          + "\(id.entity.name ?? "") have no entity in common; make a request for each."
      )
    }
    return keys
  }
}

extension NSEntityDescription {
  /// The topmost entity above.
  fileprivate var hierarchyRoot: NSEntityDescription { superentity?.hierarchyRoot ?? self }
}

extension NSFetchRequest {
  /// A request for the keys of the same rows.
  fileprivate func rowsOnly() -> NSFetchRequest<NSFetchRequestResult> {
    let request =
      entityName.map { NSFetchRequest<NSFetchRequestResult>(entityName: $0) }
      ?? NSFetchRequest<NSFetchRequestResult>()
    request.predicate = predicate
    request.sortDescriptors = sortDescriptors
    request.fetchLimit = fetchLimit
    request.fetchOffset = fetchOffset
    request.includesSubentities = includesSubentities
    request.affectedStores = affectedStores
    request.resultType = .managedObjectIDResultType
    return request
  }
}
