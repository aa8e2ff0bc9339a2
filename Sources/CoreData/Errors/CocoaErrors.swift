// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// Returns the `NSError` for an error of the core, with Apple's domain, code and `userInfo`.
///
/// An error of any other type is bridged, so an `NSError` is returned unchanged.
package func cocoaError(_ error: any Error) -> NSError {
  switch error {
  case let error as StoreError: storeError(error)
  case let error as ModelError:
    coreDataError(
      NSCoreDataError,
      "The managed object model is unreadable or invalid.",
      error.description
    )
  case let error as InferenceFailure: inferenceError(error)
  case let error as UnknownKey:
    coreDataError(
      NSCoreDataError,
      "\(error.owner) has no key “\(error.key)”.",
      "\(error.owner) has no key “\(error.key)”. Correct the key path of the predicate, expression or sort "
        + "descriptor."
    )
  case let error as EvaluationError:
    coreDataError(
      NSCoreDataError,
      "The predicate or expression cannot be evaluated.",
      error.description
    )
  case let error as FormatError:
    coreDataError(
      NSCoreDataError,
      "The format of the predicate or expression cannot be parsed.",
      "\(error)"
    )
  default: error as NSError
  }
}

/// Returns an error in `NSCocoaErrorDomain`.
///
/// `what` becomes the localized description. `reason` says what failed, where, and what to do; it is stored
/// under `reason` and `NSLocalizedFailureReasonErrorKey`. The path of the code's documentation is stored under
/// `NSHelpAnchorErrorKey`.
package func coreDataError(
  _ code: Int,
  _ what: String,
  _ reason: String? = nil,
  userInfo: [String: Any] = [:]
) -> NSError {
  var info = userInfo
  info[NSLocalizedDescriptionKey] = what
  info[NSHelpAnchorErrorKey] = ErrorPage.anchor(of: code)
  if let reason {
    info[NSLocalizedFailureReasonErrorKey] = reason
    info["reason"] = reason
  }
  return NSError(domain: NSCocoaErrorDomain, code: code, userInfo: info)
}

/// Returns the error text for an entity name that the model does not contain.
func noEntity(named name: String, in model: ModelDefinition) -> String {
  let names = model.entities.map(\.name)
  if names.isEmpty { return "The model has no entity named “\(name)”: it has no entities at all." }
  return "The model has no entity named “\(name)”. Use one of its entities: "
    + names.joined(separator: ", ") + "."
}

extension NSPersistentStore {
  /// The text that follows “the store” in an error text: `at PATH`, or `with the UUID …` for a store without
  /// a file.
  var locationInText: String {
    guard StoreKind(rawValue: type)?.isInMemory != true, let url,
      url.path != NSPersistentStoreDescription.memory.path
    else { return "with the UUID \(uuid)" }
    return "at \(url.isFileURL ? url.path : url.withoutPassword)"
  }
}

private let inexpressibleSuggestion =
  "Fetch the managed objects with fetch(_:), which evaluates in memory those parts of a predicate and of "
  + "sort descriptors that the store cannot evaluate. Then select the fetched objects in this request by "
  + "their IDs, with the predicate SELF IN %@, or compute the values in Swift."

/// Returns the error for a mapping that cannot be inferred; several obstacles become separate errors under
/// `NSDetailedErrorsKey`.
private func inferenceError(_ failure: InferenceFailure) -> NSError {
  let what = "No mapping model can be inferred between the two models."
  let details = failure.obstacles.map { obstacle in
    var info: [String: Any] = ["entity": obstacle.entity]
    if let property = obstacle.property { info["property"] = property }
    return coreDataError(NSInferredMappingModelError, what, obstacle.description, userInfo: info)
  }
  if details.count == 1 { return details[0] }
  return coreDataError(
    NSInferredMappingModelError,
    what,
    failure.description,
    userInfo: [NSDetailedErrorsKey: details]
  )
}

private let incompatibleModelSuggestion =
  "To migrate the store, set the options \(NSMigratePersistentStoresAutomaticallyOption) and "
  + "\(NSInferMappingModelAutomaticallyOption); a new NSPersistentStoreDescription sets both. Or open the "
  + "store with the model version that created it. If no mapping can be inferred, run `coredata export` "
  + "with that version and `coredata import` with the new version, to move the objects to a new store."

private let migratedStoreSuggestion =
  "Remove the store from its coordinator, and add it to a coordinator that has the new version of the model. "
  + "Objects of the old version cannot be saved any more."

