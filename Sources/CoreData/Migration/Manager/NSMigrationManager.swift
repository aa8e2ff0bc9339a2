// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Migrates a store with a mapping model: creates a store of the destination model from the objects of a
/// store of the source model.
///
/// ```swift
/// let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
/// try manager.migrateStore(
///   from: oldURL, type: .sqlite, mapping: mapping, to: newURL, type: .sqlite)
/// ```
/// A migration has three passes over the entity mappings, in their order: objects are created, then their
/// relationships are set, then the policies validate the result. Both contexts have private queues; the
/// migration runs on the calling thread, which owns both queues meanwhile. Policies therefore use both
/// contexts without `perform`.
///
/// Objects are read and saved in batches. After each batch all objects become faults, and objects that the
/// program does not retain are released.
///
/// Source: documented, “NSMigrationManager”.
open class NSMigrationManager: NSObject {
  /// The model of the source store.
  public let sourceModel: NSManagedObjectModel
  /// The model of the destination store.
  public let destinationModel: NSManagedObjectModel
  /// Values for the application's own use, for example objects that policies share; nil by default.
  open var userInfo: [AnyHashable: Any]?
  /// Whether an SQLite store is migrated with SQL if the mapping model is an inferred one; true by default.
  ///
  /// Such a migration keeps the primary keys, and neither loads nor validates the objects. It reports no
  /// progress and cannot be cancelled. All other migrations make three passes over the objects. They include
  /// migrations into an existing store, and migrations with an inferred mapping model that the program has
  /// changed.
  /// - Source: documented, “usesStoreSpecificMigrationManager”; docs/reference/behaviour.md MIG-8.
  open var usesStoreSpecificMigrationManager = true

  let state = MigrationState()
  lazy var source = MigrationStack(model: sourceModel, isSource: true)
  lazy var destination = MigrationStack(model: destinationModel, isSource: false)

