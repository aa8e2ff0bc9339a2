// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ModelReader {
  static func attribute(_ element: MarkupElement, in owner: Place) throws -> PropertyDraft {
    var place = owner
    let name = try required("name", of: element, in: owner)
    place.property = name
    var attribute = AttributeDefinition(type: try type(of: element, in: place))
    attribute.valueTransformerName = element["valueTransformerName"].flatMap {
      $0.isEmpty ? nil : $0
    }
    attribute.customClassName = EntityDraft.className(element["customClassName"])
    attribute.usesScalar = try flag("usesScalarValueType", of: element, in: place)
    attribute.allowsExternalStorage =
      try flag("allowsExternalBinaryDataStorage", of: element, in: place)
    attribute.preservesValueInHistory = try flag("preserveAfterDeletion", of: element, in: place)
    attribute.allowsCloudEncryption = try flag("allowsCloudEncryption", of: element, in: place)
    attribute.pattern = element["regularExpressionString"]
    attribute.compositeName = element["composite"]
    if try flag("derived", of: element, in: place) {
      attribute.derivation = element["derivationExpression"] ?? ""
    }
    try readValues(of: element, into: &attribute, in: place)
    var property = PropertyDraft(name: name, kind: .attribute(attribute))
    try readCommon(element, into: &property, in: place)
    return property
  }

  /// Reads the settings that attributes, relationships and fetched properties have in common.
  static func readCommon(
    _ element: MarkupElement,
    into property: inout PropertyDraft,
    in place: Place
  ) throws {
    property.line = element.line
    property.isOptional = try flag("optional", of: element, in: place)
    property.isTransient = try flag("transient", of: element, in: place)
    property.versionHashModifier = element["versionHashModifier"]
    property.renamingIdentifier = element["elementID"].flatMap { $0 == property.name ? nil : $0 }
    property.userInfo = try userInfo(element, in: place)
    property.isIndexedBySpotlight = try flag("spotlightIndexingEnabled", of: element, in: place)
  }

  private static func type(
    of element: MarkupElement,
    in place: Place
  ) throws -> AttributeType {
    guard let name = element["attributeType"] else { return .undefined }
    guard let type = AttributeType(modelFileName: name) else {
      throw place.error("the attributeType “\(name)” is unknown", at: element)
    }
    return type
  }

  private static func readValues(
    of element: MarkupElement,
    into attribute: inout AttributeDefinition,
    in place: Place
  ) throws {
    let text = ValueText(type: attribute.type, element: element, place: place)
    if let value = try text.date("defaultDateTimeInterval") ?? text.value("defaultValueString") {
      attribute.defaultValue = value
    }
    attribute.minimum = try text.date("minDateTimeInterval") ?? text.bound("minValueString")
    attribute.maximum = try text.date("maxDateTimeInterval") ?? text.bound("maxValueString")
  }
}
