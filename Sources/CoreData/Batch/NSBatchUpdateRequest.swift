// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// A request that updates rows directly in the stores, without creating objects.
///
/// ```swift
/// let request = NSBatchUpdateRequest(entityName: "Venue")
/// request.propertiesToUpdate = ["favorite": true]
/// request.resultType = .updatedObjectsCountResultType
/// try context.execute(request)
/// ```
/// The version of every updated row is incremented, so a context whose object has older values finds a
/// conflict when it saves changes to the object. Validation rules are not checked. A context merges the
/// changes automatically only if `automaticallyMergesBatchChanges` is true for the context or for its
/// coordinator.
///
/// Source: documented, “NSBatchUpdateRequest”; behaviour.md UPD-1, UPD-2.
open class NSBatchUpdateRequest: NSPersistentStoreRequest {
  private var resolved: NSEntityDescription?

  /// The name of the entity whose rows are updated.
  public let entityName: String
  /// The entity; after an execution, the entity of the coordinator's model.
  ///
  /// Stops the program if the request was created with an entity name and has not been executed yet.
  open var entity: NSEntityDescription {
    guard let resolved else { Misuse.batchUpdateUnresolved(entityName) }
    return resolved
  }
  /// The predicate that selects the rows; nil for all rows.
  open var predicate: NSPredicate?
  /// Whether rows of subentities are updated too; true by default.
  open var includesSubentities = true
  /// The new values of attributes and to-one relationships; each key is a property's name or its
  /// `NSPropertyDescription`.
  ///
  /// A value is a constant, `NSNull`, or an `NSExpression`, which is evaluated with the row's values before
  /// the update. The constant for a to-one relationship is a saved object or its ID. Derived and transient
  /// properties cannot be set, nor can a to-one relationship whose inverse is also a to-one relationship.
  /// Executing the request throws an error if the dictionary is nil or empty, if a key does not identify a
  /// property that can be set, or if a constant cannot be stored in its property.
  open var propertiesToUpdate: [AnyHashable: Any]?
  /// The form of the result; `statusOnlyResultType` by default.
  open var resultType = NSBatchUpdateRequestResultType.statusOnlyResultType

  /// Creates a request that updates rows of the entity with the given name.
  public init(entityName: String) {
    self.entityName = entityName
    super.init()
  }

  /// Creates a request that updates rows of the entity.
  public init(entity: NSEntityDescription) {
    entityName = entity.name ?? ""
    resolved = entity
    super.init()
  }

  /// The class, the address, the entity's name, the predicate and the values to set.
  open override var description: String {
    "\(addressedName) (entity: \(entityName); predicate: "
      + "(\(predicate.map(String.init(describing:)) ?? "(null)")); propertiesToUpdate: "
      + "\(DescribedValues.dictionary(propertiesToUpdate)))"
  }

  open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }

  /// Returns a request with the same settings.
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
