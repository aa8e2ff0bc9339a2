// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Inserts rows straight into a store: no objects, no validation, no notifications.
///
/// ```swift
/// let request = NSBatchInsertRequest(entityName: "Team", objects: [["teamName": "Iceland"]])
/// try context.execute(request)
/// ```
/// Properties that a row does not name get the model's defaults; unknown names are ignored;
/// relationships cannot be set. With a uniqueness constraint the context's merge policy says what
/// becomes of a row that is there already: the error policy fails with 133021, the policies under which
/// the store wins keep the stored row, `mergeByPropertyObjectTrump` overwrites what the new row names,
/// `overwrite` all of it.
/// Source: documented, “NSBatchInsertRequest”; behaviour.md INS-1, INS-2.
open class NSBatchInsertRequest: NSPersistentStoreRequest {
  /// The name of the entity.
  public let entityName: String
  /// The entity; nil for a request made with a name, until it is executed.
  open private(set) var entity: NSEntityDescription?
  /// The rows, values by property name; nil where a handler gives them.
  open var objectsToInsert: [[String: Any]]?
  /// Fills the dictionary of the next row and returns false; true ends the rows, the last dictionary
  /// left out.
  ///
  /// The dictionary is the same each time, emptied. Called while the store is being written to: a save
  /// to it fails.
  open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?
  /// Sets the values of the next row and returns false; true ends the rows, the last one left out.
  ///
  /// The object is the same each time, with default values and in no context. Called while the store is
  /// being written to: a save to it fails.
  open var managedObjectHandler: ((NSManagedObject) -> Bool)?
  /// The form of the result; the status at first.
  open var resultType = NSBatchInsertRequestResultType.statusOnly

  /// A request that inserts a row for each dictionary.
  public init(entityName: String, objects dictionaries: [[String: Any]]) {
    self.entityName = entityName
    objectsToInsert = dictionaries
    super.init()
  }

  /// A request that inserts a row for each dictionary.
  public init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
    entityName = entity.name ?? ""
    self.entity = entity
    objectsToInsert = dictionaries
    super.init()
  }

  /// A request of no entity, which cannot be executed.
  @available(*, deprecated, message: "Use init(entityName:objects:)")
  public override convenience init() { self.init(entityName: "", objects: []) }

  /// A request whose rows a handler gives.
  public convenience init(
    entityName: String,
    dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
  ) {
    self.init(entityName: entityName, objects: [])
    objectsToInsert = nil
    dictionaryHandler = handler
  }

  /// A request whose rows a handler gives.
  public convenience init(
    entity: NSEntityDescription,
    dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
  ) {
    self.init(entity: entity, objects: [])
    objectsToInsert = nil
    dictionaryHandler = handler
  }

  /// A request whose rows a handler gives.
  public convenience init(
    entityName: String,
    managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
  ) {
    self.init(entityName: entityName, objects: [])
    objectsToInsert = nil
    managedObjectHandler = handler
  }

  /// A request whose rows a handler gives.
  public convenience init(
    entity: NSEntityDescription,
    managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
  ) {
    self.init(entity: entity, objects: [])
    objectsToInsert = nil
    managedObjectHandler = handler
  }

  /// Entity and where the rows come from.
  open override var description: String {
    let rows =
      objectsToInsert.map { "\($0.count) dictionaries" }
      ?? (dictionaryHandler == nil ? "a managed object handler" : "a dictionary handler")
    return "\(addressedName) (entity: \(entityName); rows: \(rows))"
  }

  open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

  /// A request with the same settings and handlers.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy =
      entity.map { NSBatchInsertRequest(entity: $0, objects: []) }
      ?? NSBatchInsertRequest(entityName: entityName, objects: [])
    copy.objectsToInsert = objectsToInsert
    copy.dictionaryHandler = dictionaryHandler
    copy.managedObjectHandler = managedObjectHandler
    copy.resultType = resultType
    copy.affectedStores = affectedStores
    return copy
  }

  override func result(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    let execution = try BatchExecution(self, context)
    let definition = try execution.entity(entity, named: entityName)
    entity = execution.model.entities[definition.index]
    let outcome = try execution.insert(definition, from: self, resultType.report)
    return NSBatchInsertResult(resultType.result(of: outcome, in: context), resultType)
  }
}
