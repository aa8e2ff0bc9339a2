// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel

struct ModelReaderTests {
  static func draft(_ body: String) throws -> ModelDraft {
    try ModelFile.draft(
      xml: Data("<model userDefinedModelVersionIdentifier=\"\">\n\(body)\n</model>".utf8),
      file: "Shop.contents"
    )
  }

  static func attribute(_ attributes: String) throws -> AttributeDefinition {
    let draft = try draft("<entity name=\"E\"><attribute name=\"a\" \(attributes)/></entity>")
    guard case .attribute(let attribute) = draft.entities.first?.properties.first?.kind else {
      throw ModelError(reason: "no attribute")
    }
    return attribute
  }

  static func relationship(_ attributes: String) throws -> RelationshipDraft {
    let draft = try draft(
      "<entity name=\"E\"><relationship name=\"r\" destinationEntity=\"E\" \(attributes)/></entity>"
    )
    guard case .relationship(let relationship) = draft.entities.first?.properties.first?.kind
    else { throw ModelError(reason: "no relationship") }
    return relationship
  }

  @Test(arguments: [
    ("Integer 16", AttributeType.integer16), ("Integer 32", .integer32),
    ("Integer 64", .integer64), ("Decimal", .decimal), ("Double", .double), ("Float", .float),
    ("String", .string), ("Boolean", .boolean), ("Date", .date), ("Binary", .binaryData),
    ("UUID", .uuid), ("URI", .uri), ("Transformable", .transformable), ("Object ID", .objectID),
    ("Composite", .composite), ("Undefined", .undefined),
  ])
  func everyAttributeTypeIsKnownByItsName(name: String, type: AttributeType) throws {
    #expect(try Self.attribute("attributeType=\"\(name)\"").type == type)
  }

  @Test(arguments: [
    ("Integer 16\" defaultValueString=\"-7", "int(-7)"),
    ("Integer 64\" defaultValueString=\"0.0", "int(0)"),
    ("Integer 32\" defaultValueString=\"NO", "int(0)"),
    ("Double\" defaultValueString=\"1.5", "double(1.5)"),
    ("Float\" defaultValueString=\"0.5", "double(0.5)"),
    ("Decimal\" defaultValueString=\"12.25", "decimal(12.25)"),
    ("String\" defaultValueString=\"a &lt; b", "text(\"a < b\")"),
    ("String\" defaultValueString=\"", "text(\"\")"),
    ("Boolean\" defaultValueString=\"YES", "bool(true)"),
    ("Boolean\" defaultValueString=\"0.0", "bool(false)"),
    ("Date\" defaultDateTimeInterval=\"388411200", "date(388411200.0)"),
    ("Date\" defaultValueString=\"2013-04-23 12:00:00 +0000", "date(388411200.0)"),
    (
      "UUID\" defaultValueString=\"1B9FD00D-CB92-46CD-8000-000000000001",
      "uuid(1B9FD00D-CB92-46CD-8000-000000000001)"
    ),
    ("URI\" defaultValueString=\"https://example.org/a", "url(https://example.org/a)"),
    ("Integer 16", "null"),
  ])
  func aDefaultHasTheAttributesType(text: String, value: String) throws {
    let attribute = try Self.attribute("attributeType=\"\(text)\"")
    #expect("\(attribute.defaultValue)" == value)
  }

  @Test func boundsAreValuesOrLengths() throws {
    let text = try Self.attribute(
      "attributeType=\"String\" minValueString=\"3\" maxValueString=\"9\""
        + " regularExpressionString=\"[a-z]+\""
    )
    #expect(text.minimum.map { "\($0)" } == "int(3)")
    #expect(text.maximum.map { "\($0)" } == "int(9)")
    #expect(text.pattern == "[a-z]+")
    let date = try Self.attribute("attributeType=\"Date\" minDateTimeInterval=\"5\"")
    #expect(date.minimum.map { "\($0)" } == "date(5.0)")
    #expect(date.maximum == nil)
  }

  @Test func whatIsAbsentIsNoAndMandatory() throws {
    let draft = try Self.draft(
      "<entity name=\"E\"><attribute name=\"a\" attributeType=\"Date\"/></entity>"
    )
    let property = try #require(draft.entities.first?.properties.first)
    #expect(!property.isOptional && !property.isTransient)
    #expect(property.line == 2)
    #expect(draft.entities.first?.className == nil)
    #expect(draft.entities.first?.codeGeneration == nil)
    #expect(draft.versionIdentifiers == [""])
  }

