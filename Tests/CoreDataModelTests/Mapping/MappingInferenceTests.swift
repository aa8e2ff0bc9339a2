// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel

/// What follows from two models alone.
@Suite struct MappingInferenceTests {
  private func model(_ body: String) throws -> ModelDefinition {
    try ModelDefinition(
      ModelFile.draft(xml: Data("<model>\(body)</model>".utf8), file: "m.contents")
    )
  }

  private func obstacles(_ old: String, _ new: String) throws -> [String] {
    do {
      _ = try ModelMapping(inferredFrom: model(old), to: model(new))
      return []
    } catch let failure as InferenceFailure {
      return failure.obstacles.map {
        $0.entity + ($0.property.map { "." + $0 } ?? "") + ": " + $0.reason
      }
    }
  }

  private static let text = #"optional="YES" attributeType="String""#
  private static func entity(_ name: String, _ body: String = "", _ more: String = "") -> String {
    "<entity name=\"\(name)\" \(more)>\(body)</entity>"
  }
  private static func attribute(_ name: String, _ more: String = text) -> String {
    "<attribute name=\"\(name)\" \(more)/>"
  }

  @Test("Entities and properties are matched by name, and by renaming identifier where it is new")
  func renaming() throws {
    let old = Self.entity("Team", Self.attribute("name")) + Self.entity("Gone")
    let new =
      Self.entity(
        "Club",
        Self.attribute("title", Self.text + #" elementID="name""#),
        #"elementID="Team""#
      )
      + Self.entity("New")
    let mapping = try ModelMapping(inferredFrom: model(old), to: model(new))
    #expect(mapping.entities.map(\.kind) == [.add, .transform, .remove])
    #expect(mapping.source(of: 0, in: 0)?.name == "name")
    // The identifier stays when nothing is renamed any more, and leads further back.
    let later = new.replacing("Club", with: "Union")
    let chained = try ModelMapping(inferredFrom: model(new), to: model(later))
    #expect(chained.source.entities[try #require(chained.sourceEntities[1])].name == "Club")
    #expect(
      try ModelMapping(inferredFrom: model(new), to: model(new)).entities.map(\.kind) == [
        .copy, .copy,
      ]
    )
  }

  @Test("Renamings in a circle, and two that come from one, are obstacles")
  func ambiguousRenaming() throws {
    let old = Self.entity("E", Self.attribute("a") + Self.attribute("b"))
    let swapped = Self.entity(
      "E",
      Self.attribute("a", Self.text + #" elementID="b""#)
        + Self.attribute("b", Self.text + #" elementID="a""#)
    )
    #expect(
      try obstacles(old, swapped) == ["E.b: the renaming identifiers form a cycle: a → b → a"]
    )
    let shared = Self.entity(
      "E",
      Self.attribute("c", Self.text + #" elementID="a""#)
        + Self.attribute("d", Self.text + #" elementID="a""#)
    )
    #expect(try obstacles(old, shared) == ["E.d: “c” and “d” both match “a” of the old model"])
    #expect(
      try obstacles(
        Self.entity("A") + Self.entity("B"),
        Self.entity("A", "", #"elementID="B""#) + Self.entity("B", "", #"elementID="A""#)
      ) == ["B: the renaming identifiers form a cycle: A → B → A"]
    )
  }

  @Test(
    "A type goes into one that holds all its values as they are, and into no other",
    arguments: [
      ("Integer 16", "Integer 32", true), ("Integer 16", "Integer 64", true),
      ("Integer 32", "Integer 64", true), ("Float", "Double", true),
      ("Integer 64", "Integer 32", false), ("Double", "Float", false),
      ("Integer 16", "Boolean", false), ("Boolean", "Integer 16", false),
      ("Integer 16", "Double", false), ("String", "Date", false),
      ("Binary", "Transformable", false),
    ]
  )
  func types(_ before: String, _ after: String, _ fits: Bool) throws {
    func model(_ type: String) -> String {
      Self.entity("E", Self.attribute("a", "optional=\"YES\" attributeType=\"\(type)\""))
    }
    let found = try obstacles(model(before), model(after))
    #expect(
      found
        == (fits
          ? []
          : [
            "E.a: an inferred mapping cannot convert the existing values from \(before) to \(after)"
          ])
    )
  }

  @Test("What is mandatory has to have a default for the rows that are there")
  func mandatory() throws {
    let old = Self.entity("E", Self.attribute("a"))
    let added = Self.entity(
      "E",
      Self.attribute("a") + Self.attribute("b", #"attributeType="String""#)
    )
    #expect(
      try obstacles(old, added)
        == ["E.b: the property is mandatory and has no default value for existing rows"]
    )
    #expect(
      try obstacles(old, Self.entity("E", Self.attribute("a", #"attributeType="String""#)))
        == [
          "E.a: the property is mandatory now and has no default value for existing rows without a value"
        ]
    )
    let given = #"attributeType="String" defaultValueString="x""#
    #expect(
      try obstacles(
        old,
        Self.entity("E", Self.attribute("a", given) + Self.attribute("b", given))
      ) == []
    )
    // An entity without rows needs none.
    #expect(
      try obstacles(old, old + Self.entity("F", Self.attribute("b", #"attributeType="String""#)))
        == []
    )
  }

  private static func link(_ name: String, _ to: String, many: Bool = false) -> String {
    "<relationship name=\"\(name)\" optional=\"YES\" \(many ? "toMany=\"YES\"" : "maxCount=\"1\"") "
      + "deletionRule=\"Nullify\" destinationEntity=\"\(to)\"/>"
  }

  @Test("A to-many does not become a to-one, and a destination only one of its own kind")
  func relationships() throws {
    func model(_ body: String) -> String {
      Self.entity("E", body) + Self.entity("P") + Self.entity("C", "", #"parentEntity="P""#)
        + Self.entity("Q")
    }
    #expect(try obstacles(model(Self.link("r", "P")), model(Self.link("r", "P", many: true))) == [])
    #expect(
      try obstacles(model(Self.link("r", "P", many: true)), model(Self.link("r", "P"))) == [
        "E.r: the relationship was to-many and is to-one now, and an inferred mapping cannot choose which "
          + "of the objects to keep"
      ]
    )
    #expect(try obstacles(model(Self.link("r", "C")), model(Self.link("r", "P"))) == [])
    #expect(
      try obstacles(model(Self.link("r", "P")), model(Self.link("r", "C")))
        == [
          "E.r: existing objects may refer to objects of P, which is neither the new destination C nor one of "
            + "its subentities"
        ]
    )
    #expect(
      try obstacles(model(Self.link("r", "P")), model(Self.link("r", "Q")))
        == [
          "E.r: existing objects may refer to objects of P, which is neither the new destination Q nor one of "
            + "its subentities"
        ]
    )
    #expect(
      try obstacles(model(Self.attribute("r")), model(Self.link("r", "Q")))
        == ["E.r: an inferred mapping cannot convert an attribute to a relationship"]
    )
  }

  @Test("Hierarchies are left and divided, and not merged")
  func hierarchies() throws {
    let apart = Self.entity("A") + Self.entity("B")
    let child = Self.entity("A") + Self.entity("B", "", #"parentEntity="A""#)
    #expect(try obstacles(child, apart) == [])
    #expect(
      try obstacles(apart, child) == [
        "B: the entity and A were in different hierarchies and are in one hierarchy now, and an "
          + "inferred mapping cannot merge hierarchies"
      ]
    )
  }
}
