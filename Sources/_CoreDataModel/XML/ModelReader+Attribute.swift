// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ModelReader {
  static func attribute(_ element: MarkupElement, in owner: Location) throws -> PropertyDraft {
    var location = owner
    let name = try required("name", of: element, in: owner)
    location.property = name
    var attribute = AttributeDefinition(type: try type(of: element, in: location))
    attribute.valueTransformerName = element["valueTransformerName"].flatMap {
      $0.isEmpty ? nil : $0
    }
    attribute.customClassName = EntityDraft.className(element["customClassName"])
    attribute.usesScalar = try flag("usesScalarValueType", of: element, in: location)
    attribute.allowsExternalStorage =
      try flag("allowsExternalBinaryDataStorage", of: element, in: location)
    attribute.preservesValueInHistory = try flag("preserveAfterDeletion", of: element, in: location)
    attribute.allowsCloudEncryption = try flag("allowsCloudEncryption", of: element, in: location)
    attribute.pattern = element["regularExpressionString"]
    attribute.compositeName = element["composite"]
    if try flag("derived", of: element, in: location) {
      attribute.derivation = element["derivationExpression"] ?? ""
    }
    try readValues(of: element, into: &attribute, in: location)
    var property = PropertyDraft(name: name, kind: .attribute(attribute))
    try readCommon(element, into: &property, in: location)
    return property
  }

  static func readCommon(
    _ element: MarkupElement,
    into property: inout PropertyDraft,
    in location: Location
  ) throws {
    property.line = element.line
    property.isOptional = try flag("optional", of: element, in: location)
    property.isTransient = try flag("transient", of: element, in: location)
    property.versionHashModifier = element["versionHashModifier"]
    property.renamingIdentifier = element["elementID"].flatMap { $0 == property.name ? nil : $0 }
    property.userInfo = try userInfo(element, in: location)
    property.isIndexedBySpotlight = try flag("spotlightIndexingEnabled", of: element, in: location)
  }

  private static func type(
    of element: MarkupElement,
    in location: Location
  ) throws -> AttributeType {
    guard let name = element["attributeType"] else { return .undefined }
    guard let type = AttributeType(modelFileName: name) else {
      let names = AttributeType.allCases.map(\.traits.modelFileName).joined(separator: ", ")
      throw location.error(
        "the attributeType “\(name)” is unknown; the types are \(names)",
        at: element
      )
    }
    return type
  }

  private static func readValues(
    of element: MarkupElement,
    into attribute: inout AttributeDefinition,
    in location: Location
  ) throws {
    let text = ValueText(type: attribute.type, element: element, location: location)
    if let value = try text.date("defaultDateTimeInterval") ?? text.value("defaultValueString") {
      attribute.defaultValue = value
    }
    attribute.minimum = try text.date("minDateTimeInterval") ?? text.bound("minValueString")
    attribute.maximum = try text.date("maxDateTimeInterval") ?? text.bound("maxValueString")
  }
}
