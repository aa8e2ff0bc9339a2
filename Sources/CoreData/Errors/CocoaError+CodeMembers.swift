// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Core Data’s codes as members of the error, as in `catch CocoaError.managedObjectMerge`.
///
/// Source: documented.
extension CocoaError {
  /// A general Core Data error, for example an invalid model.
  public static var coreData: CocoaError.Code { .coreData }
  /// An entity migration policy failed.
  public static var entityMigrationPolicy: CocoaError.Code { .entityMigrationPolicy }
  /// No mapping can be inferred between two models.
  public static var inferredMappingModel: CocoaError.Code { .inferredMappingModel }
  /// A merge policy found violated constraints that it does not resolve.
  public static var managedObjectConstraintMerge: CocoaError.Code { .managedObjectConstraintMerge }
  /// A context cannot be locked.
  public static var managedObjectContextLocking: CocoaError.Code { .managedObjectContextLocking }
  /// A relationship refers to an object in another store.
  public static var managedObjectExternalRelationship: CocoaError.Code {
    .managedObjectExternalRelationship
  }
  /// A merge policy found conflicts that it does not resolve.
  public static var managedObjectMerge: CocoaError.Code { .managedObjectMerge }
  /// A referenced object does not exist.
  public static var managedObjectReferentialIntegrity: CocoaError.Code {
    .managedObjectReferentialIntegrity
  }
  /// A value is not valid according to the application’s own validation.
  public static var managedObjectValidation: CocoaError.Code { .managedObjectValidation }
  /// A migration failed.
  public static var migration: CocoaError.Code { .migration }
  /// A migration was cancelled.
  public static var migrationCancelled: CocoaError.Code { .migrationCancelled }
  /// The destination store of a migration failed.
  public static var migrationManagerDestinationStore: CocoaError.Code {
    .migrationManagerDestinationStore
  }
  /// The source store of a migration failed.
  public static var migrationManagerSourceStore: CocoaError.Code { .migrationManagerSourceStore }
  /// There is no mapping between two models.
  public static var migrationMissingMappingModel: CocoaError.Code { .migrationMissingMappingModel }
  /// The model that a store was created with is missing.
  public static var migrationMissingSourceModel: CocoaError.Code { .migrationMissingSourceModel }
  /// A coordinator cannot be locked.
  public static var persistentStoreCoordinatorLocking: CocoaError.Code {
    .persistentStoreCoordinatorLocking
  }
  /// The store’s schema does not match the request.
  public static var persistentStoreIncompatibleSchema: CocoaError.Code {
    .persistentStoreIncompatibleSchema
  }
  /// The store was created with another version of the model.
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
  /// An operation of the store failed.
  public static var persistentStoreOperation: CocoaError.Code { .persistentStoreOperation }
  /// The store cannot be saved.
  public static var persistentStoreSave: CocoaError.Code { .persistentStoreSave }
  /// A save found conflicts.
  public static var persistentStoreSaveConflicts: CocoaError.Code { .persistentStoreSaveConflicts }
  /// The store stayed locked for longer than the timeout.
  public static var persistentStoreTimeout: CocoaError.Code { .persistentStoreTimeout }
  /// The store is of another type than the requested one.
  public static var persistentStoreTypeMismatch: CocoaError.Code { .persistentStoreTypeMismatch }
  /// The store does not support the request.
  public static var persistentStoreUnsupportedRequestType: CocoaError.Code {
    .persistentStoreUnsupportedRequestType
  }
  /// SQLite failed; see `NSSQLiteErrorDomain`.
  public static var sqlite: CocoaError.Code { .sqlite }
  /// A date is too late.
  public static var validationDateTooLate: CocoaError.Code { .validationDateTooLate }
  /// A date is too soon.
  public static var validationDateTooSoon: CocoaError.Code { .validationDateTooSoon }
  /// A value is not a date.
  public static var validationInvalidDate: CocoaError.Code { .validationInvalidDate }
  /// A mandatory property is nil.
  public static var validationMissingMandatoryProperty: CocoaError.Code {
    .validationMissingMandatoryProperty
  }
  /// Several values are not valid; see `NSDetailedErrorsKey`.
  public static var validationMultipleErrors: CocoaError.Code { .validationMultipleErrors }
  /// A number is too large.
  public static var validationNumberTooLarge: CocoaError.Code { .validationNumberTooLarge }
  /// A number is too small.
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
  /// A string does not match its pattern.
  public static var validationStringPatternMatching: CocoaError.Code {
    .validationStringPatternMatching
  }
  /// A string is too long.
  public static var validationStringTooLong: CocoaError.Code { .validationStringTooLong }
  /// A string is too short.
  public static var validationStringTooShort: CocoaError.Code { .validationStringTooShort }
  /// External records cannot be imported; this library does not throw this error.
  public static var externalRecordImport: CocoaError.Code { .externalRecordImport }
}
