// SPDX-License-Identifier: Apache-2.0

import Foundation
import SharedFolder
import Testing
import _CoreDataCodeGeneration
import _CoreDataModel

/// The build-time check of mapping models, with those of the example Notes.
@Suite("Mapping model check")
final class MappingModelCheckTests {
  private static let notes = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Examples/Sources/Notes")
  private let folder: URL
  private var model: URL { folder.appendingPathComponent("Notes.xcdatamodeld") }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.copyItem(at: Self.notes, to: folder)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func problems(
    _ name: String = "Notes2ToNotes3",
    sources: [String] = ["FolderPolicy.swift"]
  ) -> [String] {
    MappingModelCheck.problems(
      of: folder.appendingPathComponent("\(name).xcmappingmodel"),
      models: [model],
      sources: sources.map(folder.appendingPathComponent)
    ).map { $0.description.replacing(folder.path, with: "") }
  }

  private func edit(_ path: String, _ text: String, _ replacement: String) throws {
    let url = folder.appendingPathComponent(path)
    let before = try String(contentsOf: url, encoding: .utf8)
    try #require(before.contains(text))
    try Data(before.replacing(text, with: replacement).utf8).write(to: url)
  }

  @Test("The mapping models of the example have no problems")
  func sound() {
    #expect(problems() == [])
    #expect(problems("Notes3ToNotes4") == [])
  }

  @Test("A version that was edited is named with the entity")
  func editedVersion() throws {
    try edit(
      "Notes.xcdatamodeld/Notes 3.xcdatamodel/contents",
      "name=\"folderName\" optional=\"YES\"",
      "name=\"folderName\""
    )
    let found = problems()
    #expect(found.count == 1)
    #expect(
      found.first?.hasPrefix(
        "/Notes2ToNotes3.xcmappingmodel: error: the destination entity Note does not match any version of "
          + "the target's models: in “Notes 3”, the closest version, the entity has a different definition"
      ) == true
    )
  }

  @Test("A version that is missing leaves its entities without a version")
  func missingVersion() throws {
    try FileManager.default.removeItem(at: model.appendingPathComponent("Notes 2.xcdatamodel"))
    #expect(
      problems().contains { $0.contains("the source entity Note does not match any version") }
    )
  }

  @Test("A property that the destination lacks is named with its mapping")
  func missingProperty() throws {
    try edit(
      "Notes2ToNotes3.xcmappingmodel/xcmapping.xml",
      "<attribute name=\"name\" type=\"string\">length</attribute>",
      "<attribute name=\"name\" type=\"string\">size</attribute>"
    )
    #expect(
      problems() == [
        "/Notes2ToNotes3.xcmappingmodel: error: NoteToBody.size: the destination entity Body has no attribute “size”"
      ]
    )
  }

  @Test("A source that is renamed leaves a property and a mapping that do not exist")
  func missingSource() throws {
    try edit(
      "Notes3ToNotes4.xcmappingmodel/xcmapping.xml",
      "<attribute name=\"sourcename\" type=\"string\">Body</attribute>",
      "<attribute name=\"sourcename\" type=\"string\">Text</attribute>"
    )
    let found = problems("Notes3ToNotes4")
    #expect(found.contains { $0.contains("TextToBody: the source model has no entity “Text”") })
  }

  @Test("A policy class that is in no Swift file is a warning")
  func policy() {
    let found = problems("Notes3ToNotes4", sources: ["FolderStage.swift"])
    #expect(found.count == 1)
    #expect(
      found.first?.hasPrefix(
        "/Notes3ToNotes4.xcmappingmodel: warning: NoteToNote: the policy class “Notes.FolderPolicy” is not"
      ) == true
    )
  }

  @Test("A policy class must be declared, and not only be mentioned in a comment or a text")
  func mentionedPolicy() throws {
    let file = folder.appendingPathComponent("Policy.swift")
    for (text, warning) in [
      ("// class FolderPolicy: the old one", "is not declared"),
      ("/*\nclass FolderPolicy: NSEntityMigrationPolicy {}\n*/", "is not declared"),
      ("let name = \"class FolderPolicy: \"", "is not declared"),
      ("class FolderPolicyTests: NSObject {}", "is not declared"),
      ("struct FolderPolicy {}", "is not declared"), ("class FolderPolicy {}", "has no superclass"),
      ("final class\n  FolderPolicy : NSEntityMigrationPolicy {}", nil),
      ("enum Policies { class FolderPolicy: NSEntityMigrationPolicy {} }", nil),
    ] {
      try Data((text + "\n").utf8).write(to: file)
      let found = problems("Notes3ToNotes4", sources: ["Policy.swift"])
      #expect(found.count == (warning == nil ? 0 : 1), "\(text): \(found)")
      if let warning { #expect(found.first?.contains(warning) == true, "\(text): \(found)") }
    }
  }

  @Test("A damaged file and a damaged expression are errors with the file")
  func damaged() throws {
    let file = "Notes2ToNotes3.xcmappingmodel/xcmapping.xml"
    try edit(
      file,
      "<attribute name=\"valueexpressiondata\" type=\"binary\">",
      "<attribute name=\"valueexpressiondata\" type=\"binary\">AAAA"
    )
    #expect(problems().count == 1)
    #expect(problems().first?.contains("error: NoteTo") == true)
    try Data("<database".utf8).write(to: folder.appendingPathComponent(file))
    #expect(problems().count == 1)
    #expect(problems().first?.contains("xcmapping.xml:") == true)
  }

  /// Every fourth file, or all with `COREDATA_ALL_FIXTURES`.
  @Test(
    "The mapping models of apps name only what their own models have",
    .enabled(if: Shared.has("fixtures/compiled/mappingmodels"), "\(Shared.absent)")
  )
  func fixtures() throws {
    let runsAll = ProcessInfo.processInfo.environment["COREDATA_ALL_FIXTURES"] != nil
    let files = try Shared.files(in: "fixtures/compiled/mappingmodels", extension: "xml")
    for (index, file) in files.enumerated() where runsAll || index % 4 == 1 {
      #expect(MappingModelCheck.problems(of: file, models: [], sources: []) == [], "\(file)")
    }
  }
}
