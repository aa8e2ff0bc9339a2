// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("Former names of Core Data's codes")
struct FormerCodeTests {
  @Test("are members of the error that equal the codes of today")
  @available(*, deprecated, message: "tests what is deprecated")
  func members() {
    let pairs: [(former: CocoaError.Code, code: CocoaError.Code)] = [
      (CocoaError.coreDataError, CocoaError.Code.coreData),
      (CocoaError.entityMigrationPolicyError, CocoaError.Code.entityMigrationPolicy),
      (CocoaError.inferredMappingModelError, CocoaError.Code.inferredMappingModel),
      (CocoaError.managedObjectConstraintMergeError, CocoaError.Code.managedObjectConstraintMerge),
      (CocoaError.managedObjectContextLockingError, CocoaError.Code.managedObjectContextLocking),
      (
        CocoaError.managedObjectExternalRelationshipError,
        CocoaError.Code.managedObjectExternalRelationship
      ),
      (CocoaError.managedObjectMergeError, CocoaError.Code.managedObjectMerge),
      (
        CocoaError.managedObjectReferentialIntegrityError,
        CocoaError.Code.managedObjectReferentialIntegrity
      ),
      (CocoaError.managedObjectValidationError, CocoaError.Code.managedObjectValidation),
      (CocoaError.migrationCancelledError, CocoaError.Code.migrationCancelled),
      (CocoaError.migrationError, CocoaError.Code.migration),
      (
        CocoaError.migrationManagerDestinationStoreError,
        CocoaError.Code.migrationManagerDestinationStore
      ),
      (CocoaError.migrationManagerSourceStoreError, CocoaError.Code.migrationManagerSourceStore),
      (CocoaError.migrationMissingMappingModelError, CocoaError.Code.migrationMissingMappingModel),
      (CocoaError.migrationMissingSourceModelError, CocoaError.Code.migrationMissingSourceModel),
      (
        CocoaError.persistentStoreCoordinatorLockingError,
        CocoaError.Code.persistentStoreCoordinatorLocking
      ),
      (
        CocoaError.persistentStoreIncompatibleSchemaError,
        CocoaError.Code.persistentStoreIncompatibleSchema
      ),
      (
        CocoaError.persistentStoreIncompatibleVersionHashError,
        CocoaError.Code.persistentStoreIncompatibleVersionHash
      ),
      (
        CocoaError.persistentStoreIncompleteSaveError,
        CocoaError.Code.persistentStoreIncompleteSave
      ),
      (CocoaError.persistentStoreInvalidTypeError, CocoaError.Code.persistentStoreInvalidType),
      (CocoaError.persistentStoreOpenError, CocoaError.Code.persistentStoreOpen),
      (CocoaError.persistentStoreOperationError, CocoaError.Code.persistentStoreOperation),
      (CocoaError.persistentStoreSaveConflictsError, CocoaError.Code.persistentStoreSaveConflicts),
      (CocoaError.persistentStoreSaveError, CocoaError.Code.persistentStoreSave),
      (CocoaError.persistentStoreTimeoutError, CocoaError.Code.persistentStoreTimeout),
      (CocoaError.persistentStoreTypeMismatchError, CocoaError.Code.persistentStoreTypeMismatch),
      (
        CocoaError.persistentStoreUnsupportedRequestTypeError,
        CocoaError.Code.persistentStoreUnsupportedRequestType
      ),
      (CocoaError.sqliteError, CocoaError.Code.sqlite),
      (CocoaError.validationDateTooLateError, CocoaError.Code.validationDateTooLate),
      (CocoaError.validationDateTooSoonError, CocoaError.Code.validationDateTooSoon),
      (CocoaError.validationInvalidDateError, CocoaError.Code.validationInvalidDate),
      (
        CocoaError.validationMissingMandatoryPropertyError,
        CocoaError.Code.validationMissingMandatoryProperty
      ),
      (CocoaError.validationMultipleErrorsError, CocoaError.Code.validationMultipleErrors),
      (CocoaError.validationNumberTooLargeError, CocoaError.Code.validationNumberTooLarge),
      (CocoaError.validationNumberTooSmallError, CocoaError.Code.validationNumberTooSmall),
      (
        CocoaError.validationRelationshipDeniedDeleteError,
        CocoaError.Code.validationRelationshipDeniedDelete
      ),
      (
        CocoaError.validationRelationshipExceedsMaximumCountError,
        CocoaError.Code.validationRelationshipExceedsMaximumCount
      ),
      (
        CocoaError.validationRelationshipLacksMinimumCountError,
        CocoaError.Code.validationRelationshipLacksMinimumCount
      ),
      (
        CocoaError.validationStringPatternMatchingError,
        CocoaError.Code.validationStringPatternMatching
      ),
      (CocoaError.validationStringTooLongError, CocoaError.Code.validationStringTooLong),
      (CocoaError.validationStringTooShortError, CocoaError.Code.validationStringTooShort),
      (CocoaError.externalRecordImportError, CocoaError.Code.externalRecordImport),
    ]
    for pair in pairs { #expect(pair.former == pair.code) }
    #expect(Set(pairs.map(\.code.rawValue)).count == 42)
  }
}
