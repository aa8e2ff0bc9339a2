// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataTools
import Foundation
import Testing

struct ModelDifferenceTests {
  private func difference(_ old: String, _ new: String) throws -> ModelDifference {
    func model(_ body: String) throws -> ModelDefinition {
      try ModelDefinition(
        ModelFile.draft(xml: Data("<model>\(body)</model>".utf8), file: "m.contents")
      )
    }
    return ModelDifference(from: try model(old), to: try model(new))
  }

  private static let team = """
    <entity name="Team"><attribute name="name" optional="YES" attributeType="String"/></entity>
    """

  @Test func equalModelsDifferInNothing() throws {
    let same = try difference(Self.team, Self.team)
    #expect(same.isEmpty && !same.needsMigration)
    #expect(same.text == "The models say the same.\n")
  }

  @Test func entitiesAndAttributesThatComeAndGoCanBeInferred() throws {
    let changed = try difference(
      Self.team,
      """
      <entity name="Team"><attribute name="city" optional="YES" attributeType="String"/></entity>
      <entity name="Player"/>
      """
    )
    #expect(
      changed.text == """
        + Player
        + Team.city: String?
        - Team.name: String?

        Stores need a migration, for which the mapping can be inferred.

        """
    )
  }

  @Test func renamingIdentifiersAreFollowed() throws {
    let changed = try difference(
      Self.team,
      """
      <entity name="Club" elementID="Team">
        <attribute name="title" optional="YES" attributeType="String" elementID="name"/></entity>
      """
    )
    #expect(changed.items.map(\.change) == [.renamed, .renamed])
    #expect(changed.items.map(\.details) == [["was Team"], ["was name"]])
    #expect(changed.isInferable && changed.needsMigration)
  }

  @Test(arguments: [
    (#"attributeType="Date" optional="YES""#, "values have to be converted"),
    (#"attributeType="String""#, "rows without a value have no default to take"),
  ])
  func whatNoStoreCanFollowByItselfIsNamed(_ attribute: String, _ obstacle: String) throws {
    let changed = try difference(
      Self.team,
      "<entity name=\"Team\"><attribute name=\"name\" \(attribute)/></entity>"
    )
    #expect(changed.items.map(\.obstacle) == [obstacle])
    #expect(!changed.isInferable)
  }

  @Test func aClassNameChangesNothingForStores() throws {
    let changed = try difference(
      Self.team,
      Self.team.replacingOccurrences(
        of: "name=\"Team\"",
        with: "name=\"Team\" representedClassName=\"Club\""
      )
    )
    #expect(!changed.isEmpty && !changed.needsMigration)
    #expect(changed.text.contains("Stores of one open with the other"))
  }
}
