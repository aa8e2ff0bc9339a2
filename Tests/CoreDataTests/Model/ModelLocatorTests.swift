// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("Models in bundles")
struct ModelLocatorTests {
  private static let contents = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Team" representedClassName="Team" syncable="YES">
            <attribute name="name" optional="YES" attributeType="String"/>
        </entity>
    </model>
    """

  /// Runs `body` with a bundle that holds these files, and removes it.
  private func withBundle(
    _ files: [String: String],
    _ body: (Bundle) throws -> Void
  ) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("Cup_Models_\(UUID().uuidString).resources")
    defer { try? FileManager.default.removeItem(at: folder) }
    for (path, text) in files {
      let file = folder.appendingPathComponent(path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Data(text.utf8).write(to: file)
    }
    try body(try #require(Bundle(url: folder)))
  }

  @Test("are found by name, and merged")
  func found() throws {
    try withBundle([
      "Cup.xcdatamodeld/Cup.xcdatamodel/contents": Self.contents,
      "Other.xcdatamodel/contents": Self.contents.replacingOccurrences(of: "Team", with: "Fan"),
    ]) { bundle in
      let model = try #require(ModelLocator.model(named: "Cup", in: bundle))
      #expect(model.entities.map(\.name) == ["Team"])
      #expect(model.entities[0].managedObjectClassName == "Team")
      let merged = try #require(NSManagedObjectModel.mergedModel(from: [bundle]))
      #expect(Set(merged.entitiesByName.keys) == ["Team", "Fan"])
      #expect(ModelLocator.model(named: "None", in: bundle) == nil)
    }
  }

  @Test("that are only there in compiled form are read too; a source goes first")
  func compiled() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("Cup_Models_\(UUID().uuidString).resources")
    defer { try? FileManager.default.removeItem(at: folder) }
    let compiled = folder.appendingPathComponent("Cup.momd")
    let source = NSManagedObjectModel()
    let team = NSEntityDescription()
    team.name = "Team"
    source.entities = [team]
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try source.write(to: compiled)
    let bundle = try #require(Bundle(url: folder))
    let model = try #require(ModelLocator.model(named: "Cup", in: bundle))
    #expect(model == source)
    #expect(model.versionChecksum == source.versionChecksum)
    let merged = try #require(NSManagedObjectModel.mergedModel(from: [bundle]))
    #expect(merged.entities.map(\.name) == ["Team"])

    let contents = folder.appendingPathComponent("Cup.xcdatamodel/contents")
    try FileManager.default.createDirectory(
      at: contents.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try Data(Self.contents.utf8).write(to: contents)
    let found = try #require(ModelLocator.model(named: "Cup", in: bundle))
    #expect(found.entities[0].propertiesByName.keys.sorted() == ["name"])
  }

  @Test("that are damaged are refused")
  func damaged() throws {
    try withBundle(["Cup.momd/Cup.mom": "", "Other.mom": "bplist00 and no more"]) { bundle in
      #expect(ModelLocator.model(named: "Cup", in: bundle) == nil)
      #expect(NSManagedObjectModel.mergedModel(from: [bundle]) == nil)
    }
  }
}
