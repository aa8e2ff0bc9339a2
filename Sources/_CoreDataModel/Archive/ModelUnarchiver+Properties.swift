// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ModelUnarchiver {
  mutating func property(
    _ name: String,
    _ listed: PropertyListNode?,
    of entity: String
  ) throws -> PropertyDraft {
    var object = listed
    if archive.className(listed) == "_NSPropertyDescriptionProxy" {
      object = archive[listed?["NSUnderlyingProperty"]]
    }
    guard let object else {
      throw ModelError(
        entity: entity,
        property: name,
        reason: "the archive lists this property, but does not contain it"
      )
    }
    var draft = PropertyDraft(name: name, kind: try kind(object, name, of: entity))
    draft.isOptional = archive.flag(object["NSIsOptional"])
    draft.isTransient = archive.flag(object["NSIsTransient"])
    draft.isIndexedBySpotlight = archive.flag(object["NSIndexedBySpotlight"])
    if case .fetched = draft.kind { draft.isTransient = false }
    draft.versionHashModifier = archive.text(object["NSVersionHashModifier"])
    let identifier = archive.text(object["NSRenamingIdentifier"])
    draft.renamingIdentifier = identifier == name ? nil : identifier
    draft.userInfo = try userInfo(object["NSUserInfo"])
    return draft
  }

  private mutating func kind(
    _ object: PropertyListNode,
    _ name: String,
    of entity: String
  ) throws -> PropertyDraft.Kind {
    switch archive.className(object) {
    case "NSAttributeDescription", "NSDerivedAttributeDescription",
      "NSCompositeAttributeDescription":
      return .attribute(try attribute(object, name, of: entity))
    case "NSRelationshipDescription":
      return .relationship(try relationship(object, name, of: entity))
    case "NSFetchedPropertyDescription":
      let request: FetchRequestTemplate
      do {
        request = try template(name, archive[object["NSFetchRequest"]])
      } catch let error as ModelError {
        throw ModelError(entity: entity, property: name, reason: error.reason)
      }
      let destination = archive.text(object["_NSFetchRequestEntityName"]) ?? request.entity
      var fetched = FetchedPropertyDefinition(
        entityName: destination,
        predicateFormat: request.predicateFormat
      )
      fetched.sort = request.sort
      fetched.fetchLimit = request.fetchLimit
      return .fetched(fetched)
    case let className:
      throw ModelError(
        entity: entity,
        property: name,
        reason: className.map { "the archived class \($0) is not a property class" }
          ?? "the archived object has no class; a property class such as NSAttributeDescription is expected"
      )
    }
  }

  private mutating func attribute(
    _ object: PropertyListNode,
    _ name: String,
    of entity: String
  ) throws -> AttributeDefinition {
    let code = archive.integer(object["NSAttributeType"]) ?? 0
    guard let type = UInt(exactly: code).flatMap(AttributeType.init(rawValue:)) else {
      throw ModelError(
        entity: entity,
        property: name,
        reason: "the attribute type \(code) is unknown"
      )
    }
    var attribute = AttributeDefinition(type: type)
    if let value = scalar(object["NSDefaultValue"]) {
      attribute.defaultValue = type.normalized(value)
    }
    attribute.valueTransformerName = archive.text(object["NSValueTransformerName"])
    let className = archive.text(object["NSAttributeValueClassName"])
    attribute.customClassName = className == type.traits.valueClassName ? nil : className
    let flags = archive.integer(object["NSFlagsKey"]) ?? 0
    attribute.allowsExternalStorage = flags & ArchivedFlags.externalStorage != 0
    attribute.preservesValueInHistory = flags & ArchivedFlags.keptInHistory != 0
    attribute.compositeName = archive.text(object["NSCompositeAttributeName"])
    readValidation(object, into: &attribute)
    if archive.className(object) == "NSDerivedAttributeDescription" {
      attribute.derivation =
        try located("the derivation expression", of: entity, property: name) {
          try $0.expression(object["NSDerivationExpression"])
        } ?? ""
      attribute.derivationFilter =
        try located("the predicate that filters the derivation", of: entity, property: name) {
          try $0.predicate(object["NSFilteringPredicate"])
        }
    }
    return attribute
  }

  /// The value of a field; nil for a collection, a dictionary, and a field that is missing or cannot be read.
  private func scalar(_ field: PropertyListNode?) -> Value? {
    guard let object = archive[field], object["NS.objects"] == nil else { return nil }
    return archive.value(field)
  }

  private func relationship(
    _ object: PropertyListNode,
    _ name: String,
    of entity: String
  ) throws -> RelationshipDraft {
    let destination =
      archive.text(object["_NSDestinationEntityName"])
      ?? archive.text(archive[object["NSDestinationEntity"]]?["NSEntityName"])
    guard let destination else {
      throw ModelError(
        entity: entity,
        property: name,
        reason: "the relationship has no destination entity"
      )
    }
    var draft = RelationshipDraft(destination: destination)
    draft.inverse =
      archive.text(object["_NSInverseRelationshipName"])
      ?? archive.text(archive[object["NSInverseRelationship"]]?["NSPropertyName"])
    draft.maxCount = try count("maximum", object["NSMaxCount"], name, of: entity)
    draft.minCount = try count("minimum", object["NSMinCount"], name, of: entity)
    draft.isOrdered = archive.flag(object["NSIsOrdered"])
    let rule = archive.integer(object["NSDeleteRule"]).flatMap { UInt(exactly: $0) }
    draft.deleteRule = rule.flatMap(DeleteRule.init(rawValue:)) ?? .nullify
    return draft
  }

  /// Both -1 and 0 mean that there is no bound, but they give different version hashes, so -1 is preserved.
  private func count(
    _ bound: String,
    _ field: PropertyListNode?,
    _ name: String,
    of entity: String
  ) throws -> Int {
    let count = archive.integer(field) ?? 0
    let range = -1...Int64(Int32.max)
    guard range.contains(count) else {
      throw ModelError(
        entity: entity,
        property: name,
        reason:
          "the \(bound) count \(count) is outside the range \(range.lowerBound) to \(range.upperBound)"
      )
    }
    return Int(count)
  }

  /// Reads the bounds and the pattern from the validation predicates, and ignores all other predicates.
  ///
  /// Only the first 64 predicates are read, to limit the work on an untrusted archive.
  private func readValidation(_ object: PropertyListNode, into attribute: inout AttributeDefinition)
  {
    for predicate in archive.members(object["NSValidationPredicates"]).prefix(64) {
      guard archive.className(predicate) == "NSComparisonPredicate",
        let relation = archive[predicate["NSPredicateOperator"]],
        let type = archive.integer(relation["NSOperatorType"]),
        let value = scalar(archive[predicate["NSRightExpression"]]?["NSConstantValue"])
      else { continue }
      let left = archive.className(archive[predicate["NSLeftExpression"]])
      let isLength = left == "NSKeyPathExpression"
      let bound = isLength ? value : attribute.type.normalized(value)
      switch type {
      case 1: attribute.maximum = bound
      case 3: attribute.minimum = bound
      case 6: if case .text(let pattern) = value { attribute.pattern = pattern }
      default: break
      }
    }
  }
}

/// Bits of the integer under `NSFlagsKey` of an archived attribute.
enum ArchivedFlags {
  static let externalStorage: Int64 = 4
  static let keptInHistory: Int64 = 16
}

extension AttributeType {
  /// Converts an integer, a floating-point number or a Boolean to the case of `Value` that this type uses,
  /// such as 1 to `true` for Boolean.
  ///
  /// Other values, and values without a conversion to this type, are returned unchanged.
  package func normalized(_ value: Value) -> Value {
    switch self {
    case .boolean:
      if case .int(let number) = value { return .bool(number != 0) }
    case .integer16, .integer32, .integer64:
      if case .bool(let flag) = value { return .int(flag ? 1 : 0) }
      if case .double(let number) = value { return Int64(exactly: number).map(Value.int) ?? value }
    case .double, .float:
      if case .int(let number) = value { return .double(Double(number)) }
    case .decimal:
      if case .int(let number) = value { return .decimal(Decimal(number)) }
      if case .double(let number) = value {
        return Decimal(string: number.description, locale: nil).map(Value.decimal) ?? value
      }
    case .undefined, .string, .date, .binaryData, .uuid, .uri, .transformable, .objectID,
      .composite:
      break
    }
    return value
  }
}