  @Test func flagsNamesAndUserInfoAreKept() throws {
    let draft = try Self.draft(
      """
      <entity name="E" representedClassName=".Thing" isAbstract="YES" elementID="Old"
          versionHashModifier="m" codeGenerationType="class" syncable="YES">
        <attribute name="a" optional="YES" transient="YES" attributeType="Transformable"
            valueTransformerName="T" customClassName="NSArray" usesScalarValueType="YES"
            allowsExternalBinaryDataStorage="YES" preserveAfterDeletion="YES"
            allowsCloudEncryption="YES" elementID="b" versionHashModifier="2">
          <userInfo><entry key="k" value="v"/></userInfo>
        </attribute>
        <attribute name="d" attributeType="String" derived="YES" derivationExpression="name"/>
        <attribute name="c" attributeType="Composite" composite="Point"/>
      </entity>
      <composite name="Point"><attribute name="x" attributeType="Double"/></composite>
      """
    )
    let entity = try #require(draft.entities.first)
    #expect(entity.className == ".Thing" && entity.isAbstract)
    #expect(entity.renamingIdentifier == "Old" && entity.versionHashModifier == "m")
    #expect(entity.codeGeneration == .class)
    let property = entity.properties[0]
    #expect(property.isOptional && property.isTransient)
    #expect(property.renamingIdentifier == "b" && property.versionHashModifier == "2")
    #expect(property.userInfo == ["k": "v"])
    guard case .attribute(let a) = property.kind,
      case .attribute(let d) = entity.properties[1].kind,
      case .attribute(let c) = entity.properties[2].kind
    else { throw ModelError(reason: "no attributes") }
    #expect(a.valueTransformerName == "T" && a.customClassName == "NSArray" && a.usesScalar)
    #expect(a.allowsExternalStorage && a.preservesValueInHistory && a.allowsCloudEncryption)
    #expect(d.derivation == "name")
    #expect(c.compositeName == "Point")
    #expect(draft.composites["Point"]?.map(\.name) == ["x"])
  }

  @Test func countsTellToOneFromToMany() throws {
    #expect(try Self.relationship("maxCount=\"1\"").maxCount == 1)
    #expect(try Self.relationship("").maxCount == 1)
    #expect(try Self.relationship("toMany=\"YES\"").maxCount == 0)
    let some = try Self.relationship(
      "toMany=\"YES\" minCount=\"3\" maxCount=\"10\" ordered=\"YES\""
    )
    #expect(some.maxCount == 10 && some.minCount == 3 && some.isOrdered)
    #expect(throws: ModelError.self) {
      try Self.relationship("toMany=\"YES\" minCount=\"3\" maxCount=\"2\"")
    }
  }

  @Test(arguments: [
    ("", DeleteRule.nullify), ("deletionRule=\"Nullify\"", .nullify),
    ("deletionRule=\"Cascade\"", .cascade), ("deletionRule=\"Deny\"", .deny),
    ("deletionRule=\"No Action\"", .noAction),
  ])
  func everyDeleteRuleIsKnown(text: String, rule: DeleteRule) throws {
    #expect(try Self.relationship(text).deleteRule == rule)
  }

  @Test func indexesConstraintsAndRequestsAreRead() throws {
    let draft = try Self.draft(
      """
      <entity name="E">
        <attribute name="a" attributeType="String" indexed="YES"/>
        <attribute name="b" attributeType="String" indexed="YES"/>
        <fetchedProperty name="f" optional="YES">
          <fetchRequest name="fetchedPropertyFetchRequest" entity="E" predicateString="a == b"/>
        </fetchedProperty>
        <fetchIndex name="b">
          <fetchIndexElement property="b" type="Binary" order="descending"/>
          <fetchIndexElement expression="lowercase:(a)" type="RTree" order="ascending"/>
        </fetchIndex>
        <compoundIndexes><compoundIndex><index value="a"/><index value="b"/></compoundIndex>
        </compoundIndexes>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="a"/><constraint value="b"/></uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
      <configuration name="Cloud"><memberEntity name="E"/></configuration>
      <fetchRequest name="All" entity="E" predicateString="a &gt; 1" fetchLimit="5"
          resultType="2" includeSubentities="NO" returnDistinctResults="YES"/>
      """
    )
    let entity = try #require(draft.entities.first)
    #expect(entity.fetchIndexes.map(\.name) == ["b", "a", "a_b"])
    #expect(entity.fetchIndexes[0].elements[0].isAscending == false)
    #expect(entity.fetchIndexes[0].elements[1].isExpression)
    #expect(entity.fetchIndexes[0].elements[1].isRTree)
    #expect(entity.uniquenessConstraints == [["a", "b"]])
    #expect(draft.configurations == ["Cloud": ["E"]])
    let request = try #require(draft.fetchRequestTemplates.first)
    #expect(request.predicateFormat == "a > 1" && request.fetchLimit == 5)
    #expect(request.resultType == 2 && !request.includesSubentities)
    #expect(request.returnsDistinctResults && request.returnsObjectsAsFaults)
    guard case .fetched(let fetched) = entity.properties.last?.kind else {
      throw ModelError(reason: "no fetched property")
    }
    #expect(fetched.entityName == "E" && fetched.predicateFormat == "a == b")
  }
}
