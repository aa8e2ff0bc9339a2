// SPDX-License-Identifier: Apache-2.0

// Keys of the options with which a store is added.
// Source: documented; each value equals its constant’s name.

/// Apple's option that allows a binary store to contain classes without secure coding; ignored, because there
/// are no binary stores.
public let NSBinaryStoreInsecureDecodingCompatibilityOption =
  "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// Apple's option with the set of classes that a binary store may contain; ignored, because there are no
/// binary stores.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
/// Migrates a store through the versions between its model and the coordinator's, if no mapping between the
/// two can be inferred; requires the options to migrate and to infer the mapping.
///
/// Not in Apple's framework.
///
/// The versions are those in the model folder of the coordinator's model, in natural order of their names.
/// The store migrates through as few of these versions as possible; a new attribute gets the default value of
/// the first version that has it. Each step is one transaction; after a failure the store is at the last
/// version that it reached. False by default; adding the store then throws
/// `NSMigrationMissingMappingModelError` (134140), as in Apple's framework. Has no effect on a store with a
/// configuration or on a staged migration.
public let ChainedMigrationOption = "CoreDataChainedMigrationOption"
/// Opens a store without comparing its version hashes with the model's.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// Allows a migration to infer the mapping between the store's model and the coordinator's; without it, and
/// without a mapping model, adding the store throws `NSMigrationMissingMappingModelError` (134140).
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// Migrates a store of another model version when the store is added; without it, adding such a store throws
/// `NSPersistentStoreIncompatibleVersionHashError` (134100).
public let NSMigratePersistentStoresAutomaticallyOption =
  "NSMigratePersistentStoresAutomaticallyOption"
/// Records the history of the store; a store that has a history is opened read-only without this option.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// The maximum number of connections that read from a store at the same time.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSizeKey"
/// Marks the migration of a store as unfinished until `finishDeferredLightweightMigration()` is called.
///
/// Only the mark is deferred: the store is completely migrated when it is added (DEVIATIONS.md). The mark is
/// this key in the store's metadata.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
  "NSPersistentStoreDeferredLightweightMigrationOptionKey"
/// Apple's option that destroys a store even if it cannot be locked; ignored.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// Posts `NSPersistentStoreRemoteChange` after every change of the store, in this process or another.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
  "NSPersistentStoreRemoteChangeNotificationPostOptionKey"
/// The `NSStagedMigrationManager` whose stages migrate a store of another model version when the store is
/// added; requires `NSMigratePersistentStoresAutomaticallyOption`.
public let NSPersistentStoreStagedMigrationManagerOptionKey =
  "NSPersistentStoreStagedMigrationManagerOptionKey"
/// The number of seconds after which an operation that waits for a lock on the store fails.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// Opens a store for reading only.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// Runs `ANALYZE` when the store is added.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// Runs `VACUUM` when the store is added.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// A dictionary from pragma name to value, both strings; the pragmas configure the connections to the store.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// Apple's option that validates an XML store against its DTD; ignored, because there are no XML stores.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"