  /// Creates a manager that migrates stores of `sourceModel` to `destinationModel`.
  ///
  /// Do not change the models afterwards.
  public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
    self.sourceModel = sourceModel
    self.destinationModel = destinationModel
  }

  // MARK: Migrating

  /// Migrates the source store into the destination store.
  ///
  /// If a store exists at the destination, the objects are added to it; saves of other connections to that
  /// store wait meanwhile. If both URLs refer to the same store, the store is migrated in place, and the
  /// transactions of its history are removed. If they refer to different stores, the source store is only
  /// read. An error leaves both stores unchanged.
  ///
  /// The application's own metadata are copied, except for keys that the destination already has.
  /// - Throws: `NSMigrationError` if the mapping model does not match the models, if an expression cannot be
  ///   evaluated, if an object is invalid, or if the manager is migrating another store;
  ///   `NSMigrationConstraintViolationError` if objects violate a uniqueness constraint;
  ///   `NSMigrationManagerSourceStoreError` and `NSMigrationManagerDestinationStoreError` if a store cannot
  ///   be used; `NSEntityMigrationPolicyError` if a policy class is not found, or if a method or function of
  ///   a policy throws an error, which is the underlying error; the error that was passed to
  ///   `cancelMigrationWithError(_:)`.
  /// - Complexity: O(objects). Memory: a batch of objects in each context, and 8 to 24 bytes for each object.
  open func migrateStore(
    from sourceURL: URL,
    type sourceType: NSPersistentStore.StoreType,
    options sourceOptions: [AnyHashable: Any]? = nil,
    mapping: NSMappingModel,
    to destinationURL: URL,
    type destinationType: NSPersistentStore.StoreType,
    options destinationOptions: [AnyHashable: Any]? = nil
  ) throws {
    try migrate(
      MigratedStore(type: sourceType.rawValue, url: sourceURL, options: sourceOptions ?? [:]),
      to: MigratedStore(
        type: destinationType.rawValue,
        url: destinationURL,
        options: destinationOptions ?? [:]
      ),
      with: mapping
    )
  }

  /// Does the same as `migrateStore(from:type:options:mapping:to:type:options:)`.
  ///
  /// - Throws: the errors of that method; `NSMigrationMissingMappingModelError` if `mappings` is nil.
  open func migrateStore(
    from sourceURL: URL,
    sourceType sStoreType: String,
    options sOptions: [AnyHashable: Any]? = nil,
    with mappings: NSMappingModel?,
    toDestinationURL dURL: URL,
    destinationType dStoreType: String,
    destinationOptions dOptions: [AnyHashable: Any]? = nil
  ) throws {
    guard let mappings else { throw MigrationErrors.noMappingModel(sourceURL) }
    try migrate(
      MigratedStore(type: sStoreType, url: sourceURL, options: sOptions ?? [:]),
      to: MigratedStore(type: dStoreType, url: dURL, options: dOptions ?? [:]),
      with: mappings
    )
  }

  /// Cancels the running migration, which then throws `error`.
  ///
  /// Can be called from any thread. The migration ends before it processes the next object. For a
  /// `CancellationError`, the migration throws `NSMigrationCancelledError` with `error` as the underlying
  /// error. Does nothing if no migration is running.
  open func cancelMigrationWithError(_ error: any Error) { state.cancel(with: error) }

  /// Removes all associations, and resets both contexts.
  ///
  /// Each migration calls this method before it starts and after it ends. Do not call it during a migration.
  open func reset() {
    state.reset()
    source.reset()
    destination.reset()
  }

  // MARK: The running migration

  /// The mapping model of the running or the last migration; an empty one before the first migration.
  open var mappingModel: NSMappingModel { state.mappingModel }
  /// The entity mapping that is being processed; an empty one if no migration is running.
  open var currentEntityMapping: NSEntityMapping { state.currentMapping }
  /// The part of the migration that is done, from 0 to 1; 0 if no migration is running.
  ///
  /// Can be observed with `observe(_:options:changeHandler:)`.
  open var migrationProgress: Float { state.progress }
  /// The context that reads the source store.
  ///
  /// Its objects are plain `NSManagedObject`s, because the program's classes may use properties that an old
  /// model does not have.
  open var sourceContext: NSManagedObjectContext { source.context }
  /// The context that writes the destination store.
  open var destinationContext: NSManagedObjectContext { destination.context }

  /// Returns the source entity of a mapping; nil if the mapping names no source entity, or if the source
  /// model does not contain the entity.
  open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
    mEntity.sourceEntityName.flatMap { source.model.entitiesByName[$0] }
  }

  /// Returns the destination entity of a mapping; nil if the mapping names no destination entity, or if the
  /// destination model does not contain the entity.
  open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
    mEntity.destinationEntityName.flatMap { destination.model.entitiesByName[$0] }
  }

  // MARK: Associations

  /// Records that a mapping has created a destination object from a source object.
  ///
  /// A policy that overrides `createDestinationInstances(forSource:in:manager:)` without calling super calls
  /// this method for each object that it creates.
  open func associate(
    sourceInstance: NSManagedObject,
    withDestinationInstance destinationInstance: NSManagedObject,
    for entityMapping: NSEntityMapping
  ) {
    state.instances.associate(sourceInstance, destinationInstance, mapping: entityMapping.name)
  }

  /// Returns the destination objects that a mapping has created from source objects, each once.
  ///
  /// If `sourceInstances` is nil, returns all destination objects of the mapping. Saved objects come before
  /// unsaved objects; each of the two groups is in the order of `sourceInstances`. Returns an empty array for
  /// an unknown mapping.
  /// - Complexity: O(log n) for each source object if the mapping has created n objects in the order of their
  ///   keys; the rows of several objects are read together.
  open func destinationInstances(
    forEntityMappingName mappingName: String,
    sourceInstances: [NSManagedObject]?
  ) -> [NSManagedObject] {
    state.instances.destinations(of: sourceInstances, mapping: mappingName, in: destinationContext)
  }

  /// Returns the source objects from which a mapping has created destination objects, each once.
  ///
  /// If `destinationInstances` is nil, returns all source objects of the mapping. Sources of saved objects
  /// come before sources of unsaved objects; each of the two groups is in the order of
  /// `destinationInstances`. Returns an empty array for an unknown mapping.
  /// - Complexity: as that of `destinationInstances(forEntityMappingName:sourceInstances:)`.
  open func sourceInstances(
    forEntityMappingName mappingName: String,
    destinationInstances: [NSManagedObject]?
  ) -> [NSManagedObject] {
    state.instances.sources(of: destinationInstances, mapping: mappingName, in: sourceContext)
  }
}
