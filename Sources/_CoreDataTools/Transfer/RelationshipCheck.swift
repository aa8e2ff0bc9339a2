// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import _CoreDataModel

/// Counts the objects that violate relationship rules, before and after an import.
///
/// The saves during an import do not validate these rules, because objects can be incomplete until the import
/// ends.
struct RelationshipCheck {
  private struct Rule {
    let entity: String
    let property: String
    let violation: Violation
    var before = 0
  }
  private struct Violation {
    let text: String
    let condition: NSPredicate
  }
  private var rules: [Rule] = []

  /// Counts the violations before the import.
  ///
  /// - Throws: the errors of a fetch.
  /// - Complexity: one statement for each rule of `kind` in the model.
  init(
    _ kind: PostponedRules,
    _ context: NSManagedObjectContext,
    _ model: ModelDefinition
  ) throws {
    for entity in model.entities {
      for property in entity.properties where property.declaringEntity == entity.index {
        if property.isTransient { continue }
        for violation in Self.violations(property, kind) {
          var rule = Rule(entity: entity.name, property: property.name, violation: violation)
          rule.before = try Self.count(rule, context)
          rules.append(rule)
        }
      }
    }
  }

  /// Counts the violations after the import.
  ///
  /// - Throws: `ToolError` with `hint` if more objects violate a rule than before; the errors of a fetch.
  func finish(_ context: NSManagedObjectContext, hint: String) throws {
    var lines: [String] = []
    for rule in rules {
      let more = try Self.count(rule, context) - rule.before
      if more <= 0 { continue }
      let verb = more == 1 ? "has" : "have"
      let objects = CellText.count(more, rule.before > 0 ? "more object" : "object")
      lines.append("\(rule.entity).\(rule.property): \(objects) \(verb) \(rule.violation.text)")
    }
    if lines.isEmpty { return }
    throw ToolError(lines.joined(separator: "\n"), hint: hint)
  }

  private static func count(_ rule: Rule, _ context: NSManagedObjectContext) throws -> Int {
    let request = NSFetchRequest<NSManagedObject>(entityName: rule.entity)
    request.predicate = rule.violation.condition
    return try context.performAndWait { try context.count(for: request) }
  }

  private static func violations(
    _ property: PropertyDefinition,
    _ kind: PostponedRules
  ) -> [Violation] {
    guard let relationship = property.relationship else { return [] }
    if !relationship.isToMany {
      if kind != .toOnes || property.isOptional { return [] }
      let none = NSPredicate(format: "%K == nil", property.name)
      return [Violation(text: "no value for this mandatory relationship", condition: none)]
    }
    if kind != .toManys { return [] }
    let path = property.name + ".@count"
    let minimum = relationship.minCount
    var found: [Violation] = []
    if minimum > 0 {
      let few = NSPredicate(format: "%K < %d", path, minimum)
      let none = NSPredicate(format: "%K == 0", path)
      let condition =
        property.isOptional
        ? NSCompoundPredicate(
          andPredicateWithSubpredicates: [
            few, NSCompoundPredicate(notPredicateWithSubpredicate: none),
          ]
        ) : few
      found.append(
        Violation(text: "fewer members than the minimum of \(minimum)", condition: condition)
      )
    }
    if relationship.maxCount > 0 {
      let many = NSPredicate(format: "%K > %d", path, relationship.maxCount)
      found.append(
        Violation(
          text: "more members than the maximum of \(relationship.maxCount)",
          condition: many
        )
      )
    }
    return found
  }
}
