// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataTools

struct DecompilerTests {
  private static let shared: URL = {
    if let path = ProcessInfo.processInfo.environment["COREDATA_SHARED"] {
      return URL(fileURLWithPath: path)
    }
    return URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("shared")
  }()
  private static var compiled: URL { shared.appendingPathComponent("fixtures/compiled") }
  private static var isThere: Bool { FileManager.default.fileExists(atPath: compiled.path) }

  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("coredata-decompiler-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  @Test(
    "Every compiled model decompiled says the same, to the last version hash",
    .enabled(if: isThere, "no shared folder")
  )
  func everyModel() throws {
    let files = try FileManager.default.subpathsOfDirectory(atPath: Self.compiled.path)
      .filter { $0.hasSuffix(".mom") }
    #expect(files.count >= 15)
    try withFolder { folder in
      for (index, file) in files.enumerated() {
        let decompiler = try Decompiler(Self.compiled.appendingPathComponent(file))
        let target = folder.appendingPathComponent("\(index).xcdatamodel")
        #expect(try decompiler.write(to: target) == [], "\(file)")
        let written = try ModelDefinition(ModelFile.draft(at: target))
        let original = decompiler.versions[0].definition
        #expect(Set(written.facts).symmetricDifference(original.facts) == [], "\(file)")
        #expect(
          ModelHashes(model: written).byEntity == ModelHashes(model: original).byEntity,
          "\(file)"
        )
      }
    }
  }

  private func momd(in folder: URL) throws -> URL {
    func model(_ attribute: String) throws -> ModelDefinition {
      let text = """
        <model><entity name="Team">
          <attribute name="\(attribute)" optional="YES" attributeType="String"/></entity></model>
        """
      return try ModelDefinition(ModelFile.draft(xml: Data(text.utf8), file: "contents"))
    }
    let momd = folder.appendingPathComponent("Shop.momd")
    try CompiledModel.write(
      [("Shop", model("name")), ("Shop & Co", model("title"))],
      current: "Shop & Co",
      to: momd,
      predicates: PredicateTexts()
    )
    return momd
  }

  @Test("A .momd gives all its versions and marks the current one; names are escaped")
  func versions() throws {
    try withFolder { folder in
      let target = folder.appendingPathComponent("Shop.xcdatamodeld")
      let decompiler = try Decompiler(momd(in: folder))
      #expect(try decompiler.write(to: target) == [])
      let versions = try ModelFile.versions(of: target)
      #expect(Set(versions.map(\.name)) == ["Shop", "Shop & Co"])
      #expect(versions.filter(\.isCurrent).map(\.name) == ["Shop & Co"])
      let one = folder.appendingPathComponent("One.xcdatamodel")
      #expect(try decompiler.write(to: one) == [])
      let current = try ModelDefinition(ModelFile.draft(at: one))
      #expect(current.entities[0].properties.map(\.name) == ["title"])
      let first = try Decompiler(folder.appendingPathComponent("Shop.momd"), version: "Shop")
      #expect(first.versions.map(\.name) == ["Shop"] && first.current == "Shop")
    }
  }

  @Test("A .momd whose current version is missing is refused, and its versions are named")
  func missingCurrentVersion() throws {
    try withFolder { folder in
      let momd = try momd(in: folder)
      var info = try CompiledModel.info(of: momd)
      info.currentVersion = "Gone"
      try info.data.write(to: momd.appendingPathComponent("VersionInfo.plist"))
      let error = #expect(throws: ToolError.self) { try Decompiler(momd) }
      #expect(error?.message.hasSuffix("but the folder contains no Gone.mom") == true)
      #expect(error?.hint?.hasSuffix("with --version: Shop, Shop & Co") == true)
    }
  }

  @Test("Over a model that is there, Xcode's layout and other versions stay")
  func over() throws {
    try withFolder { folder in
      let target = folder.appendingPathComponent("Shop.xcdatamodeld")
      let other = target.appendingPathComponent("Old.xcdatamodel")
      let version = target.appendingPathComponent("Shop.xcdatamodel")
      for place in [other, version] {
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let text = """
          <model><entity name="Team"/><entity name="Gone"/>
            <elements><element name="Team" positionX="-63"/></elements></model>
          """
        try Data(text.utf8).write(to: place.appendingPathComponent("contents"))
      }
      #expect(try Decompiler(momd(in: folder)).write(to: target) == [])
      #expect(try Set(ModelFile.versions(of: target).map(\.name)) == ["Old", "Shop", "Shop & Co"])
      let text = try String(
        contentsOf: version.appendingPathComponent("contents"),
        encoding: .utf8
      )
      #expect(text.contains("positionX=\"-63\"") && text.contains("name=\"name\""))
      #expect(!text.contains("Gone"))
    }
  }
}
