// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// Changes rows in the store: no objects, no validation, no notifications.
///
/// ```swift
/// let request = NSBatchUpdateRequest(entityName: "Venue")
/// request.propertiesToUpdate = ["favorite": true]
/// request.resultType = .updatedObjectsCountResultType
/// try context.execute(request)
/// ```
/// Each changed row gets a new version, so that a context with older values finds a conflict when it
/// saves them. Source: documented, “NSBatchUpdateRequest”; behaviour.md UPD-1, UPD-2.
open class NSBatchUpdateRequest: NSPersistentStoreRequest {
  private var resolved: NSEntityDescription?

  /// The name of the entity.
  public let entityName: String
  /// The entity.
  ///
  /// A request made with a name stops the program before its first use.
  open var entity: NSEntityDescription {
    guard let resolved else { Misuse.requestUnresolved(entityName) }
    return resolved
  }
  /// Which rows; nil for all.
  open var predicate: NSPredicate?
  /// Whether rows of sub-entities are changed; true at first.
  open var includesSubentities = true
  /// The new values by property: names or descriptions of attributes and to-ones.
  ///
  /// A value is a constant, `NSNull`, an object ID for a to-one, or an expression, which sees the row as
  /// it was before. A to-one whose inverse is a to-one cannot be set.
  open var propertiesToUpdate: [AnyHashable: Any]?
  /// The form of the result; the status at first.
  open var resultType = NSBatchUpdateRequestResultType.statusOnlyResultType

  /// A request that changes rows of the entity of that name.
  public init(entityName: String) {
    self.entityName = entityName
    super.init()
  }

  /// A request that changes rows of the entity.
  public init(entity: NSEntityDescription) {
    entityName = entity.name ?? ""
    resolved = entity
    super.init()
  }

  /// Entity, predicate and the values to set.
  open override var description: String {
    "\(addressedName) (entity: \(entityName); predicate: "
      + "(\(predicate.map(String.init(describing:)) ?? "(null)")); propertiesToUpdate: "
      + "\(DescribedValues.dictionary(propertiesToUpdate)))"
  }

  open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }

  /// A request with the same settings.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSBatchUpdateRequest(entityName: entityName)
    copy.resolved = resolved
    copy.predicate = predicate
    copy.includesSubentities = includesSubentities
    copy.propertiesToUpdate = propertiesToUpdate
    copy.resultType = resultType
    copy.affectedStores = affectedStores
    return copy
  }

  override func result(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    let execution = try BatchExecution(self, context)
    let definition = try execution.entity(resolved, named: entityName)
    resolved = execution.model.entities[definition.index]
    var update = BatchUpdate(entity: definition.index)
    update.includesSubentities = includesSubentities
    update.condition = predicate?.condition
    update.assignments = try UpdatedProperties(definition).assignments(propertiesToUpdate ?? [:])
    update.report = execution.report(resultType.report)
    let outcome = try execution.run(on: execution.stores(of: definition), .update(update))
    return NSBatchUpdateResult(resultType.result(of: outcome, in: context), resultType)
  }
}
