// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// The errors of staged migrations.
///
/// The descriptions of `NSManagedObjectModelReferenceNotFoundError`,
/// `NSStagedMigrationBackwardMigrationError` and the error for duplicate checksums are copied from published
/// logs of Apple's framework; all other texts are this library's choice.
enum StagedErrors {
  static func make(_ error: StagingError, path: String?) -> NSError {
    let (code, what) =
      switch error.code {
      case .duplicateVersion:
        (NSMigrationError, "Duplicate version checksums across stages detected.")
      case .unknownVersion:
        (
          NSManagedObjectModelReferenceNotFoundError,
          "Cannot use staged migration with an unknown model version."
        )
      case .backward:
        (
          NSStagedMigrationBackwardMigrationError,
          "A store file cannot be migrated backwards with staged migration."
        )
      }
    return make(code, what, error.description + ".", path: path)
  }

  static func noChecksum(path: String) -> NSError {
    make(
      NSStagedMigrationFrameworkVersionMismatchError,
      "A store without a version checksum cannot be migrated with staged migration.",
      "The metadata of the store has no \(NSPersistentStoreModelVersionChecksumKey), which early versions of "
        + "the framework do not write. Migrate the store without "
        + "NSPersistentStoreStagedMigrationManagerOptionKey to the first version of the stages. This "
        + "migration writes the checksum.",
      path: path
    )
  }

  static func readOnly(_ steps: String, path: String) -> NSError {
    make(
      NSMigrationError,
      "The persistent store must be migrated, but it is opened for reading only.",
      "The migration has these steps: \(steps). Open the store without NSReadOnlyPersistentStoreOption, or "
        + "with the model version that created it.",
      path: path
    )
  }

  static func mappingModel(_ step: String, path: String) -> NSError {
    make(
      NSMigrationError,
      "Staged migration cannot use a mapping model.",
      "The program has a mapping model for the step \(step). Remove the mapping model, and convert the "
        + "values in a handler of an NSCustomMigrationStage, or migrate without "
        + "NSPersistentStoreStagedMigrationManagerOptionKey.",
      path: path
    )
  }

  static func noConfiguration(_ name: String, in version: String, path: String) -> NSError {
    make(
      NSCoreDataError,
      "The model has no configuration named “\(name)”.",
      "The store has the configuration “\(name)”, which the version \(version) of a stage does not have. Add "
        + "the configuration to this version of the model.",
      path: path
    )
  }

  static func noManager(_ value: Any, path: String) -> NSError {
    make(
      NSPersistentStoreOperationError,
      "The value of NSPersistentStoreStagedMigrationManagerOptionKey must be an NSStagedMigrationManager.",
      "The value is of the type \(type(of: value)). Pass an NSStagedMigrationManager with the stages.",
      path: path
    )
  }

  private static func make(
    _ code: Int,
    _ what: String,
    _ reason: String,
    path: String?
  ) -> NSError {
    coreDataError(code, what, reason, userInfo: path.map { [NSFilePathErrorKey: $0] } ?? [:])
  }
}
