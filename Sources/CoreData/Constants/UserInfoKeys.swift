// SPDX-License-Identifier: Apache-2.0

// Keys in the `userInfo` of notifications and errors, and names of the variables of migration expressions.
// Source: documented (the constants), docs/reference/behaviour.md NOT-5 and §22 (their values).

/// The key for an array of the added stores.
public let NSAddedPersistentStoresKey = "added"
/// The key for an array of the objects that an error concerns, or of their IDs.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// The key for an array of the stores that an error concerns.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// The key for a set of the IDs of the deleted objects.
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// The key for a set of the deleted objects.
public let NSDeletedObjectsKey = "deleted"
/// The key for an array of the errors that one error combines.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// The key for a set of the IDs of the inserted objects.
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// The key for a set of the inserted objects.
public let NSInsertedObjectsKey = "inserted"
/// The key for an array of the IDs of all objects of a context that was reset.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
/// The key for a set of the IDs of the invalidated objects.
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"
/// The key for a set of the invalidated objects.
public let NSInvalidatedObjectsKey = "invalidated"
/// The key for the `NSQueryGenerationToken` of the context after a save or a merge; present only if the
/// context is pinned.
public let NSManagedObjectContextQueryGenerationKey = "newQueryGeneration"
/// The name of the variable for the destination object in migration expressions.
public let NSMigrationDestinationObjectKey = "destination"
/// The name of the variable for the entity mapping in migration expressions.
public let NSMigrationEntityMappingKey = "entityMapping"
/// The name of the variable for the entity migration policy in migration expressions.
public let NSMigrationEntityPolicyKey = "entityPolicy"
/// The name of the variable for the migration manager in migration expressions.
public let NSMigrationManagerKey = "manager"
/// The name of the variable for the property mapping in migration expressions.
public let NSMigrationPropertyMappingKey = "propertyMapping"
/// The name of the variable for the source object in migration expressions.
public let NSMigrationSourceObjectKey = "source"
/// The key for the `NSPersistentHistoryToken` after the save or the change; present only if a changed store
/// has a history.
public let NSPersistentHistoryTokenKey = "historyToken"
/// The key for an array of the conflicts of a failed save: `NSMergeConflict` or `NSConstraintConflict`.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
/// The key for the URL of the store that changed; absent if the store has no URL.
public let NSPersistentStoreURLKey = "storeURL"
/// The key for a set of the IDs of the refreshed objects.
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// The key for a set of the refreshed objects.
public let NSRefreshedObjectsKey = "refreshed"
/// The key for an array of the removed stores.
public let NSRemovedPersistentStoresKey = "removed"
/// The key for an array of two stores: the store before a change of its UUID, for example through
/// `migratePersistentStore(_:to:type:)`, and the store after the change.
public let NSUUIDChangedPersistentStoresKey = "changed"
/// The key for a set of the IDs of the updated objects.
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// The key for a set of the updated objects.
public let NSUpdatedObjectsKey = "updated"
/// The key for the name of the invalid property.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// The key for the invalid object; absent in a validation error of a batch request.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// The key for the predicate that the value does not satisfy; absent if the error has another reason.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The key for the invalid value; absent if the value is nil.
public let NSValidationValueErrorKey = "NSValidationErrorValue"
