// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// The validation of a migration's destination.
///
/// The objects are saved before they are complete. An object that is not valid when it is saved is validated
/// again in the end, and so are all mandatory relationships, by fetches for objects that lack destinations.
final class DestinationCheck {
  private let context: NSManagedObjectContext
  /// The objects of the save that is running which are not valid.
  private var invalid: [NSManagedObject] = []
  /// The saved objects that were not valid when they were saved.
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

  // MARK: In the end

  /// - Throws: 134110 with the first violation.
  func complete() throws {
    end()
    // A transient value is computed by the program's class, or never stored.
    context.postponedRules = [.transients]
    defer { context.postponedRules = [] }
    try validateAgain()
    try checkRelationships()
  }

  private func validateAgain() throws {
    let sorted = keys.sorted { $0.raw < $1.raw }
    for range in Batches(count: sorted.count, size: Batches.usualSize) {
      let objects = try context.objects(ofBatch: Array(sorted[range]), FetchOptions())
      // An object without a row has been deleted since.
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

  /// Returns the predicate of objects that break a rule of a relationship.
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
