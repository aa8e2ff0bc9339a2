// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel

struct AttributeTextTests {
  struct Case: CustomTestStringConvertible {
    let attributes: String
    let type: String
    let read: String
    let write: String
    var testDescription: String { "\(attributes) → \(type)" }

    init(_ attributes: String, _ type: String, _ read: String = "_read", _ write: String = "_write")
    {
      self.attributes = attributes
      self.type = type
      self.read = read
      self.write = write
    }
  }

  private static let scalar = #"usesScalarValueType="YES""#

  static let cases: [Case] = [
    Case(#"attributeType="Integer 16" \#(scalar)"#, "Int16"),
    Case(#"attributeType="Integer 32" \#(scalar)"#, "Int32"),
    Case(#"attributeType="Integer 64" \#(scalar)"#, "Int64"),
    Case(#"attributeType="Double" \#(scalar)"#, "Double"),
    Case(#"attributeType="Float" \#(scalar)"#, "Float"),
    Case(#"attributeType="Boolean" \#(scalar)"#, "Bool"),
    Case(#"attributeType="Date" \#(scalar)"#, "TimeInterval", "_readInterval", "_writeInterval"),
    Case(#"attributeType="Integer 64""#, "NSNumber?", "_readNumber", "_writeNumber"),
    Case(#"attributeType="Boolean""#, "NSNumber?", "_readNumber", "_writeNumber"),
    Case(#"attributeType="Decimal""#, "NSDecimalNumber?"),
    Case(#"attributeType="Decimal" \#(scalar)"#, "NSDecimalNumber?"),
    Case(#"attributeType="String""#, "String?"),
    Case(#"attributeType="Date""#, "Date?"),
    Case(#"attributeType="Binary""#, "Data?"),
    Case(#"attributeType="UUID""#, "UUID?"),
    Case(#"attributeType="URI""#, "URL?"),
    Case(
      #"attributeType="Transformable""#,
      "NSObject?",
      "_readTransformable",
      "_writeTransformable"
    ),
    Case(
      #"attributeType="Transformable" customClassName="[String]""#,
      "[String]?",
      "_readTransformable",
      "_writeTransformable"
    ),
    Case(
      #"attributeType="Transformable" customClassName=".Color""#,
      "Color?",
      "_readTransformable",
      "_writeTransformable"
    ),
    Case(
      #"attributeType="Undefined" transient="YES""#,
      "NSObject?",
      "_readTransformable",
      "_writeTransformable"
    ),
  ]

  @Test(arguments: cases)
  func anAttributeHasXcodesTypeAndItsAccessors(_ expected: Case) throws {
    let text = try Generated.text(
      """
      <entity name="Item" representedClassName="Item" codeGenerationType="class">
        <attribute name="value" \(expected.attributes)/>
      </entity>
      """
    )
    #expect(
      Generated.declaration("public var value", in: text) == """
        public var value: \(expected.type) {
          get { \(expected.read)(0, "value") }
          set { \(expected.write)(newValue, 0, "value") }
        }
        """
    )
  }
}
