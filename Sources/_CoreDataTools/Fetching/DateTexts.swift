// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// Replaces strings in a condition with dates: in `born > "2001-06-01"`, the string becomes a date.
///
/// Format strings have no date literals, and a condition from the command line has no arguments. Therefore,
/// casts such as `CAST("2001-06-01", "NSDate")` and strings that are compared with dates are replaced before
/// the condition is used.
struct DateTexts {
  let model: ModelDefinition
  let entity: EntityDefinition
  /// Subquery variable → the entity of its objects.
  private var variables: [String: EntityDefinition] = [:]

  init(model: ModelDefinition, entity: EntityDefinition) {
    self.model = model
    self.entity = entity
  }

  /// Returns the condition with strings replaced by dates.
  ///
  /// - Throws: `ToolError` if a string that is compared with a date or cast to a date cannot be parsed as a
  ///   date.
  func resolved(_ condition: Condition) throws -> Condition {
    try condition.mapComparisons { comparison in
      comparison.left = try resolved(comparison.left)
      comparison.right = try resolved(comparison.right)
      if Self.isOfTexts(comparison.relation) { return }
      if isDate(comparison.left) {
        comparison.right = try dated(comparison.right)
      } else if isDate(comparison.right) {
        comparison.left = try dated(comparison.left)
      }
    }
  }

  private static func isOfTexts(_ relation: Relation) -> Bool {
    switch relation {
    case .matches, .like, .beginsWith, .endsWith, .contains, .customSelector: true
    default: false
    }
  }

  private func resolved(_ term: Term) throws -> Term {
    switch term {
    case .function(.cast, let arguments) where arguments.count == 2:
      guard Self.text(arguments[1]) == "NSDate", Self.text(arguments[0]) != nil else { return term }
      return try dated(arguments[0])
    case .function(let function, let arguments):
      return .function(function, try arguments.map(resolved))
    case .message(let selector, let receiver, let arguments):
      return .message(selector, to: try resolved(receiver), try arguments.map(resolved))
    case .aggregate(let members): return .aggregate(try members.map(resolved))
    case .keyPathOf(let term, let path): return .keyPathOf(try resolved(term), path)
    case .ternary(let condition, let yes, let no):
      return .ternary(try resolved(condition), try resolved(yes), try resolved(no))
    case .subquery(let collection, let variable, let condition):
      var inner = self
      inner.variables[variable] = end(of: collection)?.entity
      return .subquery(collection, variable: variable, try inner.resolved(condition))
    default: return term
    }
  }

  /// Whether the value of a term is known to be a date or a collection of dates.
  private func isDate(_ term: Term) -> Bool {
    switch term {
    case .function(.now, _): return true
    case .function(.aggregate(.maximum), let arguments),
      .function(.aggregate(.minimum), let arguments):
      return arguments.count == 1 && isDate(arguments[0])
    case .constant(let constant):
      guard case .date = constant.value else { return false }
      return true
    default: return end(of: term)?.isDate ?? false
    }
  }

  /// Returns the entity of a term's objects and whether the term's values are dates; nil if the kind of its
  /// values is unknown.
  ///
  /// The entity is nil if the term's values are attribute values.
  private func end(of term: Term) -> (entity: EntityDefinition?, isDate: Bool)? {
    switch term {
    case .evaluatedObject: (entity, false)
    case .keyPath(let path): end(of: path, from: entity)
    case .keyPathOf(.variable(let name), let path):
      variables[name].flatMap { end(of: path, from: $0) }
    case .variable(let name): variables[name].map { ($0, false) }
    default: nil
    }
  }

  private func end(
    of path: String,
    from entity: EntityDefinition
  ) -> (entity: EntityDefinition?, isDate: Bool)? {
    var current = entity
    let keys = path.split(separator: ".").map(String.init)
    for (place, key) in keys.enumerated() {
      if ["@max", "@min", "self", "SELF"].contains(key) { continue }
      guard let property = self.property(key, of: current) else { return nil }
      if let attribute = property.attribute {
        let rest = Array(keys[(place + 1)...])
        let element = attribute.elements.first { $0.path == rest }
        return (nil, (element?.attribute ?? attribute).type == .date)
      }
      guard let relationship = property.relationship else { return nil }
      current = model.entities[relationship.destination]
    }
    return (current, false)
  }

  /// Returns the first property with this name in the entity or its subentities.
  ///
  /// Conditions can use properties of subentities too.
  private func property(_ key: String, of entity: EntityDefinition) -> PropertyDefinition? {
    entity.family.lazy.compactMap { model.entities[$0].property(named: key) }.first
  }

  private func dated(_ term: Term) throws -> Term {
    switch term {
    case .constant(let constant): .constant(Constant(try dated(constant.value)))
    case .aggregate(let members): .aggregate(try members.map(dated))
    default: term
    }
  }

  private func dated(_ value: Value) throws -> Value {
    switch value {
    case .text(let text):
      guard let seconds = TransferValue.parsedDate(text) else {
        throw ToolError(
          "“\(text)” is not a date",
          hint: "Write dates in UTC, such as \"2022-07-01\" or \"2022-07-01T18:30:00Z\"."
        )
      }
      return .date(seconds)
    case .collection(let collection):
      return .collection(ValueCollection(collection.kind, try collection.members.map(dated)))
    default: return value
    }
  }

  private static func text(_ term: Term) -> String? {
    guard case .constant(let constant) = term, case .text(let text) = constant.value else {
      return nil
    }
    return text
  }
}
