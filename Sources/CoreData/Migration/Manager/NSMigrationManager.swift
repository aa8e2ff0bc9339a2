// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Migrates a store with a mapping model: creates a store of the destination model from the objects of a store
/// of the source model.
///
/// ```swift
/// let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
/// try manager.migrateStore(
///   from: oldURL, type: .sqlite, mapping: mapping, to: newURL, type: .sqlite)
/// ```
/// A migration has three passes over the entity mappings, in their order: objects are created, then their
/// relationships are set, then the policies validate the result. Both contexts have private queues; the
/// migration runs on the calling thread, which owns both queues meanwhile. Policies therefore use both contexts
/// without `perform`.
///
/// Objects are read and saved in batches. After each batch its objects become faults, and are released unless
/// the program retains them.
///
/// Source: documented, “NSMigrationManager”.
open class NSMigrationManager: NSObject {
  /// The model of the source store.
  public let sourceModel: NSManagedObjectModel
  /// The model of the destination store.
  public let destinationModel: NSManagedObjectModel
  /// Values for the application's own use, for example objects that policies share; nil by default.
  open var userInfo: [AnyHashable: Any]?
  /// Whether a store may be migrated by the migration manager of its class; true by default.
  ///
  /// Has no effect: every migration with this class has three passes (DEVIATIONS.md).
  open var usesStoreSpecificMigrationManager = true

  let state = MigrationState()
  lazy var source = MigrationStack(model: sourceModel, isSource: true)
  lazy var destination = MigrationStack(model: destinationModel, isSource: false)

  /// Creates a manager for stores of two models, which become immutable when the migration starts.
  public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
    self.sourceModel = sourceModel
    self.destinationModel = destinationModel
  }

  // MARK: Migrating

  /// Migrates the source store into the destination store.
  ///
  /// Only a finished destination gets its name. If a store exists at the destination, the objects are added to
  /// it; saves of other connections to that store wait meanwhile. If both URLs are those of one store, the store is
  /// migrated in its place, and the transactions of its history are removed. Otherwise the source store is only read.
  /// After an error both stores are as they were before.
  ///
  /// The application's own metadata of the source store are copied. The entities of the mapping model must be
  /// those of both models.
  /// - Throws: 134110 for a mapping model of other models, for an expression that cannot be evaluated, and for
  ///   objects that break a validation rule; 134111 for objects that break a uniqueness constraint; 134150 and
  ///   134160 if the source or the destination store cannot be opened or written; 134170 for a policy class
  ///   that is not found and for an error of a policy, which is the underlying error; the error of
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
  /// - Throws: also 134140 if `mappings` is nil.
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

  /// Cancels the migration that is running; its call throws `error`.
  ///
  /// Can be called from any thread. A `CancellationError` becomes the error 134120, which contains it. The
  /// migration ends before it processes the next object. Does nothing without a migration.
  open func cancelMigrationWithError(_ error: any Error) { state.cancel(with: error) }

  /// Forgets the associations of a migration, and resets both contexts.
  ///
  /// A migration ends with this. Do not call the method during a migration.
  open func reset() {
    state.reset()
    source.reset()
    destination.reset()
  }

  // MARK: The running migration

  /// The mapping model of the migration; an empty one before the first migration.
  open var mappingModel: NSMappingModel { state.mappingModel }
  /// The entity mapping that is being processed; an empty one if no migration is running.
  open var currentEntityMapping: NSEntityMapping { state.currentMapping }
  /// The part of the migration that is done, from 0 to 1; 0 if no migration is running.
  ///
  /// Can be observed with `observe(_:options:changeHandler:)`.
  open var migrationProgress: Float { state.progress }
  /// The context that reads the source store.
  ///
  /// Its objects are plain `NSManagedObject`s, because the program's classes fit the newest model.
  open var sourceContext: NSManagedObjectContext { source.context }
  /// The context that writes the destination store.
  open var destinationContext: NSManagedObjectContext { destination.context }

  /// Returns the source entity of a mapping; nil if the mapping has none, or the model does not have it.
  open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
    mEntity.sourceEntityName.flatMap { source.model.entitiesByName[$0] }
  }

  /// Returns the destination entity of a mapping; nil if the mapping has none, or the model does not have it.
  open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
    mEntity.destinationEntityName.flatMap { destination.model.entitiesByName[$0] }
  }

  // MARK: Associations

  /// Records that an object of the destination was made of an object of the source by a mapping.
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

  /// Returns the objects that a mapping made of source objects, each once, in the order of the source objects.
  ///
  /// `sourceInstances` of nil stands for all objects of the mapping. The result is empty for an unknown
  /// mapping.
  /// - Complexity: O(log n) for each source object; reads the rows of several objects together.
  open func destinationInstances(
    forEntityMappingName mappingName: String,
    sourceInstances: [NSManagedObject]?
  ) -> [NSManagedObject] {
    state.instances.destinations(of: sourceInstances, mapping: mappingName, in: destinationContext)
  }

  /// Returns the objects of which a mapping made destination objects, each once, in the order of the
  /// destination objects.
  ///
  /// `destinationInstances` of nil stands for all objects of the mapping. The result is empty for an unknown
  /// mapping.
  /// - Complexity: as that of `destinationInstances(forEntityMappingName:sourceInstances:)`.
  open func sourceInstances(
    forEntityMappingName mappingName: String,
    destinationInstances: [NSManagedObject]?
  ) -> [NSManagedObject] {
    state.instances.sources(of: destinationInstances, mapping: mappingName, in: sourceContext)
  }
}
