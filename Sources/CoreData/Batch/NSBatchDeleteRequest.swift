// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// A request that deletes rows directly in the stores, without creating objects.
///
/// ```swift
/// let request = NSBatchDeleteRequest(fetchRequest: Team.fetchRequest())
/// request.resultType = .resultTypeCount
/// try context.execute(request)
/// ```
/// Delete rules are applied in the stores; cascades are followed to any depth. The request fails with
/// `NSValidationRelationshipDeniedDeleteError` (1600) if a row to be deleted has a relationship with the
/// delete rule Deny whose destinations are not all deleted by the request. Join rows of many-to-many
/// relationships and external storage files are deleted with the rows to which they belong. Validation rules
/// are not checked, for example minimum counts of to-many relationships. The result covers the rows that the
/// request matches, not those that only a cascade deletes. A context merges the changes automatically only if
/// `automaticallyMergesBatchChanges` is true for the context or for its coordinator.
///
/// Source: documented, “NSBatchDeleteRequest”; behaviour.md DELB-1 to DELB-3.
open class NSBatchDeleteRequest: NSPersistentStoreRequest {
  /// The fetch request that selects the rows; its `resultType` is `managedObjectIDResultType`.
  public let fetchRequest: NSFetchRequest<NSFetchRequestResult>
  /// The form of the result; `resultTypeStatusOnly` by default.
  open var resultType = NSBatchDeleteRequestResultType.resultTypeStatusOnly
  /// The IDs that the request was created with, and the predicate that matches them; nil if the request
  /// was created with a fetch request.
  private var requested: (ids: [NSManagedObjectID], predicate: NSPredicate)?

  /// Creates a request that deletes the rows which `fetch` matches.
  ///
  /// Settings of `fetch` that do not select rows are ignored, for example its `resultType`.
  public init(fetchRequest fetch: NSFetchRequest<NSFetchRequestResult>) {
    fetchRequest = fetch.rowsOnly()
    super.init()
  }

  /// Creates a request that deletes the rows which `fetch` matches.
  ///
  /// Settings of `fetch` that do not select rows are ignored, for example its `resultType`.
  ///
  /// Not in Apple's framework, where every fetch request can be cast to
  /// `NSFetchRequest<NSFetchRequestResult>`.
  public init<ResultType>(fetchRequest fetch: NSFetchRequest<ResultType>) {
    fetchRequest = fetch.rowsOnly()
    super.init()
  }

  /// Creates a request that deletes the rows of `objects`.
  ///
  /// IDs without a row are ignored. Executing the request throws `NSCoreDataError` (134060) if the IDs belong
  /// to several entity hierarchies.
  public convenience init(objectIDs objects: [NSManagedObjectID]) {
    let predicate = NSPredicate(format: "SELF IN %@", argumentArray: [objects])
    let fetch = NSFetchRequest<NSFetchRequestResult>()
    fetch.entity = objects.first.map(\.entity.hierarchyRoot)
    fetch.predicate = predicate
    self.init(fetchRequest: fetch)
    requested = (objects, predicate)
  }

  /// The class, the address and the fetch request that selects the rows.
  open override var description: String { "\(addressedName) (fetchRequest: \(fetchRequest))" }

  open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }

  /// Returns a request with the same settings.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSBatchDeleteRequest(fetchRequest: fetchRequest)
    copy.requested = requested
    copy.resultType = resultType
    copy.affectedStores = affectedStores
    return copy
  }

  override func result(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    let execution = try BatchExecution(self, context)
    let keys =
      requested?.predicate === fetchRequest.predicate
      ? try requestedKeys(execution.coordinator) : nil
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
    let stores = try execution.stores(
      of: definition,
      ofIDs: held,
      or: fetchRequest.affectedStores
    )
    if stores.count > 1, delete.rows.limit > 0 || delete.rows.offset > 0 {
      throw coreDataError(
        NSPersistentStoreUnsupportedRequestTypeError,
        "The batch delete cannot be executed.",
        "The request has a fetch limit or a fetch offset, which cannot be applied across the \(stores.count) "
          + "stores that contain the entity \(definition.name). Set affectedStores to one store."
      )
    }
    let outcome = try execution.run(on: stores, .delete(delete))
    return NSBatchDeleteResult(resultType.result(of: outcome, in: context), resultType)
  }

  /// Returns the keys of the IDs that the request was created with; nil if it was created with a fetch
  /// request.
  ///
  /// Temporary IDs and IDs of stores that the coordinator does not have are left out.
  ///
  /// - Throws: `NSCoreDataError` (134060) if the IDs belong to several entity hierarchies.
  private func requestedKeys(_ coordinator: NSPersistentStoreCoordinator) throws -> [ObjectKey]? {
    guard let ids = requested?.ids else { return nil }
    guard let first = ids.first else { return [] }
    let root = first.entity.hierarchyRoot
    var keys: [ObjectKey] = []
    keys.reserveCapacity(ids.count)
    for id in ids {
      // A temporary ID names neither a store nor a row.
      if !id.isTemporaryID, let key = coordinator.localKey(id) { keys.append(key) }
      // Entities are compared before roots, because usually all IDs have the same entity and finding the root
      // of an entity is slow.
      if id.key.entity == first.key.entity || id.entity.hierarchyRoot == root { continue }
      throw coreDataError(
        NSCoreDataError,
        "The batch delete cannot be executed.",
        "mismatched objectIDs in batch delete initializer: \(root.name ?? "") and "
          + "\(id.entity.name ?? "") have no common superentity. Create a request for each hierarchy."
      )
    }
    return keys
  }
}

extension NSEntityDescription {
  fileprivate var hierarchyRoot: NSEntityDescription { superentity?.hierarchyRoot ?? self }
}

extension NSFetchRequest {
  /// Returns a request that fetches the IDs of the rows that this request matches.
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
