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

  @Test("that are only there in compiled form are named in the error")
  func compiled() throws {
    try withBundle(["Cup.momd/Cup.mom": ""]) { bundle in
      do {
        _ = try ModelLocator.url(ofModelNamed: "Cup", in: bundle)
        Issue.record("a compiled model was taken")
      } catch {
        #expect("\(error)".contains("Cup.momd is a compiled model"))
      }
      #expect(NSManagedObjectModel.mergedModel(from: [bundle]) == nil)
    }
  }
}
