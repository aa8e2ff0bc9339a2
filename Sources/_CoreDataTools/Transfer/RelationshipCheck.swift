// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import _CoreDataModel

/// Counts the objects that violate rules of relationships, before and after an import, because the saves of
/// an import do not validate these rules.
struct RelationshipCheck {
  private struct Rule {
    let entity: String
    let property: String
    let condition: NSPredicate
    let before: Int
  }
  private var rules: [Rule] = []

  /// Counts the violations in the store before the import.
  ///
  /// - Throws: the errors of a fetch.
  /// - Complexity: one statement for each rule of the kind.
  init(
    _ kind: PostponedRules,
    _ context: NSManagedObjectContext,
    _ model: ModelDefinition
  ) throws {
    for entity in model.entities {
      for property in entity.properties where property.declaringEntity == entity.index {
        guard !property.isTransient, let condition = Self.condition(property, kind) else {
          continue
        }
        let rule = Rule(
          entity: entity.name,
          property: property.name,
          condition: condition,
          before: 0
        )
        rules.append(
          Rule(
            entity: entity.name,
            property: property.name,
            condition: condition,
            before: try Self.count(rule, context)
          )
        )
      }
    }
  }

  /// Counts the violations after the import.
  ///
  /// - Throws: `ToolError` if more objects violate a rule than before.
  func finish(_ context: NSManagedObjectContext) throws {
    var lines: [String] = []
    for rule in rules {
      let more = try Self.count(rule, context) - rule.before
      if more <= 0 { continue }
      lines.append(
        "the \(rule.property) that the model requires is missing in "
          + "\(CellText.objects(more)) of \(rule.entity)"
      )
    }
    if lines.isEmpty { return }
    throw ToolError(
      lines.joined(separator: "\n"),
      hint: "The objects are in the store; add what is missing, and import again."
    )
  }

  private static func count(_ rule: Rule, _ context: NSManagedObjectContext) throws -> Int {
    let request = NSFetchRequest<NSManagedObject>(entityName: rule.entity)
    request.predicate = rule.condition
    return try context.performAndWait { try context.count(for: request) }
  }

  /// Returns the predicate of objects that violate the property's rule; nil if the property has no rule of
  /// the kind.
  private static func condition(
    _ property: PropertyDefinition,
    _ kind: PostponedRules
  ) -> NSPredicate? {
    guard let relationship = property.relationship else { return nil }
    if !relationship.isToMany {
      return kind == .toOnes && !property.isOptional
        ? NSPredicate(format: "%K == nil", property.name) : nil
    }
    if kind != .toManys { return nil }
    let path = property.name + ".@count"
    let minimum = relationship.minCount
    var parts: [NSPredicate] = []
    if minimum > 0 {
      let few = NSPredicate(format: "%K < %d", path, minimum)
      let none = NSPredicate(format: "%K == 0", path)
      parts.append(
        property.isOptional
          ? NSCompoundPredicate(
            andPredicateWithSubpredicates: [
              few, NSCompoundPredicate(notPredicateWithSubpredicate: none),
            ]
          ) : few
      )
    }
    if relationship.maxCount > 0 {
      parts.append(NSPredicate(format: "%K > %d", path, relationship.maxCount))
    }
    return parts.isEmpty ? nil : NSCompoundPredicate(orPredicateWithSubpredicates: parts)
  }
}
