// SPDX-License-Identifier: Apache-2.0

import CoreData

/// What became of a save.
enum Outcome: String {
  case saved
  /// Nothing is written, because of another save or a constraint.
  case refused
  /// Nothing is written, because no server was there for long enough.
  case lost
  /// It is not known whether the save is written.
  case unknown

  /// Saves a context, and tells what became of it.
  ///
  /// - Throws: errors that no save should have.
  static func saving(_ context: NSManagedObjectContext) throws -> Outcome {
    do {
      try context.save()
      return .saved
    } catch let error as NSError {
      return try of(error)
    }
  }

  private static func of(_ error: NSError) throws -> Outcome {
    switch error.code {
    case NSManagedObjectMergeError, NSManagedObjectConstraintMergeError: return .refused
    case NSPersistentStoreTimeoutError, NSPersistentStoreOpenError:
      let text = "\(error.localizedDescription) \(error.localizedFailureReason ?? "") \(error)"
      return text.contains("it is not known") ? .unknown : .lost
    default: throw error
    }
  }
}
