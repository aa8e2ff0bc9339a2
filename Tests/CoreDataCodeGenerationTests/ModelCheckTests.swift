// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataCodeGeneration
import _CoreDataModel

struct ModelCheckTests {
  private static func problems(_ entities: String) throws -> [String] {
    try ModelCheck.problems(of: Generated.draft(entities)).map(\.description)
  }

  @Test func aSoundModelHasNoProblems() throws {
    #expect(
      try Self.problems(
        """
        <entity name="A">
        <relationship name="b" maxCount="1" destinationEntity="B" inverseName="a"/>
        </entity>
        <entity name="B">
        <relationship name="a" toMany="YES" destinationEntity="A" inverseName="b"/>
        </entity>
        """
      ) == []
    )
  }

  @Test func relationshipsWithoutInverseAndWithoutDeleteRuleAreWarnedOf() throws {
    #expect(
      try Self.problems(
        """
        <entity name="A">
        <relationship name="b" maxCount="1" destinationEntity="A" deletionRule="No Action"/>
        </entity>
        """
      ) == [
        "Shop/contents:3: warning: A.b: the relationship should have an inverse",
        "Shop/contents:3: warning: A.b: "
          + "its delete rule is No Action, so deleting A objects leaves their A objects in the store "
          + "without an owner; add an inverse and choose Nullify, or choose Cascade or Deny",
      ]
    )
    #expect(
      try Self.problems(
        """
        <entity name="A"><relationship name="b" toMany="YES" destinationEntity="B" inverseName="a"
          deletionRule="No Action"/></entity>
        <entity name="B"><relationship name="a" maxCount="1" destinationEntity="A" inverseName="b"/></entity>
        """
      ) == [
        "Shop/contents:2: warning: A.b: "
          + "its delete rule is No Action, so B objects can keep references to deleted A objects; "
          + "choose Nullify, Cascade or Deny"
      ]
    )
  }

  @Test func anInverseThatNamesAnotherIsAnError() throws {
    #expect(
      try Self.problems(
        """
        <entity name="A">
        <relationship name="b" maxCount="1" destinationEntity="B" inverseName="a"/>
        <relationship name="c" maxCount="1" destinationEntity="B" inverseName="a"/>
        </entity>
        <entity name="B">
        <relationship name="a" toMany="YES" destinationEntity="A" inverseName="b"/>
        </entity>
        """
      ) == [
        "Shop/contents:4: error: A.c: the inverse of “B.a” is not “A.c”; "
          + "each must be the inverse of the other"
      ]
    )
  }

  @Test func anInverseThatIsAnAttributeIsAnError() throws {
    #expect(
      try Self.problems(
        """
        <entity name="A">
        <relationship name="b" maxCount="1" destinationEntity="B" inverseName="n"/>
        </entity>
        <entity name="B"><attribute name="n" attributeType="String"/></entity>
        """
      ) == ["Shop/contents:3: error: A.b: its inverse “B.n” is not a relationship"]
    )
  }

  @Test func whatKeepsTheModelFromBeingBuiltAndWhatTheGeneratorRefusesAreErrors() throws {
    #expect(
      try Self.problems(#"<entity name="A" parentEntity="Z"/>"#)
        == ["Shop/contents:2: error: A: its parent entity “Z” does not exist"]
    )
    #expect(
      try Self.problems(
        #"<entity name="A" representedClassName="A B" codeGenerationType="class"/>"#
      )
        == [
          "Shop/contents:2: error: A: its class “A B” is not a Swift class name; choose another class name"
        ]
    )
  }
}
