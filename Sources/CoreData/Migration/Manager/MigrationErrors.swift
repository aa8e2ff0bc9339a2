// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// The errors of a migration with a mapping model.
enum MigrationErrors {
  private static let failed = "An error occurred during persistent store migration."

  private static func failure(
    _ reason: String,
    code: Int = NSMigrationError,
    cause: (any Error)? = nil,
    userInfo: [String: Any] = [:]
  ) -> NSError {
    var info = userInfo
    if let cause { info[NSUnderlyingErrorKey] = cause as NSError }
    return coreDataError(code, failed, reason, userInfo: info)
  }

  // MARK: Mapping models

  static func noMappingModel(_ url: URL) -> NSError {
    coreDataError(
      NSMigrationMissingMappingModelError,
      "Persistent store migration failed, missing mapping model.",
      "The mapping model is nil. Pass the mapping model of the source and the destination model.",
      userInfo: [NSFilePathErrorKey: url.path]
    )
  }

  static func damagedMapping(_ cause: any Error, _ file: URL) -> NSError {
    failure(
      "The mapping model at \(file.path) cannot be read: "
        + "\((cause as? ModelError)?.explanation ?? "\(cause)"). "
        + "Correct the file, or remove it from the program.",
      cause: cocoaError(cause),
      userInfo: [NSFilePathErrorKey: file.path]
    )
  }

  static func unfitMapping(_ name: String, _ reason: String) -> NSError {
    failure("The entity mapping “\(name)” does not fit the models: \(reason).")
  }

  static func duplicateName(_ name: String) -> NSError {
    failure(
      "Two entity mappings of the mapping model are named “\(name)”. Give each entity mapping a unique name, "
        + "because objects are found by the names of their mappings."
    )
  }

  static func readOnly(_ model: NSMappingModel, _ url: URL) -> NSError {
    let names = (model.entityMappings ?? []).compactMap(\.name)
    return failure(
      "The store at \(url.path) must be migrated with a mapping model, but it is opened for reading only. "
        + "The entity mappings are: \(names.joined(separator: ", ")). Open the store without "
        + "NSReadOnlyPersistentStoreOption, or with the model version that created it.",
      userInfo: [NSFilePathErrorKey: url.path]
    )
  }

  static func alreadyRunning() -> NSError {
    failure(
      "This migration manager is already migrating a store. Create a migration manager for each migration."
    )
  }

  static func missingPolicy(_ className: String, mapping: String) -> NSError {
    failure(
      "The migration policy of the entity mapping “\(mapping)” cannot be created, because no subclass of "
        + "NSEntityMigrationPolicy named “\(className)” was found. Add such a class to the program. If the "
        + "class is private or nested, register it with MigrationPolicyClasses.register(_:).",
      code: NSEntityMigrationPolicyError
    )
  }

  // MARK: Objects

  static func policyFailed(_ cause: any Error, _ plan: MappingPlan, _ step: String) -> NSError {
    if isOwn(cause) { return cause as NSError }
    return failure(
      "The migration policy \(type(of: plan.policy)) of the entity mapping “\(plan.name)” failed in \(step): "
        + (cause as NSError).localizedDescription,
      code: NSEntityMigrationPolicyError,
      cause: cause
    )
  }

  private static func functionFailed(_ error: PolicyFunctionError, _ place: String) -> NSError {
    if isOwn(error.cause) { return error.cause as NSError }
    return failure(
      "The function “\(error.selector)” of the migration policy \(error.policy) failed for \(place): "
        + (error.cause as NSError).localizedDescription,
      code: NSEntityMigrationPolicyError,
      cause: error.cause
    )
  }

  static func unevaluable(
    _ cause: any Error,
    _ property: PropertyPlan,
    in plan: MappingPlan
  ) -> NSError {
    if let error = cause as? PolicyFunctionError {
      let name = "\(plan.destination?.name ?? "").\(property.definition.name)"
      return functionFailed(error, "\(name) in the entity mapping “\(plan.name)”")
    }
    if isOwn(cause) { return cause as NSError }
    let translated = cocoaError(cause)
    return failure(
      "The value of \(plan.destination?.name ?? "").\(property.definition.name) in the entity mapping "
        + "“\(plan.name)” cannot be computed with \(property.mapping.valueExpression?.term.format ?? ""): "
        + (translated.localizedFailureReason ?? translated.localizedDescription),
      cause: translated
    )
  }

