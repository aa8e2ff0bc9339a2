// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel

struct RefusalTests {
  private static func item(_ properties: String) -> String {
    """
    <entity name="Item" representedClassName="Item" codeGenerationType="class">
    \(properties)
    </entity>
    """
  }

  @Test func aBrokenModelIsRefusedWithFileLineElementAndReason() {
    #expect(
      Generated.refusal(
        Self.item(#"<relationship name="x" maxCount="1" destinationEntity="Nope"/>"#)
      )
        == "Shop/contents:3: Item.x: its destination entity “Nope” does not exist"
    )
  }

  @Test(arguments: ["a b", "1st", "a-b", "_"])
  func aPropertyThatIsNoIdentifierIsRefused(_ name: String) {
    #expect(
      Generated.refusal(Self.item("<attribute name=\"\(name)\" attributeType=\"String\"/>"))
        == "Shop/contents:3: Item.\(name): the name is not a Swift identifier; "
        + "choose another name"
    )
  }

  @Test(arguments: ["hash", "description", "objectID", "isDeleted"])
  func aPropertyThatEveryObjectHasIsRefused(_ name: String) {
    #expect(
      Generated.refusal(Self.item("<attribute name=\"\(name)\" attributeType=\"String\"/>"))
        == "Shop/contents:3: Item.\(name): "
        + "every managed object has a member with this name; choose another name"
    )
  }

  @Test(arguments: ["self", "Type"])
  func aPropertyWithANameThatSwiftReservesIsRefused(_ name: String) {
    #expect(
      Generated.refusal(Self.item("<attribute name=\"\(name)\" attributeType=\"String\"/>"))
        == "Shop/contents:3: Item.\(name): "
        + "Swift reserves the member name \(name) in every type; choose another name"
    )
  }

  @Test func twoEntitiesOfOneGeneratedClassAreRefused() {
    #expect(
      Generated.refusal(
        """
        <entity name="A" representedClassName="Same" codeGenerationType="class"/>
        <entity name="B" representedClassName=".Same" codeGenerationType="class"/>
        """
      )
        == "Shop/contents:3: B: its class “Same” is already generated for the entity “A”; "
        + "choose another class name"
    )
  }

  @Test func aClassThatIsNoIdentifierIsRefused() {
    #expect(
      Generated.refusal(
        #"<entity name="A" representedClassName="My Class" codeGenerationType="class"/>"#
      )
        == "Shop/contents:2: A: its class “My Class” is not a Swift class name; choose another class name"
    )
  }

  @Test func namesOutsideAsciiAreIdentifiers() {
    #expect(
      Generated.refusal(Self.item(#"<attribute name="größe" attributeType="String"/>"#)) == nil
    )
  }
}
