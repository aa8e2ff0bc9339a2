// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataCodeGeneration
import _CoreDataModel
import _CoreDataPredicate

/// The compiled models that the build plugin adds to resources.
@Suite struct CompiledModelFileTests {
  private static let plain = """
    <model><entity name="Item"><attribute name="title" optional="YES" attributeType="String"/>
    </entity></model>
    """
  private static let composite = """
    <model><entity name="Item"><attribute name="place" optional="YES" attributeType="Composite" \
    composite="Place"/></entity>
    <composite name="Place"><attribute name="lat" attributeType="Double"/></composite></model>
    """

  /// Runs `body` with the `.xcdatamodeld` of these versions and a folder, which are deleted afterwards.
  private func with(
    _ versions: [String: String],
    current: String,
    _ body: (_ model: URL, _ folder: URL) throws -> Void
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let model = folder.appendingPathComponent("Shop.xcdatamodeld")
    for (name, text) in versions {
      let version = model.appendingPathComponent("\(name).xcdatamodel")
      try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: version.appendingPathComponent("contents"))
    }
    let mark =
      "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key>"
      + "<string>\(current).xcdatamodel</string></dict></plist>"
    try Data(mark.utf8).write(to: model.appendingPathComponent(".xccurrentversion"))
    try body(model, folder)
  }

  private func attributes(_ url: URL) throws -> [String] {
    try CompiledModel.draft(at: url, predicates: PredicateTexts()).entities[0].properties
      .map(\.name)
  }

  @Test func `All versions are compiled, with the hashes and the current version`() throws {
    let old = Self.plain.replacingOccurrences(of: "title", with: "name")
    try with(["Shop": old, "Shop 2": Self.plain], current: "Shop 2") { model, folder in
      let compiled = folder.appendingPathComponent("out/Shop.momd")
      #expect(try CompiledModelFile.write(modelAt: model, to: compiled).isEmpty)
      let names = try FileManager.default.contentsOfDirectory(atPath: compiled.path)
      #expect(names.sorted() == ["Shop 2.mom", "Shop.mom", "VersionInfo.plist"])
      #expect(try attributes(compiled) == ["title"])
      #expect(try attributes(compiled.appendingPathComponent("Shop.mom")) == ["name"])
      let draft = try ModelFile.draft(at: model)
      let hashes = ModelHashes(model: try ModelDefinition(draft))
      #expect(try CompiledModel.info(of: compiled).hashes["Shop 2"] == hashes.byEntity)

      // A version that was removed from the model does not stay.
      try FileManager.default.removeItem(at: model.appendingPathComponent("Shop.xcdatamodel"))
      _ = try CompiledModelFile.write(modelAt: model, to: compiled)
      #expect(try CompiledModel.versions(of: compiled).map(\.name) == ["Shop 2"])
    }
  }

  @Test func `A version with composite attributes is kept as source, and is read from it`() throws {
    try with(["Shop": Self.plain, "Shop 2": Self.composite], current: "Shop 2") { model, folder in
      let compiled = folder.appendingPathComponent("Shop.momd")
      let problems = try CompiledModelFile.write(modelAt: model, to: compiled)
      let contents = model.appendingPathComponent("Shop 2.xcdatamodel/contents").path
      #expect(
        problems.map(\.description) == [
          "\(contents): note: Item.place: Shop.momd contains this version as source: a composite "
            + "attribute cannot be written to a .mom, because the format that Apple uses for it is not known; "
            + "the model can be loaded from its .xcdatamodeld or .xcdatamodel instead"
        ]
      )
      #expect(try attributes(compiled) == ["place"])
      #expect(
        try CompiledModel.versions(of: compiled).map(\.file.lastPathComponent)
          == ["Shop.mom", "Shop 2.xcdatamodel"]
      )
      #expect(try CompiledModel.info(of: compiled).currentVersion == "Shop 2")
    }
  }

  @Test func `An older version that is not a model is a warning, the current one an error`() throws
  {
    try with(["Shop": "<model>", "Shop 2": Self.plain], current: "Shop 2") { model, folder in
      let compiled = folder.appendingPathComponent("Shop.momd")
      let problems = try CompiledModelFile.write(modelAt: model, to: compiled)
      #expect(problems.count == 1)
      #expect(problems.first?.severity == .warning)
      #expect(problems.first?.finding.file?.hasSuffix("Shop.xcdatamodel/contents") == true)
      #expect(try attributes(compiled) == ["title"])
    }
    try with(["Shop": "<model>"], current: "Shop") { model, folder in
      let compiled = folder.appendingPathComponent("Shop.momd")
      #expect(throws: ModelError.self) {
        try CompiledModelFile.write(modelAt: model, to: compiled)
      }
    }
  }

  @Test func `A single model is compiled to a file; with composite attributes it is refused`()
    throws
  {
    try with(["Shop": Self.plain, "Map": Self.composite], current: "Shop") { model, folder in
      let compiled = folder.appendingPathComponent("Shop.mom")
      let single = model.appendingPathComponent("Shop.xcdatamodel")
      let problems = try CompiledModelFile.write(modelAt: single, to: compiled)
      #expect(problems.isEmpty)
      #expect(try attributes(compiled) == ["title"])
      let map = model.appendingPathComponent("Map.xcdatamodel")
      #expect(throws: ModelError.self) {
        try CompiledModelFile.write(modelAt: map, to: compiled)
      }
    }
  }
}
