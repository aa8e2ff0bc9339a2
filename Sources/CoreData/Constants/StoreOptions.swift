// SPDX-License-Identifier: Apache-2.0

// Keys of the options a store is added with.
// Source: documented; each text equals its constant’s name.

/// Lets a binary store hold classes that are not secure-codable.
public let NSBinaryStoreInsecureDecodingCompatibilityOption =
  "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// Set of the classes that a binary store may hold.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
/// Opens a store without comparing its model’s version.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// Lets a migration infer its mapping.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// Migrates a store of another model version when it is added.
public let NSMigratePersistentStoresAutomaticallyOption =
  "NSMigratePersistentStoresAutomaticallyOption"
/// Keeps a history of the store’s changes.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// Most connections of a store that read at once.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSizeKey"
/// Leaves the costly part of a migration for later.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
  "NSPersistentStoreDeferredLightweightMigrationOptionKey"
/// Destroys a store even where it cannot be locked.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// Posts a notification for every change of the store, whoever makes it.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
  "NSPersistentStoreRemoteChangeNotificationPostOptionKey"
/// The staged migration manager of a store.
public let NSPersistentStoreStagedMigrationManagerOptionKey =
  "NSPersistentStoreStagedMigrationManagerOptionKey"
/// Seconds after which waiting for a store fails.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// Opens a store for reading only.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// Runs `ANALYZE` when the store is added.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// Runs `VACUUM` when the store is added.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// Dictionary of pragma name → value, texts, set on each connection.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// Validates an XML store against its DTD.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"
