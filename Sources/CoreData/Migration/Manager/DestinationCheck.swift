// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// Validates the destination of a migration.
///
/// Objects are saved before they are complete, so saves accept invalid objects. After the last save, the
/// objects that were invalid are validated again, and fetches search for objects that violate the rules of
/// relationships.
final class DestinationCheck {
  private let context: NSManagedObjectContext
  /// The invalid objects of the running save.
  private var invalid: [NSManagedObject] = []
  /// The keys of the objects that were invalid when they were saved.
  private var keys: Set<ObjectKey> = []

  init(_ context: NSManagedObjectContext) { self.context = context }

  /// Lets saves succeed with invalid objects.
  func begin() {
    context.postponedRules = [.toOnes, .toManys, .transients]
    context.validation.reportViolation = { [unowned self] object, _ in invalid.append(object) }
  }

  func end() {
    context.validation.reportViolation = nil
    context.postponedRules = []
  }

  func didSave() {
    for object in invalid where !object.key.isTemporary { keys.insert(object.key) }
    invalid = []
  }

  // MARK: Validation after the last save

  /// - Throws: `NSMigrationError` for the first violation; the errors of fetches.
  func complete() throws {
    end()
    // Transient values are not stored, so every object would lack its mandatory transient values.
    context.postponedRules = [.transients]
    defer { context.postponedRules = [] }
    try validateAgain()
    try checkRelationships()
  }

  private func validateAgain() throws {
    let sorted = keys.sorted { $0.raw < $1.raw }
    for range in Batches(count: sorted.count, size: Batches.usualSize) {
      let objects = try context.objects(ofBatch: Array(sorted[range]), FetchOptions())
      // An object without a row was deleted after it was saved.
      for object in objects where !object.isFault || object.chunk != nil {
        do {
          try object.validateForUpdate()
        } catch {
          throw MigrationErrors.invalid(error as NSError, Self.description(of: object))
        }
      }
      context.refreshAllObjects()
    }
  }

  private func checkRelationships() throws {
    guard let model = context.frozenModel?.definition else { return }
    for entity in model.entities {
      for property in entity.properties
      where property.declaringEntity == entity.index && property.relationship != nil
        && property.hasRule
      {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
        request.predicate = Self.violation(of: property)
        request.fetchLimit = 1
        guard let object = try context.fetch(request).first else { continue }
        throw MigrationErrors.invalid(
          Self.error(of: property, object),
          Self.description(of: object)
        )
      }
    }
  }

  /// Returns a predicate for the objects that violate the rules of a relationship.
  private static func violation(of property: PropertyDefinition) -> NSPredicate? {
    guard let relationship = property.relationship else { return nil }
    let name = property.name
    if !relationship.isToMany { return NSPredicate(format: "%K == nil", name) }
    let count = "#\(name).@count"
    var rules = ["\(count) < \(relationship.minCount)"]
    if relationship.maxCount > 0 { rules.append("\(count) > \(relationship.maxCount)") }
    let rule = rules.joined(separator: " OR ")
    return NSPredicate(format: property.isOptional ? "\(count) > 0 AND (\(rule))" : rule)
  }

  private static func error(of property: PropertyDefinition, _ object: NSManagedObject) -> NSError {
    let value = object.value(forKey: property.name)
    let count = (value as? NSSet)?.count ?? (value as? NSOrderedSet)?.count ?? 0
    let code =
      switch property.violation(ofMemberCount: count) {
      case nil: NSValidationMissingMandatoryPropertyError
      case .tooFew?: NSValidationRelationshipLacksMinimumCountError
      case .tooMany?: NSValidationRelationshipExceedsMaximumCountError
      }
    return ValidationErrors.make(code, object: object, property: property, value: value)
  }

  private static func description(of object: NSManagedObject) -> String {
    "\(object.entity.name ?? "") \(object.objectID.uriRepresentation().absoluteString)"
  }
}
