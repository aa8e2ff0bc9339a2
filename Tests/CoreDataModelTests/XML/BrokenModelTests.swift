// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel

struct BrokenModelTests {
  func message(of body: String) -> String {
    do {
      _ = try ModelDefinition(ModelReaderTests.draft(body))
      return "no error"
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: [
    (
      "<entity name=\"E\">\n<attribute name=\"a\" attributeType=\"Text\"/></entity>",
      "Shop.contents:3: E.a: the attributeType “Text” is unknown; the types are Undefined, Integer 16, "
        + "Integer 32, Integer 64, Decimal, Double, Float, String, Boolean, Date, Binary, UUID, URI, "
        + "Transformable, Object ID, Composite"
    ),
    (
      "<entity name=\"E\"><attribute name=\"a\" attributeType=\"Integer 16\""
        + " defaultValueString=\"70000\"/></entity>",
      "Shop.contents:2: E.a: defaultValueString is “70000”, not an integer from -32768 to 32767"
    ),
    (
      "<entity name=\"E\"><attribute name=\"a\" attributeType=\"String\" maxValueString=\"x\"/></entity>",
      "Shop.contents:2: E.a: maxValueString is “x”, not a length (an integer of 0 or more)"
    ),
    (
      "<entity name=\"E\"><attribute name=\"a\" attributeType=\"Binary\""
        + " defaultValueString=\"x\"/></entity>",
      "Shop.contents:2: E.a: defaultValueString is “x”, but model files cannot contain values of the type "
        + "Binary"
    ),
    (
      "<fetchRequest name=\"all\" entity=\"E\" fetchLimit=\"x\"/>",
      "Shop.contents:2: in the fetch request template “all”, fetchLimit is “x”, not an integer of 0 or more"
    ),
    (
      "<entity name=\"E\"/>\n<configuration name=\"C\"><memberEntity/></configuration>",
      "Shop.contents:3: a <memberEntity> of the configuration “C” has no name"
    ),
    (
      "<entity name=\"E\"><fetchIndex name=\"i\"><fetchIndexElement/></fetchIndex></entity>",
      "Shop.contents:2: E: an element of the index “i” has neither a property nor an expression"
    ),
    (
      "<entity name=\"E\"><attribute name=\"a\" attributeType=\"Date\" optional=\"true\"/></entity>",
      "Shop.contents:2: E.a: optional is “true”, not YES or NO"
    ),
    ("\n<entity/>", "Shop.contents:3: <entity> has no name"),
    (
      "<entity name=\"E\"><attribute attributeType=\"Date\"/></entity>",
      "Shop.contents:2: E: <attribute> has no name"
    ),
    (
      "<entity name=\"E\">\n\n<relationship name=\"r\" destinationEntity=\"F\"/></entity>",
      "Shop.contents:4: E.r: its destination entity “F” does not exist"
    ),
    (
      "<entity name=\"E\">\n<relationship name=\"r\" destinationEntity=\"E\""
        + " inverseName=\"s\" inverseEntity=\"E\"/></entity>",
      "Shop.contents:3: E.r: its inverse “s” does not exist in “E”"
    ),
    (
      "<entity name=\"E\"><relationship name=\"r\" destinationEntity=\"E\""
        + " deletionRule=\"Never\"/></entity>",
      "Shop.contents:2: E.r: the deletionRule “Never” is unknown; use Nullify, Cascade, Deny or No Action"
    ),
    (
      "<entity name=\"E\" parentEntity=\"P\"/>",
      "Shop.contents:2: E: its parent entity “P” does not exist"
    ),
    (
      "<entity name=\"E\" parentEntity=\"E\"/>",
      "Shop.contents:2: E: the entity is its own parent; give it another parent, or none"
    ),
    (
      "<entity name=\"E\"/>\n<entity name=\"E\"/>",
      "Shop.contents:3: E: two entities have this name; rename one of them"
    ),
    (
      "<entity name=\"E\"><attribute name=\"a\"/></entity>",
      "Shop.contents:2: E.a: the attribute has no type; set its type, or make it transient"
    ),
  ])
  func aBrokenModelNamesFileLineElementAndReason(body: String, expected: String) {
    #expect(message(of: body) == expected)
  }

  @Test func aCompositeThatContainsItselfOrFarTooMuchIsAnError() {
    func composite(_ name: String, _ count: Int, of inner: String) -> String {
      let elements = (0..<count).map {
        "<attribute name=\"e\($0)\" attributeType=\"Composite\" composite=\"\(inner)\"/>"
      }
      return "<composite name=\"\(name)\">\(elements.joined())</composite>"
    }
    let entity =
      "<entity name=\"E\"><attribute name=\"c\" attributeType=\"Composite\" composite=\"A\"/></entity>"
    #expect(
      message(of: entity + composite("A", 1, of: "A"))
        == "Shop.contents:2: E.c: the composite “A” contains itself"
    )
    let letters = Array("ABCDEFGHIJKLMNOP").map { String($0) }
    let tree = zip(letters, letters.dropFirst()).map { composite($0, 10, of: $1) }.joined()
    #expect(message(of: entity + tree).contains("the composite “A” has more than 120 elements"))
  }

  @Test func aTowerOfEntitiesAndAFloodOfInheritedPropertiesAreErrors() {
    func entities(_ count: Int, _ body: (Int) -> String) -> String {
      (0..<count).map(body).joined()
    }
    let tower = { count in
      entities(count) {
        "<entity name=\"E\($0)\"\($0 == 0 ? "" : " parentEntity=\"E\($0 - 1)\"")/>"
      }
    }
    #expect(message(of: tower(129)) == "no error")
    #expect(
      message(of: tower(100_000)) == "Shop.contents:2: E129: the entity has more than 128 ancestors"
    )
    let attributes = entities(5000) { "<attribute name=\"a\($0)\" attributeType=\"Date\"/>" }
    let flood = entities(5000) {
      "<entity name=\"C\($0)\" parentEntity=\"E\"><attribute name=\"b\" attributeType=\"Date\"/></entity>"
    }
    #expect(
      message(of: "<entity name=\"E\">\(attributes)</entity>\(flood)")
        == "Shop.contents: the model has more than 500,000 entities and properties, counting inherited "
        + "properties in each entity"
    )
  }

  @Test(arguments: ["", "<model><entity></model>", "plain", "<plist/>"])
  func aFileThatIsNoModelIsAnError(text: String) {
    #expect(throws: ModelError.self) {
      try ModelFile.draft(xml: Data(text.utf8), file: "contents")
    }
  }

  @Test func malformedTextGivesTheLine() {
    do {
      _ = try ModelFile.draft(xml: Data("<model>\n<entity>\n</model>".utf8), file: "contents")
      Issue.record("no error")
    } catch {
      #expect("\(error)".hasPrefix("contents:3: the XML is not well-formed: "))
    }
  }
}
