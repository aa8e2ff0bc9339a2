// SPDX-License-Identifier: Apache-2.0

// Keys of the options with which a store is added.
// Source: documented; each value equals its constant’s name.

/// Allows a binary store to contain classes that do not support secure coding.
public let NSBinaryStoreInsecureDecodingCompatibilityOption =
  "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// The set of classes that a binary store may contain.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
/// Opens a store without comparing its version hashes with the model's.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// Infers the mapping model of a migration.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// Migrates a store of another model version when the store is added.
public let NSMigratePersistentStoresAutomaticallyOption =
  "NSMigratePersistentStoresAutomaticallyOption"
/// Enables persistent history tracking.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// The maximum number of connections that read from a store at the same time.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSizeKey"
/// Defers the expensive part of a lightweight migration.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
  "NSPersistentStoreDeferredLightweightMigrationOptionKey"
/// Destroys a store even if it cannot be locked.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// Posts a notification after every change of the store, in this process or another.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
  "NSPersistentStoreRemoteChangeNotificationPostOptionKey"
/// The staged migration manager for a store.
public let NSPersistentStoreStagedMigrationManagerOptionKey =
  "NSPersistentStoreStagedMigrationManagerOptionKey"
/// The number of seconds after which an operation that waits for a store fails.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// Opens a store for reading only.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// Runs `ANALYZE` when the store is added.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// Runs `VACUUM` when the store is added.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// A dictionary from pragma name to value, both strings; the pragmas are set on each connection.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// Validates an XML store against its DTD.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"
