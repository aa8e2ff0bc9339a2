// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// The errors of staged migrations.
///
/// Source: published logs, for the texts of 134504, 134506 and of equal checksums; the reasons are this
/// library's choice.
enum StagedErrors {
  /// Returns the error for stages that do not lead from the store's version to the model's.
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

  /// Returns the error for a store whose metadata has no version checksum.
  static func noChecksum(path: String) -> NSError {
    make(
      NSStagedMigrationFrameworkVersionMismatchError,
      "A store without a version checksum cannot be migrated with staged migration.",
      "The metadata of the store has no \(NSPersistentStoreModelVersionChecksumKey), because an early version "
        + "of the framework created the store. Migrate it without "
        + "NSPersistentStoreStagedMigrationManagerOptionKey to the first version of the stages; this writes "
        + "the checksum.",
      path: path
    )
  }

  /// Returns the error for a store that is opened read-only.
  static func readOnly(_ steps: String, path: String) -> NSError {
    make(
      NSMigrationError,
      "The persistent store must be migrated, but it is opened for reading only.",
      "The migration has these steps: \(steps). Open the store without NSReadOnlyPersistentStoreOption, or "
        + "with the model version that created it.",
      path: path
    )
  }

  /// Returns the error for a mapping model between two versions that a step connects.
  static func mappingModel(_ step: String, path: String) -> NSError {
    make(
      NSMigrationError,
      "Staged migration cannot use a mapping model.",
      "The program has a mapping model for the step \(step). Remove the mapping model and convert the values in "
        + "a handler of an NSCustomMigrationStage, or migrate without "
        + "NSPersistentStoreStagedMigrationManagerOptionKey.",
      path: path
    )
  }

  /// Returns the error for a version of the model that does not have the store's configuration.
  static func noConfiguration(_ name: String, in version: String, path: String) -> NSError {
    make(
      NSCoreDataError,
      "The model has no configuration named “\(name)”.",
      "The store has the configuration “\(name)”, which the version \(version) of a stage does not have. Add "
        + "the configuration to this version of the model.",
      path: path
    )
  }

  /// Returns the error for an option value that is not a manager.
  static func noManager(_ value: Any, path: String) -> NSError {
    make(
      NSPersistentStoreOperationError,
      "The value of NSPersistentStoreStagedMigrationManagerOptionKey must be an NSStagedMigrationManager.",
      "The value is a \(type(of: value)).",
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
