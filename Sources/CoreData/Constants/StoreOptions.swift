// SPDX-License-Identifier: Apache-2.0

// Keys of the options with which a store is added.
// Source: documented; each value equals its constant’s name.

/// Apple's option that lets a binary store contain objects of classes without secure coding; ignored, because
/// this library does not support binary stores.
public let NSBinaryStoreInsecureDecodingCompatibilityOption =
  "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// Apple's option with the set of classes whose objects a binary store may contain; ignored, because this
/// library does not support binary stores.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
/// Migrates a store through intermediate model versions if no mapping from the store's model to the
/// coordinator's model can be inferred; false by default.
///
/// Not in Apple's framework.
///
/// Requires `NSMigratePersistentStoresAutomaticallyOption` and `NSInferMappingModelAutomaticallyOption`. The
/// intermediate versions are those in the model folder of the coordinator's model, in natural order of their
/// names. The store migrates through as few of these versions as possible; a new attribute gets the default
/// value of the first version that has it. Each step is one transaction; after a failure the store is at the
/// last version that it reached. If this option is false and no mapping can be inferred, adding the store
/// throws `NSMigrationMissingMappingModelError` (134140), as in Apple's framework. Has no effect on a store
/// with a configuration or on a staged migration.
public let ChainedMigrationOption = "CoreDataChainedMigrationOption"
/// Whether a store is opened without comparing its version hashes with the model's; false by default.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// Allows a migration to infer the mapping from the store's model to the coordinator's; without this option
/// and without a mapping model, adding the store throws `NSMigrationMissingMappingModelError` (134140).
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// Migrates a store when it is added, if its model version is not the coordinator's; without this option,
/// adding such a store throws `NSPersistentStoreIncompatibleVersionHashError` (134100).
public let NSMigratePersistentStoresAutomaticallyOption =
  "NSMigratePersistentStoresAutomaticallyOption"
/// Records the history of the store; a store that has a history is opened read-only without this option.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// The maximum number of connections that read from a store at the same time; 4 by default.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSizeKey"
/// Lets an inferred migration keep the tables and columns that the new model does not need, until
/// `finishDeferredLightweightMigration()` removes them.
///
/// The store can be used in the meantime. While the store still has such tables or columns, its metadata
/// contain a value for this key. The option has no effect on a migration with a mapping model.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
  "NSPersistentStoreDeferredLightweightMigrationOptionKey"
/// Apple's option that destroys a store even if it cannot be locked; ignored.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// Posts `NSPersistentStoreRemoteChange` after every change of the store, in this process or another.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
  "NSPersistentStoreRemoteChangeNotificationPostOptionKey"
/// The `NSStagedMigrationManager` whose stages migrate a store to the coordinator's model version when the
/// store is added; requires `NSMigratePersistentStoresAutomaticallyOption`.
public let NSPersistentStoreStagedMigrationManagerOptionKey =
  "NSPersistentStoreStagedMigrationManagerOptionKey"
/// The number of seconds for which an operation waits for a lock on the store before failing; 240 by default.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// The name of the schema with the tables of a PostgreSQL store; `public` by default.
///
/// Not in Apple's framework. The schema is created if it does not exist.
public let PostgreSQLSchemaOption = "CoreDataPostgreSQLSchemaOption"
/// The number of seconds after which a PostgreSQL server cancels a statement of the store; 0, the default, for
/// no limit.
///
/// Not in Apple's framework.
public let PostgreSQLStatementTimeoutOption = "CoreDataPostgreSQLStatementTimeoutOption"
/// Whether the reads of a PostgreSQL store use a standby server if the store's URL names one, and if this server
/// has all that the store has written and seen before; false by default.
///
/// Not in Apple's framework. Where no such server is there, the primary server answers. The URL names all
/// servers: `postgresql://user@one.example.org,two.example.org/database`.
public let PostgreSQLStandbyReadsOption = "CoreDataPostgreSQLStandbyReadsOption"
/// Whether a store is opened for reading only; false by default.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// Whether `ANALYZE` is run when the store is added; false by default.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// Whether `VACUUM` is run when the store is added; false by default.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// A dictionary from pragma name to value, both strings; the pragmas configure the connections to the store.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// Apple's option that validates an XML store against its DTD; ignored, because this library does not support
/// XML stores.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"