  static func unevaluableSource(_ cause: any Error, _ plan: MappingPlan) -> NSError {
    if let error = cause as? PolicyFunctionError {
      return functionFailed(error, "the source objects of the entity mapping “\(plan.name)”")
    }
    if isOwn(cause) { return cause as NSError }
    let translated = cocoaError(cause)
    return failure(
      "The source objects of the entity mapping “\(plan.name)” cannot be read with "
        + "\(plan.mapping.sourceExpression?.description ?? "a fetch of the source entity"): "
        + (translated.localizedFailureReason ?? translated.localizedDescription),
      cause: translated
    )
  }

  static func unfit(
    _ value: Value,
    of property: PropertyPlan,
    in plan: MappingPlan,
    source: NSManagedObject?
  ) -> NSError {
    let kind =
      property.definition.relationship == nil
      ? "the type of the attribute"
      : "the relationship, which needs objects of its destination entity in the destination context"
    let place = source.map { " for \($0.objectID.uriRepresentation().absoluteString)" } ?? ""
    return failure(
      "The value of \(plan.destination?.name ?? "").\(property.definition.name) in the entity mapping "
        + "“\(plan.name)”\(place) is \(value.kindName), which does not fit \(kind). Correct the expression "
        + "\(property.expression.term.format), or convert the value with a policy."
    )
  }

  static func undecodable(
    _ property: PropertyDefinition,
    of source: NSManagedObject,
    in plan: MappingPlan
  ) -> NSError {
    let reason =
      Transformable.missing(property)
      ?? "it is not an archive of classes that this program has. Register a value transformer, and set "
      + "the transformer's name in both models."
    return failure(
      "The value of \(source.entityDefinition.name).\(property.name) of "
        + "\(source.objectID.uriRepresentation().absoluteString) cannot be decoded in the entity mapping "
        + "“\(plan.name)”, and would be lost: \(reason) To copy the stored data without decoding, use "
        + "the expression $source.\(property.name) for an attribute with the same transformer."
    )
  }

  static func invalid(_ cause: NSError, _ object: String) -> NSError {
    failure(
      "The destination object \(object) is invalid: \(cause.localizedDescription) Correct the mapping model, "
        + "or set the value with a policy.",
      cause: cause
    )
  }

  static func unsaved(_ cause: any Error) -> NSError {
    if isOwn(cause) { return cause as NSError }
    let cause = cause as NSError
    let isConstraint =
      cause.domain == NSCocoaErrorDomain && cause.code == NSManagedObjectConstraintMergeError
    return failure(
      "The objects of the destination cannot be saved: \(cause.localizedDescription) "
        + (cause.localizedFailureReason ?? ""),
      code: isConstraint ? NSMigrationConstraintViolationError : NSMigrationError,
      cause: cause
    )
  }

  static func cancelled(_ cause: any Error) -> NSError {
    coreDataError(
      NSMigrationCancelledError,
      "The migration was cancelled.",
      userInfo: [NSUnderlyingErrorKey: cause as NSError]
    )
  }

  // MARK: Stores

  static func sourceStore(_ cause: any Error, _ url: URL) -> NSError {
    store("The source store", at: url, NSMigrationManagerSourceStoreError, cause)
  }

  static func sameFile(_ url: URL) -> NSError {
    coreDataError(
      NSMigrationManagerDestinationStoreError,
      "The store at \(url.path) cannot be both source and destination of the migration.",
      "An XML or binary store cannot be migrated in place. Migrate to a new file, and then replace the old one.",
      userInfo: [NSFilePathErrorKey: url.path]
    )
  }

  static func destinationStore(_ cause: any Error, _ url: URL) -> NSError {
    store("The destination store", at: url, NSMigrationManagerDestinationStoreError, cause)
  }

  private static func store(
    _ name: String,
    at url: URL,
    _ code: Int,
    _ cause: any Error
  ) -> NSError {
    if isOwn(cause) { return cause as NSError }
    let translated = cocoaError(cause)
    return failure(
      "\(name) at \(url.path) cannot be used: \(translated.localizedDescription) "
        + (translated.localizedFailureReason ?? ""),
      code: code,
      cause: translated,
      userInfo: [NSFilePathErrorKey: url.path]
    )
  }

  /// Whether the error already has a migration error code, so that it is thrown without being wrapped.
  static func isOwn(_ error: any Error) -> Bool {
    let error = error as NSError
    return error.domain == NSCocoaErrorDomain && own.contains(error.code)
  }

  private static let own = [
    NSMigrationError, NSMigrationConstraintViolationError, NSMigrationCancelledError,
    NSMigrationMissingMappingModelError, NSMigrationManagerSourceStoreError,
    NSMigrationManagerDestinationStoreError, NSEntityMigrationPolicyError,
  ]
}
