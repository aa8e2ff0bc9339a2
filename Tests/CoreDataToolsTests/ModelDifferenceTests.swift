// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel
import _CoreDataTools

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
    #expect(same.text == "The models have no differences that affect stores or classes.\n")
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

        Stores need a migration, whose mapping can be inferred.

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
    (
      #"attributeType="Date" optional="YES""#,
      "an inferred mapping cannot convert the existing values from String to Date; add an attribute with "
        + "another name for the new type, or use a mapping model"
    ),
    (
      #"attributeType="String""#,
      "the property is mandatory now and has no default value for existing rows without a value; set a "
        + "default value, keep the property optional, or use a mapping model"
    ),
  ])
  func whatNoStoreCanFollowByItselfIsNamed(_ attribute: String, _ obstacle: String) throws {
    let changed = try difference(
      Self.team,
      "<entity name=\"Team\"><attribute name=\"name\" \(attribute)/></entity>"
    )
    #expect(changed.items.map(\.obstacle) == [obstacle])
    #expect(!changed.isInferable)
  }

  /// What keeps a store of the old model from being opened with the new one.
  private func obstacles(
    _ old: String,
    _ new: String,
    knowsOld: Bool = true
  ) throws -> [String] {
    func model(_ body: String) throws -> ModelDefinition {
      try ModelDefinition(
        ModelFile.draft(xml: Data("<model>\(body)</model>".utf8), file: "m.contents")
      )
    }
    let before = try model(old)
    return ModelDifference.obstacles(
      toOpening: ModelHashes(model: before).byEntity,
      of: knowsOld ? before : nil,
      with: try model(new)
    )
  }

  @Test func whatKeepsAStoreFromBeingOpenedIsNamedPropertyByProperty() throws {
    #expect(try obstacles(Self.team, Self.team) == [])
    let changed = """
      <entity name="Team" representedClassName="Club">
        <attribute name="name" attributeType="String" defaultValueString="x"/>
        <attribute name="city" optional="YES" attributeType="String"/>
        <attribute name="seen" optional="YES" transient="YES" attributeType="Date"/>
        <uniquenessConstraints><uniquenessConstraint><constraint value="name"/>
        </uniquenessConstraint></uniquenessConstraints>
      </entity>
      <entity name="Player"/>
      """
    #expect(
      try obstacles(Self.team, changed) == [
        "Player: added (the store does not have it)", "Team: unique () → (name)",
        "Team.city: added (String?)", "Team.name: now mandatory",
      ]
    )
    #expect(
      try obstacles(changed, Self.team) == [
        "Player: removed (only the store has it)", "Team: unique (name) → ()",
        "Team.name: now optional", "Team.city: removed (String?)",
      ]
    )
    #expect(
      try obstacles(Self.team, changed, knowsOld: false) == [
        "Player: added (the store does not have it)", "Team: changed",
      ]
    )
  }

  @Test func whatAnEntityInheritsIsNamedWhereItIsDeclaredAndRenamedEntitiesOnce() throws {
    let child = "<entity name=\"Club\" parentEntity=\"Team\"/>"
    let date = Self.team.replacingOccurrences(of: "String", with: "Date")
    #expect(
      try obstacles(Self.team + child, date + child) == ["Team.name: type String → Date"]
    )
    let renamed = """
      <entity name="Side" elementID="Team"><attribute name="title" optional="YES"
        attributeType="String" elementID="name"/></entity>
      """
    #expect(try obstacles(Self.team, renamed) == ["Side: was Team", "Side.title: was name"])
  }

  @Test func aValueThatIsPreservedAfterDeletionIsADifference() throws {
    let kept = Self.team.replacingOccurrences(
      of: "attributeType",
      with: "preserveAfterDeletion=\"YES\" attributeType"
    )
    let changed = try difference(Self.team, kept)
    #expect(changed.items.map(\.details) == [["now preserved after deletion"]])
    #expect(changed.needsMigration)
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
    #expect(changed.text.contains("A store of one model can be opened with the other"))
  }
}
