// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Core Data’s codes as members of the error, as in `catch CocoaError.managedObjectMerge`.
///
/// Source: documented.
extension CocoaError {
  /// A general Core Data error, for example an invalid model.
  public static var coreData: CocoaError.Code { .coreData }
  /// A policy class of a migration was not found, or a method or function of a policy failed.
  public static var entityMigrationPolicy: CocoaError.Code { .entityMigrationPolicy }
  /// No mapping can be inferred between two models.
  public static var inferredMappingModel: CocoaError.Code { .inferredMappingModel }
  /// A uniqueness constraint is violated, and the merge policy does not resolve the conflict.
  public static var managedObjectConstraintMerge: CocoaError.Code { .managedObjectConstraintMerge }
  /// A context cannot be locked; this library does not throw this error.
  public static var managedObjectContextLocking: CocoaError.Code { .managedObjectContextLocking }
  /// A relationship refers to an object in another store.
  public static var managedObjectExternalRelationship: CocoaError.Code {
    .managedObjectExternalRelationship
  }
  /// A merge policy found conflicts that it does not resolve.
  public static var managedObjectMerge: CocoaError.Code { .managedObjectMerge }
  /// No object with the given ID exists, or the object is deleted.
  public static var managedObjectReferentialIntegrity: CocoaError.Code {
    .managedObjectReferentialIntegrity
  }
  /// A value is not valid for a reason without a code of its own, for example because its type is wrong.
  public static var managedObjectValidation: CocoaError.Code { .managedObjectValidation }
  /// A migration failed.
  public static var migration: CocoaError.Code { .migration }
  /// A migration was cancelled.
  public static var migrationCancelled: CocoaError.Code { .migrationCancelled }
  /// The destination store of a migration cannot be opened or written.
  public static var migrationManagerDestinationStore: CocoaError.Code {
    .migrationManagerDestinationStore
  }
  /// The source store of a migration cannot be opened.
  public static var migrationManagerSourceStore: CocoaError.Code { .migrationManagerSourceStore }
  /// No mapping model was found between two models, and no mapping was inferred.
  public static var migrationMissingMappingModel: CocoaError.Code { .migrationMissingMappingModel }
  /// The model that created the store was not found.
  public static var migrationMissingSourceModel: CocoaError.Code { .migrationMissingSourceModel }
  /// A coordinator cannot be locked; this library does not throw this error.
  public static var persistentStoreCoordinatorLocking: CocoaError.Code {
    .persistentStoreCoordinatorLocking
  }
  /// The store’s schema does not match the request; this library does not throw this error.
  public static var persistentStoreIncompatibleSchema: CocoaError.Code {
    .persistentStoreIncompatibleSchema
  }
  /// The store's model version is not the coordinator's, or the store was migrated while it was open.
  public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
    .persistentStoreIncompatibleVersionHash
  }
  /// A save was committed to some of its stores, but not to all of them.
  public static var persistentStoreIncompleteSave: CocoaError.Code {
    .persistentStoreIncompleteSave
  }
  /// The store type is not supported.
  public static var persistentStoreInvalidType: CocoaError.Code { .persistentStoreInvalidType }
  /// The store cannot be opened.
  public static var persistentStoreOpen: CocoaError.Code { .persistentStoreOpen }
  /// An operation failed, for example because a store was closed or no store can hold an object.
  public static var persistentStoreOperation: CocoaError.Code { .persistentStoreOperation }
  /// The store cannot be saved; this library does not throw this error.
  public static var persistentStoreSave: CocoaError.Code { .persistentStoreSave }
  /// A save found conflicts; this library throws `NSManagedObjectMergeError` instead.
  public static var persistentStoreSaveConflicts: CocoaError.Code { .persistentStoreSaveConflicts }
  /// The store stayed locked for longer than the timeout.
  public static var persistentStoreTimeout: CocoaError.Code { .persistentStoreTimeout }
  /// The store is not of the requested type; this library does not throw this error.
  public static var persistentStoreTypeMismatch: CocoaError.Code { .persistentStoreTypeMismatch }
  /// The store does not support the request.
  public static var persistentStoreUnsupportedRequestType: CocoaError.Code {
    .persistentStoreUnsupportedRequestType
  }
  /// SQLite failed; `userInfo` contains SQLite's result code under `NSSQLiteErrorDomain`.
  public static var sqlite: CocoaError.Code { .sqlite }
  /// A date is later than the attribute's maximum.
  public static var validationDateTooLate: CocoaError.Code { .validationDateTooLate }
  /// A date is earlier than the attribute's minimum.
  public static var validationDateTooSoon: CocoaError.Code { .validationDateTooSoon }
  /// The value of a date attribute is not a date.
  public static var validationInvalidDate: CocoaError.Code { .validationInvalidDate }
  /// A mandatory property is nil.
  public static var validationMissingMandatoryProperty: CocoaError.Code {
    .validationMissingMandatoryProperty
  }
  /// Several values are not valid; see `NSDetailedErrorsKey`.
  public static var validationMultipleErrors: CocoaError.Code { .validationMultipleErrors }
  /// A number is greater than the attribute's maximum.
  public static var validationNumberTooLarge: CocoaError.Code { .validationNumberTooLarge }
  /// A number is less than the attribute's minimum.
  public static var validationNumberTooSmall: CocoaError.Code { .validationNumberTooSmall }
  /// A relationship with the delete rule Deny still has destinations.
  public static var validationRelationshipDeniedDelete: CocoaError.Code {
    .validationRelationshipDeniedDelete
  }
  /// A to-many relationship has too many destinations.
  public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
    .validationRelationshipExceedsMaximumCount
  }
  /// A to-many relationship has too few destinations.
  public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
    .validationRelationshipLacksMinimumCount
  }
  /// A string does not match the attribute's regular expression.
  public static var validationStringPatternMatching: CocoaError.Code {
    .validationStringPatternMatching
  }
  /// A string is longer than the attribute's maximum length.
  public static var validationStringTooLong: CocoaError.Code { .validationStringTooLong }
  /// A string is shorter than the attribute's minimum length.
  public static var validationStringTooShort: CocoaError.Code { .validationStringTooShort }
  /// External records cannot be imported; this library does not throw this error.
  public static var externalRecordImport: CocoaError.Code { .externalRecordImport }
}
