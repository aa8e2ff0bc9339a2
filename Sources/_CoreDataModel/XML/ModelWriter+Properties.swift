// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ModelWriter {
  /// The names of the XML attributes that are written from the draft of a property.
  ///
  /// When a file is updated, other XML attributes are preserved.
  static let propertyKeys: Set<String> = [
    "name", "optional", "transient", "attributeType", "elementID", "versionHashModifier",
    "valueTransformerName", "customClassName", "usesScalarValueType",
    "allowsExternalBinaryDataStorage", "preserveAfterDeletion", "allowsCloudEncryption",
    "regularExpressionString", "composite", "derived", "derivationExpression",
    "defaultValueString", "defaultDateTimeInterval", "minValueString", "maxValueString",
    "minDateTimeInterval", "maxDateTimeInterval", "spotlightIndexingEnabled", "toMany", "minCount",
    "maxCount", "ordered", "deletionRule", "destinationEntity", "inverseName", "inverseEntity",
  ]

  /// Returns the XML element for a property.
  ///
  /// `owner` is the name of the entity or composite type that has the property; errors contain this name.
  ///
  /// - Throws: `ModelError` for a value that has no text form in model files.
  static func element(_ property: PropertyDraft, of owner: String) throws -> MarkupElement {
    var element: MarkupElement
    switch property.kind {
    case .attribute(let attribute):
      element = MarkupElement(name: "attribute", attributes: [:], line: 0)
      do {
        try write(attribute, to: &element)
      } catch let error as ModelError {
        throw ModelError(entity: owner, property: property.name, reason: error.reason)
      }
    case .relationship(let relationship):
      element = MarkupElement(name: "relationship", attributes: [:], line: 0)
      write(relationship, to: &element)
    case .fetched(let fetched):
      element = MarkupElement(name: "fetchedProperty", attributes: [:], line: 0)
      var request = MarkupElement(name: "fetchRequest", attributes: [:], line: 0)
      request["name"] = "fetchedPropertyFetchRequest"
      request["entity"] = fetched.entityName
      request["predicateString"] = fetched.predicateFormat
      element.children = [request]
    }
    element["name"] = property.name
    if property.isOptional { element["optional"] = "YES" }
    if property.isTransient { element["transient"] = "YES" }
    if property.isIndexedBySpotlight { element["spotlightIndexingEnabled"] = "YES" }
    element["versionHashModifier"] = property.versionHashModifier
    element["elementID"] = property.renamingIdentifier
    if let info = userInfo(property.userInfo) { element.children.append(info) }
    return element
  }

  private static func write(
    _ attribute: AttributeDefinition,
    to element: inout MarkupElement
  ) throws {
    element["attributeType"] = attribute.type.traits.modelFileName
    element["valueTransformerName"] = attribute.valueTransformerName
    element["customClassName"] = attribute.customClassName
    if attribute.usesScalar { element["usesScalarValueType"] = "YES" }
    if attribute.allowsExternalStorage { element["allowsExternalBinaryDataStorage"] = "YES" }
    if attribute.preservesValueInHistory { element["preserveAfterDeletion"] = "YES" }
    if attribute.allowsCloudEncryption { element["allowsCloudEncryption"] = "YES" }
    element["regularExpressionString"] = attribute.pattern
    element["composite"] = attribute.compositeName
    if let derivation = attribute.derivation {
      element["derived"] = "YES"
      element["derivationExpression"] = derivation
    }
    for (value, name, text, interval) in [
      (attribute.defaultValue, "default value", "defaultValueString", "defaultDateTimeInterval"),
      (attribute.minimum ?? .null, "minimum", "minValueString", "minDateTimeInterval"),
      (attribute.maximum ?? .null, "maximum", "maxValueString", "maxDateTimeInterval"),
    ] {
      if case .date(let seconds) = value {
        element[interval] = Int64(exactly: seconds).map(String.init) ?? seconds.description
      } else {
        element[text] = try self.text(value, attribute.type, name)
      }
    }
  }

  private static func text(
    _ value: Value,
    _ type: AttributeType,
    _ name: String
  ) throws -> String? {
    switch value {
    case .null: return nil
    case .bool(let flag): return flag ? "YES" : "NO"
    case .int(let number): return String(number)
    case .double(let number):
      if case .float = type.traits.form { return Float(number).description }
      return number.description
    case .decimal(let number): return "\(number)"
    case .text(let text): return text
    case .uuid(let uuid): return uuid.uuidString
    case .url(let url): return url.absoluteString
    case .date(let seconds): return seconds.description
    case .data:
      throw ModelError(
        reason:
          "the \(name) is binary data, which a contents file cannot express. Write a .mom instead, or set "
          + "the \(name) in code"
      )
    case .key, .object, .collection, .dictionary, .opaque:
      throw ModelError(
        reason:
          "the \(name) is an object, which a contents file cannot express; set it in code instead"
      )
    }
  }

  private static func write(_ relationship: RelationshipDraft, to element: inout MarkupElement) {
    if relationship.maxCount == 1 {
      element["maxCount"] = "1"
    } else {
      element["toMany"] = "YES"
      if relationship.maxCount > 0 { element["maxCount"] = String(relationship.maxCount) }
    }
    if relationship.minCount > 0 { element["minCount"] = String(relationship.minCount) }
    if relationship.isOrdered { element["ordered"] = "YES" }
    element["deletionRule"] = relationship.deleteRule.modelFileName
    element["destinationEntity"] = relationship.destination
    element["inverseName"] = relationship.inverse
    if relationship.inverse != nil { element["inverseEntity"] = relationship.destination }
  }

  // MARK: User info, constraints, indexes and requests

  static func userInfo(_ entries: [String: String]) -> MarkupElement? {
    if entries.isEmpty { return nil }
    var element = MarkupElement(name: "userInfo", attributes: [:], line: 0)
    element.children = entries.sorted { utf8Less($0.key, $1.key) }.map {
      MarkupElement(name: "entry", attributes: ["key": $0.key, "value": $0.value], line: 0)
    }
    return element
  }

  static func constraints(_ groups: [[String]]) -> MarkupElement {
    var element = MarkupElement(name: "uniquenessConstraints", attributes: [:], line: 0)
    element.children = groups.map { names in
      var group = MarkupElement(name: "uniquenessConstraint", attributes: [:], line: 0)
      group.children = names.map {
        MarkupElement(name: "constraint", attributes: ["value": $0], line: 0)
      }
      return group
    }
    return element
  }

  static func index(_ index: FetchIndexDefinition) -> MarkupElement {
    var element = MarkupElement(name: "fetchIndex", attributes: ["name": index.name], line: 0)
    element["partialIndexPredicate"] = index.partialPredicate
    element.children = index.elements.map { part in
      var child = MarkupElement(name: "fetchIndexElement", attributes: [:], line: 0)
      child[part.isExpression ? "expression" : "property"] = part.property
      child["type"] = part.isRTree ? "RTree" : "Binary"
      child["order"] = part.isAscending ? "ascending" : "descending"
      return child
    }
    return element
  }

  static func request(_ template: FetchRequestTemplate) -> MarkupElement {
    var element = MarkupElement(name: "fetchRequest", attributes: [:], line: 0)
    element["name"] = template.name
    element["entity"] = template.entity
    element["predicateString"] = template.predicateFormat
    for (key, number) in [
      ("resultType", Int(clamping: template.resultType)), ("fetchLimit", template.fetchLimit),
      ("fetchOffset", template.fetchOffset), ("fetchBatchSize", template.fetchBatchSize),
    ] where number != 0 {
      element[key] = String(number)
    }
    let usual = FetchRequestTemplate(name: "", entity: "")
    for (key, flag, absent) in [
      ("includeSubentities", template.includesSubentities, usual.includesSubentities),
      ("includePropertyValues", template.includesPropertyValues, template.resultType != 1),
      ("includesPendingChanges", template.includesPendingChanges, template.resultType != 2),
      ("returnObjectsAsFaults", template.returnsObjectsAsFaults, usual.returnsObjectsAsFaults),
      ("returnDistinctResults", template.returnsDistinctResults, usual.returnsDistinctResults),
    ] where flag != absent {
      element[key] = flag ? "YES" : "NO"
    }
    return element
  }
}

extension DeleteRule {
  /// The spelling of the rule in model files, such as `No Action`.
  package var modelFileName: String {
    switch self {
    case .noAction: "No Action"
    case .nullify: "Nullify"
    case .cascade: "Cascade"
    case .deny: "Deny"
    }
  }
}