private func storeError(_ error: StoreError) -> NSError {
  if error.code == .missingValue {
    return ValidationErrors.make(
      NSValidationMissingMandatoryPropertyError,
      object: nil,
      key: error.message,
      value: nil
    )
  }
  var info: [String: Any] = [:]
  if let path = error.path { info[NSFilePathErrorKey] = path }
  if let engineCode = error.engineCode {
    info[NSSQLiteErrorDomain] = NSNumber(value: engineCode)
    info[NSUnderlyingErrorKey] = NSError(
      domain: NSSQLiteErrorDomain,
      code: Int(engineCode),
      userInfo: [NSLocalizedDescriptionKey: error.message]
    )
  }
  if let statement = error.statement { info["statement"] = statement }
  if error.code == .incompatibleModel {
    info[NSLocalizedRecoverySuggestionErrorKey] = incompatibleModelSuggestion
  }
  if error.code == .migratedMeanwhile {
    info[NSLocalizedRecoverySuggestionErrorKey] = migratedStoreSuggestion
  }
  if error.code == .inexpressible {
    info[NSLocalizedRecoverySuggestionErrorKey] = inexpressibleSuggestion
  }
  if let serverCode = error.serverCode { info["SQLSTATE"] = serverCode }
  let (code, what) = error.isOfServer ? codeAndTextOfServer(error) : codeAndText(error)
  return coreDataError(code, what, error.message, userInfo: info)
}

extension StoreError {
  /// Whether the error comes from a store in a database server.
  fileprivate var isOfServer: Bool { path?.hasPrefix("postgres") == true }
}

/// Returns the code and text of an error of a store in a database server, which has no file.
private func codeAndTextOfServer(_ error: StoreError) -> (Int, String) {
  switch error.code {
  case .corrupt:
    (
      CocoaError.Code.fileReadCorruptFile.rawValue,
      "The tables in the database are not those of the store, or have values that the store cannot have."
    )
  case .busy:
    (
      NSPersistentStoreTimeoutError,
      "The database server of the persistent store cannot be reached, or is busy."
    )
  case .readOnly where error.serverCode != nil:
    (
      CocoaError.Code.fileWriteNoPermission.rawValue,
      "The database server does not allow writing to the persistent store."
    )
  case .engine:
    (NSPersistentStoreOperationError, "The persistent store could not complete the operation.")
  default: codeAndText(error)
  }
}

private func codeAndText(_ error: StoreError) -> (Int, String) {
  switch error.code {
  case .cannotOpen:
    (NSPersistentStoreOpenError, "The persistent store could not be opened.")
  case .corrupt:
    (CocoaError.Code.fileReadCorruptFile.rawValue, "The file is not a store or is damaged.")
  case .incompatibleModel:
    (
      NSPersistentStoreIncompatibleVersionHashError,
      "The model used to open the store is incompatible with the one used to create the store."
    )
  case .migratedMeanwhile:
    (
      NSPersistentStoreIncompatibleVersionHashError,
      "The persistent store was migrated to another version of its model while it was open."
    )
  case .migration:
    (NSMigrationError, "An error occurred during persistent store migration.")
  case .migrationConstraint:
    (
      NSMigrationConstraintViolationError,
      "Rows in the store violate a uniqueness constraint of the new model."
    )
  case .changedElsewhere:
    (
      NSPersistentStoreSaveError,
      "The persistent store cannot be saved, because its file was changed by another program."
    )
  case .conflict:
    (NSManagedObjectMergeError, "Could not merge changes.")
  case .constraint:
    (NSManagedObjectConstraintMergeError, "A uniqueness constraint is violated.")
  case .denied:
    (
      NSValidationRelationshipDeniedDeleteError,
      "Objects cannot be deleted, because the delete rule of a relationship is Deny."
    )
  case .busy:
    (
      NSPersistentStoreTimeoutError,
      "The persistent store is in use by another connection, in this process or in another one."
    )
  case .readOnly:
    (
      CocoaError.Code.fileWriteNoPermission.rawValue,
      // If there is a result code, SQLite refused to write, for example because the file was moved or is on a
      // read-only medium.
      error.engineCode == nil
        ? "The persistent store was opened for reading only."
        : "SQLite can only read the file of the persistent store, and cannot write to it."
    )
  case .cannotRead:
    (
      CocoaError.Code.fileReadUnknown.rawValue,
      "A file or folder of the persistent store cannot be read."
    )
  case .cannotWrite:
    (CocoaError.Code.fileWriteUnknown.rawValue, "The persistent store cannot be written to.")
  case .invalidRequest, .inexpressible:
    (
      NSPersistentStoreUnsupportedRequestTypeError,
      "The persistent store cannot execute the request: \(error.message)."
    )
  case .cancelled:
    (CocoaError.Code.userCancelled.rawValue, "The operation was cancelled.")
  case .closed:
    (NSPersistentStoreOperationError, "The persistent store has been removed or closed.")
  case .engine:
    (NSSQLiteError, "The persistent store could not complete the operation.")
  default:
    (NSPersistentStoreOperationError, "The persistent store could not complete the operation.")
  }
}
