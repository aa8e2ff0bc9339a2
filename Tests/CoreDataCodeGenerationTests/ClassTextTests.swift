// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataCodeGeneration
import _CoreDataModel

struct ClassTextTests {
  private static let team = """
    <entity name="Team" representedClassName="Team" codeGenerationType="class">
      <attribute name="wins" attributeType="Integer 32" usesScalarValueType="YES"/>
      <attribute name="name" optional="YES" attributeType="String"/>
    </entity>
    """

  @Test func anEntityBecomesAClassWithItsTablesAnExtensionWithItsPropertiesAndAnIdentity() throws {
    let expected = #"""
      // Generated from the model “Shop”; the next build overwrites changes.
      // swift-format-ignore-file
      // swiftlint:disable all

      public import CoreData

      // MARK: - Team

      public class Team: NSManagedObject {
        override public class var _entityName: String? { "Team" }

        override public class var _slotNames: [String] {
          [
            "name",
            "wins",
          ]
        }

        override public class var _keyPathNames: [AnyKeyPath: String] {
          [
            \Team.name: "name",
            \Team.wins: "wins",
          ]
        }
      }

      extension Team {
        @nonobjc public class func fetchRequest() -> NSFetchRequest<Team> {
          NSFetchRequest<Team>(entityName: "Team")
        }

        public var name: String? {
          get { _read(0, "name") }
          set { _write(newValue, 0, "name") }
        }

        public var wins: Int32 {
          get { _read(1, "wins") }
          set { _write(newValue, 1, "wins") }
        }
      }

      extension Team: Identifiable {}

      """#
    #expect(try Generated.text(Self.team) == expected)
  }

  @Test func internalAccessLeavesOutEveryPublic() throws {
    let text = try Generated.text(Self.team, access: .internal)
    #expect(!text.contains("public"))
    #expect(text.contains("\nimport CoreData\n"))
    #expect(text.contains("\nclass Team: NSManagedObject {\n"))
  }

  @Test func aCategoryGetsTheExtensionsButNoClass() throws {
    let text = try Generated.text(
      Self.team.replacing("\"class\"", with: "\"category\"")
    )
    #expect(!text.contains("class Team:"))
    #expect(!text.contains("_slotNames"))
    #expect(text.contains("\nimport CoreData\n"))
    #expect(text.contains("extension Team {"))
    #expect(text.contains("public var wins: Int32 {"))
    #expect(text.contains("extension Team: Identifiable {}"))
  }

  @Test func codeWrittenByHandAndTheBaseClassGiveNoDeclaration() throws {
    let text = try Generated.text(
      """
      <entity name="A" representedClassName="A"/>
      <entity name="B" codeGenerationType="class"/>
      <entity name="C" representedClassName="NSManagedObject" codeGenerationType="class"/>
      """
    )
    #expect(text.split(separator: "\n").allSatisfy { $0.hasPrefix("//") })
  }

  @Test func aSubEntityInheritsTheClassContinuesTheSlotsAndConformsOnlyOnce() throws {
    let text = try Generated.text(
      Self.team + """
        <entity name="Club" representedClassName=".Club" parentEntity="Team" codeGenerationType="class">
          <attribute name="city" attributeType="String"/>
        </entity>
        """
    )
    #expect(
      Generated.declaration("public class Club", in: text) == #"""
        public class Club: Team {
          override public class var _entityName: String? { "Club" }

          override public class var _slotNames: [String] {
            [
              "name",
              "wins",
              "city",
            ]
          }

          override public class var _keyPathNames: [AnyKeyPath: String] {
            let names: [AnyKeyPath: String] = [
              \Club.name: "name",
              \Club.wins: "wins",
              \Club.city: "city",
            ]
            return super._keyPathNames.merging(names) { _, own in own }
          }
        }
        """#
    )
    #expect(text.contains(#"_read(2, "city")"#))
    #expect(!text.contains("extension Club: Identifiable"))
    #expect(text.contains("NSFetchRequest<Club>(entityName: \"Club\")"))
  }

  @Test func theSuperclassIsTheNearestAncestorsWithAClassAndOnlyGeneratedPropertiesGetKeyPaths()
    throws
  {
    let text = try Generated.text(
      """
      <entity name="A" representedClassName="A"><attribute name="a" attributeType="String"/></entity>
      <entity name="B" parentEntity="A"><attribute name="b" attributeType="String"/></entity>
      <entity name="C" representedClassName="C" parentEntity="B" codeGenerationType="class">
        <attribute name="c" attributeType="String"/>
      </entity>
      """
    )
    #expect(text.contains("public class C: A {"))
    #expect(text.contains(#"\C.c: "c""#))
    #expect(!text.contains(#"\C.a"#) && !text.contains(#"\C.b"#))
    #expect(text.contains(#"_read(2, "c")"#))
  }

  @Test func keywordsGetBackticksWhereverTheyAreNames() throws {
    let text = try Generated.text(
      """
      <entity name="Protocol" representedClassName="Protocol" codeGenerationType="class">
        <attribute name="default" attributeType="String"/>
      </entity>
      """
    )
    #expect(text.contains("public class `Protocol`: NSManagedObject {"))
    #expect(text.contains(#"\`Protocol`.`default`: "default","#))
    #expect(text.contains("public var `default`: String? {"))
    #expect(text.contains(#"_read(0, "default")"#))
  }

  @Test func aClassNamedLikeASystemTypeDoesNotHideIt() throws {
    let text = try Generated.text(
      """
      <entity name="Date" representedClassName="Date" codeGenerationType="class">
        <attribute name="day" attributeType="Date"/>
      </entity>
      <entity name="Log" representedClassName="Log" codeGenerationType="class">
        <relationship name="date" maxCount="1" destinationEntity="Date"/>
      </entity>
      """
    )
    #expect(text.contains("public var day: Foundation.Date? {"))
    #expect(text.contains("public var date: Date? {"))
  }

  @Test func theModelAndItsTextAreDeterministic() throws {
    let swapped = """
      <entity name="Team" representedClassName="Team" codeGenerationType="class">
        <attribute name="name" optional="YES" attributeType="String"/>
        <attribute name="wins" attributeType="Integer 32" usesScalarValueType="YES"/>
      </entity>
      """
    #expect(try Generated.text(Self.team) == Generated.text(swapped))
  }
}
