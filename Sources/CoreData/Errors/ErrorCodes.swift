// SPDX-License-Identifier: Apache-2.0

// Codes of errors in `NSCocoaErrorDomain`.
// Source: documented; raw values are Apple’s.

/// The domain of SQLite’s errors, and the key of SQLite’s result code, an `NSNumber`, in the `userInfo` of an
/// error in `NSCocoaErrorDomain`.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"

/// A value is not valid for a reason without a code of its own, for example because its type is wrong.
public let NSManagedObjectValidationError = 1550
/// A uniqueness constraint is violated; a save throws `NSManagedObjectConstraintMergeError` instead.
public let NSManagedObjectConstraintValidationError = 1551
/// Several values are not valid; see `NSDetailedErrorsKey`.
public let NSValidationMultipleErrorsError = 1560
/// A mandatory property is nil.
public let NSValidationMissingMandatoryPropertyError = 1570
/// A to-many relationship has too few destinations.
public let NSValidationRelationshipLacksMinimumCountError = 1580
/// A to-many relationship has too many destinations.
public let NSValidationRelationshipExceedsMaximumCountError = 1590
/// A relationship with the delete rule Deny still has destinations.
public let NSValidationRelationshipDeniedDeleteError = 1600
/// A number is greater than the attribute's maximum.
public let NSValidationNumberTooLargeError = 1610
/// A number is less than the attribute's minimum.
public let NSValidationNumberTooSmallError = 1620
/// A date is later than the attribute's maximum.
public let NSValidationDateTooLateError = 1630
/// A date is earlier than the attribute's minimum.
public let NSValidationDateTooSoonError = 1640
/// The value of a date attribute is not a date.
public let NSValidationInvalidDateError = 1650
/// A string is longer than the attribute's maximum length.
public let NSValidationStringTooLongError = 1660
/// A string is shorter than the attribute's minimum length.
public let NSValidationStringTooShortError = 1670
/// A string does not match the attribute's regular expression.
public let NSValidationStringPatternMatchingError = 1680
/// The value of a URI attribute is not a valid URI.
public let NSValidationInvalidURIError = 1690
/// A context cannot be locked; this library does not throw this error.
public let NSManagedObjectContextLockingError = 132000
/// A coordinator cannot be locked; this library does not throw this error.
public let NSPersistentStoreCoordinatorLockingError = 132010
/// No object with the given ID exists, or the object is deleted.
public let NSManagedObjectReferentialIntegrityError = 133000
/// A relationship refers to an object in another store.
public let NSManagedObjectExternalRelationshipError = 133010
/// A merge policy found conflicts that it does not resolve.
public let NSManagedObjectMergeError = 133020
/// A uniqueness constraint is violated, and the merge policy does not resolve the conflict.
public let NSManagedObjectConstraintMergeError = 133021
/// The store type is not supported.
public let NSPersistentStoreInvalidTypeError = 134000
/// The store is not of the requested type; this library does not throw this error.
public let NSPersistentStoreTypeMismatchError = 134010
/// The store’s schema does not match the request; this library does not throw this error.
public let NSPersistentStoreIncompatibleSchemaError = 134020
/// The store cannot be saved; this library does not throw this error.
public let NSPersistentStoreSaveError = 134030
/// A save was committed to some of its stores, but not to all of them.
public let NSPersistentStoreIncompleteSaveError = 134040
/// A save found conflicts; this library throws `NSManagedObjectMergeError` instead.
public let NSPersistentStoreSaveConflictsError = 134050
/// A general Core Data error, for example an invalid model.
public let NSCoreDataError = 134060
/// An operation failed, for example because a store was closed or no store can hold an object.
public let NSPersistentStoreOperationError = 134070
/// The store cannot be opened.
public let NSPersistentStoreOpenError = 134080
/// The store stayed locked for longer than the timeout.
public let NSPersistentStoreTimeoutError = 134090
/// The store does not support the request.
public let NSPersistentStoreUnsupportedRequestTypeError = 134091
/// The store's model version is not the coordinator's, or the store was migrated while it was open.
public let NSPersistentStoreIncompatibleVersionHashError = 134100
/// A migration failed.
public let NSMigrationError = 134110
/// A migration would violate a uniqueness constraint.
public let NSMigrationConstraintViolationError = 134111
/// A migration was cancelled.
public let NSMigrationCancelledError = 134120
/// The model that created the store was not found.
public let NSMigrationMissingSourceModelError = 134130
/// No mapping model was found between two models, and no mapping was inferred.
public let NSMigrationMissingMappingModelError = 134140
/// The source store of a migration cannot be opened.
public let NSMigrationManagerSourceStoreError = 134150
/// The destination store of a migration cannot be opened or written.
public let NSMigrationManagerDestinationStoreError = 134160
/// A policy class of a migration was not found, or a method or function of a policy failed.
public let NSEntityMigrationPolicyError = 134170
/// SQLite failed; `userInfo` contains SQLite's result code under `NSSQLiteErrorDomain`.
public let NSSQLiteError = 134180
/// No mapping can be inferred between two models.
public let NSInferredMappingModelError = 134190
/// The history token is not valid, for example because transactions after its position were deleted.
public let NSPersistentHistoryTokenExpiredError = 134301
/// The model of a model reference was not found, or the store's model is in no stage of a staged migration.
public let NSManagedObjectModelReferenceNotFoundError = 134504
/// The store has no version checksum, which a staged migration requires.
public let NSStagedMigrationFrameworkVersionMismatchError = 134505
/// A staged migration would migrate the store to an earlier version of its model.
public let NSStagedMigrationBackwardMigrationError = 134506
