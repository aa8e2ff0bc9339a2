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
/// Opens a store without comparing its version hashes with the model's.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// Apple's option that infers the mapping model of a migration; ignored, because stores are not migrated.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// Apple's option that migrates a store of another model version when the store is added; ignored, so adding
/// such a store throws `NSPersistentStoreIncompatibleVersionHashError` (134100).
public let NSMigratePersistentStoresAutomaticallyOption =
  "NSMigratePersistentStoresAutomaticallyOption"
/// Records the history of the store; a store that has a history is opened read-only without this option.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// The maximum number of connections that read from a store at the same time.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSizeKey"
/// Apple's option that defers the expensive part of a lightweight migration; adding a store with it throws
/// `NSPersistentStoreOperationError` (134070).
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
  "NSPersistentStoreDeferredLightweightMigrationOptionKey"
/// Apple's option that destroys a store even if it cannot be locked; ignored.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// Posts `NSPersistentStoreRemoteChange` after every change of the store, in this process or another.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
  "NSPersistentStoreRemoteChangeNotificationPostOptionKey"
/// Apple's option with the staged migration manager for a store; ignored, because stores are not migrated.
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
