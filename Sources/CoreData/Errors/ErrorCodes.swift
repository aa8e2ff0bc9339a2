// SPDX-License-Identifier: Apache-2.0

// Codes of errors in `NSCocoaErrorDomain`.
// Source: documented; raw values are Apple’s.

/// The domain of SQLite’s errors, and the key of SQLite’s result code, an `NSNumber`, in the `userInfo` of an
/// error in `NSCocoaErrorDomain`.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"

/// A value is not valid according to the application’s own validation.
public let NSManagedObjectValidationError = 1550
/// A uniqueness constraint is violated.
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
/// A number is too large.
public let NSValidationNumberTooLargeError = 1610
/// A number is too small.
public let NSValidationNumberTooSmallError = 1620
/// A date is too late.
public let NSValidationDateTooLateError = 1630
/// A date is too soon.
public let NSValidationDateTooSoonError = 1640
/// A value is not a date.
public let NSValidationInvalidDateError = 1650
/// A string is too long.
public let NSValidationStringTooLongError = 1660
/// A string is too short.
public let NSValidationStringTooShortError = 1670
/// A string does not match its pattern.
public let NSValidationStringPatternMatchingError = 1680
/// A URI cannot be represented as a string.
public let NSValidationInvalidURIError = 1690
/// A context cannot be locked.
public let NSManagedObjectContextLockingError = 132000
/// A coordinator cannot be locked.
public let NSPersistentStoreCoordinatorLockingError = 132010
/// A referenced object does not exist.
public let NSManagedObjectReferentialIntegrityError = 133000
/// A relationship refers to an object in another store.
public let NSManagedObjectExternalRelationshipError = 133010
/// A merge policy found conflicts that it does not resolve.
public let NSManagedObjectMergeError = 133020
/// A merge policy found violated constraints that it does not resolve.
public let NSManagedObjectConstraintMergeError = 133021
/// The store type is not supported.
public let NSPersistentStoreInvalidTypeError = 134000
/// The store is of another type than the requested one.
public let NSPersistentStoreTypeMismatchError = 134010
/// The store’s schema does not match the request.
public let NSPersistentStoreIncompatibleSchemaError = 134020
/// The store cannot be saved.
public let NSPersistentStoreSaveError = 134030
/// A save was committed to some of its stores, but not to all of them.
public let NSPersistentStoreIncompleteSaveError = 134040
/// A save found conflicts.
public let NSPersistentStoreSaveConflictsError = 134050
/// A general Core Data error, for example an invalid model.
public let NSCoreDataError = 134060
/// An operation of the store failed.
public let NSPersistentStoreOperationError = 134070
/// The store cannot be opened.
public let NSPersistentStoreOpenError = 134080
/// The store stayed locked for longer than the timeout.
public let NSPersistentStoreTimeoutError = 134090
/// The store does not support the request.
public let NSPersistentStoreUnsupportedRequestTypeError = 134091
/// The store was created with another version of the model.
public let NSPersistentStoreIncompatibleVersionHashError = 134100
/// A migration failed.
public let NSMigrationError = 134110
/// A migration would violate a uniqueness constraint.
public let NSMigrationConstraintViolationError = 134111
/// A migration was cancelled.
public let NSMigrationCancelledError = 134120
/// The model that a store was created with is missing.
public let NSMigrationMissingSourceModelError = 134130
/// There is no mapping between two models.
public let NSMigrationMissingMappingModelError = 134140
/// The source store of a migration failed.
public let NSMigrationManagerSourceStoreError = 134150
/// The destination store of a migration failed.
public let NSMigrationManagerDestinationStoreError = 134160
/// An entity migration policy failed.
public let NSEntityMigrationPolicyError = 134170
/// SQLite failed; see `NSSQLiteErrorDomain`.
public let NSSQLiteError = 134180
/// No mapping can be inferred between two models.
public let NSInferredMappingModelError = 134190
/// The history token has expired, because history after the token was deleted.
public let NSPersistentHistoryTokenExpiredError = 134301
/// A model reference does not resolve to a model.
public let NSManagedObjectModelReferenceNotFoundError = 134504
/// The models of a staged migration belong to another framework version.
public let NSStagedMigrationFrameworkVersionMismatchError = 134505
/// A staged migration would go backwards.
public let NSStagedMigrationBackwardMigrationError = 134506
