// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A request that inserts rows directly into a store, without inserting objects into a context.
///
/// ```swift
/// let request = NSBatchInsertRequest(entityName: "Team", objects: [["teamName": "Iceland"]])
/// try context.execute(request)
/// ```
/// Attributes without a given value get the model's default values. Names that do not belong to a persistent
/// property of the entity are ignored. The request fails with `NSCoreDataError` (134060) if a row sets a
/// relationship or has a value that cannot be converted to its attribute's type. It fails with
/// `NSValidationMissingMandatoryPropertyError` (1570) if a row has no value for a mandatory attribute; other
/// validation rules are not checked. A context merges the changes automatically only if
/// `automaticallyMergesBatchChanges` is true for the context or for its coordinator.
///
/// The context's merge policy decides what happens if a row violates a uniqueness constraint. With the error
/// policy the request fails with `NSManagedObjectConstraintMergeError` (133021). `mergeByPropertyStoreTrump`
/// and `rollback` keep the stored row. `mergeByPropertyObjectTrump` overwrites only some attributes of the
/// stored row: those that the dictionary names or, with a managed object handler, those whose new values
/// differ from the default values. `overwrite` replaces all attributes.
///
/// Source: documented, “NSBatchInsertRequest”; behaviour.md INS-1, INS-2.
open class NSBatchInsertRequest: NSPersistentStoreRequest {
  /// The name of the entity whose rows are inserted.
  public let entityName: String
  /// The entity; nil until execution if the request was created with an entity name.
  open private(set) var entity: NSEntityDescription?
  /// The rows to insert, as dictionaries from attribute name to value; ignored if a handler is set.
  open var objectsToInsert: [[String: Any]]?
  /// A handler that fills a dictionary with the values of the next row and returns false, or returns true if
  /// there are no more rows; ignored if `managedObjectHandler` is set.
  ///
  /// Every call gets an empty dictionary. A call that returns true inserts no row. The handler runs during
  /// the store's transaction and must not save to that store.
  open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?
  /// A handler that sets an object's values to those of the next row and returns false, or returns true if
  /// there are no more rows; takes precedence over the other sources of rows.
  ///
  /// Every call gets the same object, reset to the model's default values; the object is not in a context. A
  /// call that returns true inserts no row. The handler runs during the store's transaction and must not save
  /// to that store.
  open var managedObjectHandler: ((NSManagedObject) -> Bool)?
  /// The form of the result; `statusOnly` by default.
  open var resultType = NSBatchInsertRequestResultType.statusOnly

  /// Creates a request that inserts one row for each dictionary.
  public init(entityName: String, objects dictionaries: [[String: Any]]) {
    self.entityName = entityName
    objectsToInsert = dictionaries
    super.init()
  }

  /// Creates a request that inserts one row for each dictionary.
  public init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
    entityName = entity.name ?? ""
    self.entity = entity
    objectsToInsert = dictionaries
    super.init()
  }

  /// Creates a request without an entity; executing the request throws `NSCoreDataError` (134060).
  @available(*, deprecated, message: "Use init(entityName:objects:)")
  public override convenience init() { self.init(entityName: "", objects: []) }

  /// Creates a request whose rows are supplied by `handler`.
  public convenience init(
    entityName: String,
    dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
  ) {
    self.init(entityName: entityName, objects: [])
    objectsToInsert = nil
    dictionaryHandler = handler
  }

  /// Creates a request whose rows are supplied by `handler`.
  public convenience init(
    entity: NSEntityDescription,
    dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
  ) {
    self.init(entity: entity, objects: [])
    objectsToInsert = nil
    dictionaryHandler = handler
  }

  /// Creates a request whose rows are supplied by `handler`.
  public convenience init(
    entityName: String,
    managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
  ) {
    self.init(entityName: entityName, objects: [])
    objectsToInsert = nil
    managedObjectHandler = handler
  }

  /// Creates a request whose rows are supplied by `handler`.
  public convenience init(
    entity: NSEntityDescription,
    managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
  ) {
    self.init(entity: entity, objects: [])
    objectsToInsert = nil
    managedObjectHandler = handler
  }

  /// The class, the address, the entity's name and the source of the rows.
  open override var description: String {
    let rows =
      objectsToInsert.map { "\($0.count) dictionaries" }
      ?? (dictionaryHandler == nil ? "a managed object handler" : "a dictionary handler")
    return "\(addressedName) (entity: \(entityName); rows: \(rows))"
  }

  open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

  /// Returns a request with the same settings and handlers.
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
