// SPDX-License-Identifier: Apache-2.0

// Keys in the `userInfo` of notifications and errors, and names of the variables of migration expressions.
// Source: documented (the constants), docs/reference/behaviour.md NOT-5 and §22 (their values).

/// Array of the added stores.
public let NSAddedPersistentStoresKey = "added"
/// Array of the objects that an error concerns, or of their IDs.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// Array of the stores that an error concerns.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// Set of the IDs of the deleted objects.
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// Set of the deleted objects.
public let NSDeletedObjectsKey = "deleted"
/// Array of the individual errors in an error that combines several errors.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// Set of the IDs of the inserted objects.
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// Set of the inserted objects.
public let NSInsertedObjectsKey = "inserted"
/// Array of the IDs of all objects of a context that was reset.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
/// Set of the IDs of the invalidated objects.
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"
/// Set of the invalidated objects.
public let NSInvalidatedObjectsKey = "invalidated"
/// The `NSQueryGenerationToken` of the context after a save or a merge; present only if the context is
/// pinned.
public let NSManagedObjectContextQueryGenerationKey = "newQueryGeneration"
/// Migration expressions: the destination object.
public let NSMigrationDestinationObjectKey = "destination"
/// Migration expressions: the entity mapping.
public let NSMigrationEntityMappingKey = "entityMapping"
/// Migration expressions: the entity migration policy.
public let NSMigrationEntityPolicyKey = "entityPolicy"
/// Migration expressions: the migration manager.
public let NSMigrationManagerKey = "manager"
/// Migration expressions: the property mapping.
public let NSMigrationPropertyMappingKey = "propertyMapping"
/// Migration expressions: the source object.
public let NSMigrationSourceObjectKey = "source"
/// The `NSPersistentHistoryToken` after the save or the change; present only if a changed store has a
/// history.
public let NSPersistentHistoryTokenKey = "historyToken"
/// Array of the conflicts of a failed save: `NSMergeConflict` or `NSConstraintConflict`.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
/// URL of the store that changed.
public let NSPersistentStoreURLKey = "storeURL"
/// Set of the IDs of the refreshed objects.
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// Set of the refreshed objects.
public let NSRefreshedObjectsKey = "refreshed"
/// Array of the removed stores.
public let NSRemovedPersistentStoresKey = "removed"
/// Apple's key for an array with a store's objects before and after its UUID changed; this library posts no
/// notification with this key.
public let NSUUIDChangedPersistentStoresKey = "changed"
/// Set of the IDs of the updated objects.
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// Set of the updated objects.
public let NSUpdatedObjectsKey = "updated"
/// The key of the invalid value.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// The invalid object.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// The predicate that the value does not satisfy.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The invalid value; absent if the value is nil.
public let NSValidationValueErrorKey = "NSValidationErrorValue"
