// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel
import _CoreDataTools

@Suite("The models of a migration")
struct MigrationModelsTests {
  private func bundle(_ library: Library, _ versions: [(name: String, xml: String)]) throws -> URL {
    let model = library.folder.appendingPathComponent("Library.xcdatamodeld")
    for (name, xml) in versions {
      let version = model.appendingPathComponent("\(name).xcdatamodel")
      try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
      try Data(xml.utf8).write(to: version.appendingPathComponent("contents"))
    }
    let current = try PropertyListSerialization.data(
      fromPropertyList: ["_XCCurrentVersionName": "\(versions.last?.name ?? "").xcdatamodel"],
      format: .xml,
      options: 0
    )
    try current.write(to: model.appendingPathComponent(".xccurrentversion"))
    return model
  }

  private static let later = Library.xml.replacingOccurrences(of: Migrated.pages, with: "")

  @Test("the version that created the store is found, and the current version is the destination")
  func versions() throws {
    let library = try Library()
    defer { library.remove() }
    let model = try bundle(library, [("Library", Library.xml), ("Library 2", Self.later)])
    let models = try MigrationModels(store: library.path, model: model)
    #expect(models.sourceName == "Library" && models.destination.name == "Library 2")
    #expect(!models.isCurrent && models.entities == nil)
    let current = try MigrationModels(store: library.path, model: model, version: "Library")
    #expect(current.isCurrent)
    #expect(throws: ToolError.self) {
      try MigrationModels(store: library.path, model: model, version: "Library 3")
    }
  }

  @Test("without the version, the source is the store's copy of its model")
  func cache() throws {
    let library = try Library()
    defer { library.remove() }
    let model = try bundle(library, [("Library 2", Self.later)])
    let models = try MigrationModels(store: library.path, model: model)
    #expect(models.sourceName == nil)
    #expect(models.source.entity(named: "Book")?.slotByName["pages"] != nil)
  }

  @Test("without version and copy, the error names the nearest version and what differs")
  func missing() throws {
    let library = try Library()
    defer { library.remove() }
    try library.plant("DROP TABLE Z_MODELCACHE")
    let other = Library.xml.replacing("Tag", with: "Label")
    let model = try bundle(library, [("Other", other), ("Library 2", Self.later)])
    let error = #expect(throws: ToolError.self) {
      try MigrationModels(store: library.path, model: model)
    }
    #expect(
      error?.message.contains(
        "nearest of 2 versions, “Library 2”, differs from the store:\n    Book"
      )
        == true
    )
    #expect(error?.hint?.contains("was edited") == true)
  }

  @Test(
    "the nearest version has the fewest differing properties, even if other versions have more equal hashes"
  )
  func nearest() throws {
    let library = try Library()
    defer { library.remove() }
    try library.plant("DROP TABLE Z_MODELCACHE")
    // One attribute is renamed in each hierarchy, so no hash of an entity is equal.
    let edited = Library.xml.replacing(#"name="text""#, with: #"name="textt""#)
      .replacing(#"name="label""#, with: #"name="labell""#)
      .replacing(#"name="pages""#, with: #"name="pagess""#)
      .replacing(#"name="name""#, with: #"name="namee""#)
      .replacing(#"value="name""#, with: #"value="namee""#)
    let book = try #require(Library.xml.range(of: #"<entity name="Book">"#))
    let other = String(Library.xml[..<book.lowerBound])
      .replacing(#"name="books""#, with: #"name="works""#)
      .replacing(
        #"destinationEntity="Book" inverseName="author""#,
        with: #"destinationEntity="Work""#
      )
      .replacing(#"inverseEntity="Book""#, with: "")
      .appending(
        #"<entity name="Work"><attribute name="a" attributeType="String"/></entity></model>"#
      )
    let model = try bundle(
      library,
      [("Other", other), ("Edited", edited), ("Same", edited)]
    )
    let error = #expect(throws: ToolError.self) {
      try MigrationModels(store: library.path, model: model)
    }
    #expect(error?.message.contains("“Same”") == true, "\(error?.message ?? "")")
  }

  @Test("the versions between are those through which mappings can be inferred")
  func between() throws {
    let library = try Library()
    defer { library.remove() }
    let text = #"<attribute name="pages" optional="YES" attributeType="String"/>"#
    let changed = Library.xml.replacing(Migrated.pages, with: text)
    let model = try bundle(
      library,
      [("Library", Library.xml), ("Library 2", Self.later), ("Library 3", changed)]
    )
    let models = try MigrationModels(store: library.path, model: model)
    #expect(models.chain()?.versionsBetween == ["Library 2"])
    let direct = try MigrationModels(store: library.path, model: model, version: "Library 2")
    #expect(direct.chain() == nil)
  }
}

@Suite("Released versions")
struct ReleasedVersionsTests {
  private func versions(_ entities: [String: [String: String]]) throws -> ReleasedVersions {
    let data = try JSONEncoder().encode(["versions": entities])
    return try JSONDecoder().decode(ReleasedVersions.self, from: data)
  }

  @Test(
    "versions that were edited, removed or not noted are problems; a new current version is not"
  )
  func problems() throws {
    let released = try versions(["1": ["A": "x", "B": "y"], "2": ["A": "x"]])
    let now = try versions(["1": ["A": "z", "C": "c"], "3": ["A": "x"], "4": ["A": "x"]])
    let texts = released.problems(in: now, current: "4").map { "\($0.version) \($0.text)" }
    #expect(
      texts == [
        "1 A: the entity was edited after the release",
        "1 B: the entity was removed after the release",
        "1 C: the entity was added after the release",
        "2 the model lacks this released version",
        "3 the file lacks this version; --update adds it",
      ]
    )
    #expect(released.problems(in: released, current: nil) == [])
  }

  @Test("the file keeps the hashes, and an edit that changes no hash is no problem")
  func file() throws {
    let library = try Library()
    defer { library.remove() }
    let model = library.folder.appendingPathComponent("Model.contents")
    try Data(Library.xml.utf8).write(to: model)
    let file = library.folder.appendingPathComponent("versions.json").path
    #expect(throws: ToolError.self) { try ReleasedVersions(file: file) }
    try ReleasedVersions(of: model).write(to: file)
    let released = try ReleasedVersions(file: file)
    #expect(try released == ReleasedVersions(of: model))
    let renamed = Library.xml.replacing(#"name="label""#, with: #"name="label" elementID="name""#)
    try Data(renamed.utf8).write(to: model)
    #expect(try released.problems(in: ReleasedVersions(of: model), current: nil) == [])
    try Data(Library.xml.replacing(Migrated.pages, with: "").utf8).write(to: model)
    let texts = try released.problems(in: ReleasedVersions(of: model), current: nil).map(\.text)
    #expect(texts.contains("Book: the entity was edited after the release"))
    try Data("[]".utf8).write(to: URL(fileURLWithPath: file))
    #expect(throws: ToolError.self) { try ReleasedVersions(file: file) }
  }
}
