// SPDX-License-Identifier: Apache-2.0

import CoreData

/// What became of the steps of the collection; written to standard output with `COREDATA_ALL_FIXTURES`.
enum MigrationTally {
  static func note(
    _ outcome: String,
    _ step: some CustomStringConvertible,
    _ reason: (any Error)? = nil,
    objects: Int = 0
  ) {
    guard ModelStep.runsAll else { return }
    let why = reason.map { ": \($0)" } ?? ""
    print("MIGRATION \(outcome) | \(objects) | \(step)\(why)")
  }

  /// Rows of an entity that is abstract now, and rows that are not unique, have no place in the new model.
  static func isAboutRows(_ error: NSError) -> Bool {
    error.code == NSMigrationConstraintViolationError
      || error.localizedFailureReason?.contains("the entity is abstract in the new model") == true
  }
}
