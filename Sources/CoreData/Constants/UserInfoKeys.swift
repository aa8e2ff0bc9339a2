// SPDX-License-Identifier: Apache-2.0

// Keys in the `userInfo` of notifications and errors, and of migration expressions.
// Source: documented (the constants), docs/reference/behaviour.md NOT-5 and §22 (their texts).

/// Array of the stores added.
public let NSAddedPersistentStoresKey = "added"
/// Array of the objects that an error concerns.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// Array of the stores that an error concerns.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// Set of the IDs of the objects deleted.
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// Set of the objects deleted.
public let NSDeletedObjectsKey = "deleted"
/// Array of the errors behind a multiple-errors error.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// Set of the IDs of the objects inserted.
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// Set of the objects inserted.
public let NSInsertedObjectsKey = "inserted"
/// Array of the IDs of all objects of a context that was reset.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
/// Set of the IDs of the objects that are no longer valid.
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"
/// Set of the objects that are no longer valid.
public let NSInvalidatedObjectsKey = "invalidated"
/// The query generation after a save.
public let NSManagedObjectContextQueryGenerationKey = "newQueryGeneration"
/// Migration expressions: the destination object.
public let NSMigrationDestinationObjectKey = "destination"
/// Migration expressions: the entity mapping.
public let NSMigrationEntityMappingKey = "entityMapping"
/// Migration expressions: the policy.
public let NSMigrationEntityPolicyKey = "entityPolicy"
/// Migration expressions: the manager.
public let NSMigrationManagerKey = "manager"
/// Migration expressions: the property mapping.
public let NSMigrationPropertyMappingKey = "propertyMapping"
/// Migration expressions: the source object.
public let NSMigrationSourceObjectKey = "source"
/// The history token of the change.
public let NSPersistentHistoryTokenKey = "historyToken"
/// Array of the conflicts of a failed save.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
/// URL of the store that changed.
public let NSPersistentStoreURLKey = "storeURL"
/// Set of the IDs of the objects refreshed.
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// Set of the objects that were refreshed but not changed here.
public let NSRefreshedObjectsKey = "refreshed"
/// Array of the stores removed.
public let NSRemovedPersistentStoresKey = "removed"
/// Array of a store before and after its UUID changed.
public let NSUUIDChangedPersistentStoresKey = "changed"
/// Set of the IDs of the objects changed.
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// Set of the objects changed.
public let NSUpdatedObjectsKey = "updated"
/// The key of the value that is not valid.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// The object that is not valid.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// The predicate that the value does not meet.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The value that is not valid; absent where it is nil.
public let NSValidationValueErrorKey = "NSValidationErrorValue"
