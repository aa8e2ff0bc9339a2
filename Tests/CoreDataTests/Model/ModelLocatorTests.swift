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

  @Test("are looked at in all their versions for a store's metadata")
  func versions() throws {
    let old = Self.contents.replacingOccurrences(of: "\"name\"", with: "\"title\"")
    let mark =
      "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key>"
      + "<string>Cup 2.xcdatamodel</string></dict></plist>"
    try withBundle([
      "Cup.xcdatamodeld/Cup.xcdatamodel/contents": old,
      "Cup.xcdatamodeld/Cup 2.xcdatamodel/contents": Self.contents,
      "Cup.xcdatamodeld/.xccurrentversion": mark,
    ]) { bundle in
      try check(bundle)
      // The same of compiled models.
      let folder = bundle.bundleURL
      let source = folder.appendingPathComponent("Cup.xcdatamodeld")
      let compiled = folder.appendingPathComponent("Cup.momd")
      try FileManager.default.createDirectory(at: compiled, withIntermediateDirectories: true)
      for version in ["Cup", "Cup 2"] {
        let file = source.appendingPathComponent("\(version).xcdatamodel")
        let model = try #require(NSManagedObjectModel(contentsOf: file))
        try model.write(to: compiled.appendingPathComponent("\(version).mom"))
      }
      let info = ["NSManagedObjectModel_CurrentVersionName": "Cup 2"]
      try PropertyListSerialization.data(fromPropertyList: info, format: .xml, options: 0)
        .write(to: compiled.appendingPathComponent("VersionInfo.plist"))
      try FileManager.default.removeItem(at: source)
      try check(bundle)
    }
  }

  /// Version 1 has a title, version 2, the current one, a name.
  private func check(_ bundle: Bundle) throws {
    let current = try #require(NSManagedObjectModel.mergedModel(from: [bundle]))
    #expect(current.entities[0].propertiesByName.keys.sorted() == ["name"])
    let attribute = NSAttributeDescription()
    attribute.name = "title"
    attribute.attributeType = .stringAttributeType
    let team = NSEntityDescription()
    team.name = "Team"
    team.properties = [attribute]
    let old = NSManagedObjectModel()
    old.entities = [team]
    for (model, key) in [(old, "title"), (current, "name")] {
      let metadata = [NSStoreModelVersionHashesKey: model.entityVersionHashesByName]
      let found = NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata)
      #expect(found?.entities.map { $0.propertiesByName.keys.sorted() } == [[key]])
      #expect(found?.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) == true)
    }
  }

  @Test("are found by the line that Xcode's stacks have, as sources too")
  func lines() throws {
    try withBundle([
      "Cup.xcdatamodeld/Cup.xcdatamodel/contents": Self.contents, "note.txt": "text",
    ]) { bundle in
      let url = try #require(bundle.url(forResource: "Cup", withExtension: "momd"))
      #expect(NSManagedObjectModel(contentsOf: url)?.entities.map(\.name) == ["Team"])
      #expect(bundle.path(forResource: "Cup", ofType: "momd") == url.path)
      #expect(bundle.url(forResource: "None", withExtension: "momd") == nil)
      #expect(bundle.url(forResource: "note", withExtension: "txt") != nil)
      #expect(bundle.url(forResource: "Cup", withExtension: "txt") == nil)
      #expect(Bundle.main.url(forResource: "Cup", withExtension: "momd") == nil)
      let compiled = bundle.bundleURL.appendingPathComponent("Cup.momd")
      try #require(NSManagedObjectModel(contentsOf: url)).write(to: compiled)
      #expect(bundle.url(forResource: "Cup", withExtension: "momd")?.pathExtension == "momd")
    }
  }

  @Test("have versions that the lines of progressive migrations find, compiled and as sources")
  func versionFiles() throws {
    try withBundle([
      "Cup.xcdatamodeld/Cup.xcdatamodel/contents": Self.contents,
      "Cup.xcdatamodeld/Cup 2.xcdatamodel/contents": Self.contents, "notes/a.txt": "text",
    ]) { bundle in
      func names(_ urls: [URL]?) -> [String]? { urls?.map(\.lastPathComponent) }
      let folder = "Cup.momd"
      func url(_ name: String, _ ext: String, in folder: String) -> URL? {
        bundle.url(forResource: name, withExtension: ext, subdirectory: folder)
      }
      func versions() -> [String]? {
        names(bundle.urls(forResourcesWithExtension: "mom", subdirectory: folder))
      }
      let source = try #require(url("Cup 2", "mom", in: folder))
      #expect(source.lastPathComponent == "Cup 2.xcdatamodel")
      #expect(NSManagedObjectModel(contentsOf: source)?.entities.map(\.name) == ["Team"])
      #expect(url("Cup 2", "omo", in: folder) == nil)
      #expect(url("Cup 3", "mom", in: folder) == nil)
      #expect(url("Cup", "mom", in: "Other.momd") == nil)
      let models = bundle.urls(forResourcesWithExtension: "momd", subdirectory: nil)
      #expect(names(models) == ["Cup.xcdatamodeld"])
      #expect(versions() == ["Cup 2.xcdatamodel", "Cup.xcdatamodel"])

      let compiled = bundle.bundleURL.appendingPathComponent(folder)
      try FileManager.default.createDirectory(at: compiled, withIntermediateDirectories: true)
      try #require(NSManagedObjectModel(contentsOf: source)).write(
        to: compiled.appendingPathComponent("Cup 2.mom")
      )
      let file = bundle.path(forResource: "Cup 2", ofType: "mom", inDirectory: folder)
      #expect(file?.hasSuffix("/Cup.momd/Cup 2.mom") == true)
      #expect(bundle.paths(forResourcesOfType: "momd", inDirectory: nil) == [compiled.path])
      #expect(versions() == ["Cup 2.mom", "Cup.xcdatamodel"])
      #expect(bundle.urls(forResourcesWithExtension: "mom", subdirectory: "None.momd") == nil)
      #expect(bundle.paths(forResourcesOfType: "mom", inDirectory: "None.momd").isEmpty)
      #expect(bundle.paths(forResourcesOfType: "txt", inDirectory: "notes").count == 1)
      #expect(url("a", "txt", in: "notes") != nil)
      #expect(bundle.urls(forResourcesWithExtension: "txt", subdirectory: "notes")?.count == 1)
    }
  }

  @Test("that are damaged are refused")
  func damaged() throws {
    try withBundle(["Cup.momd/Cup.mom": "", "Other.mom": "bplist00 and no more"]) { bundle in
      #expect(ModelLocator.model(named: "Cup", in: bundle) == nil)
      #expect(NSManagedObjectModel.mergedModel(from: [bundle]) == nil)
      #expect(
        ModelLocator.reasonForNoModel(in: [bundle])
          .contains("these model files cannot be loaded")
      )
    }
  }

  @Test("that are not there are reported with the folders and a way out")
  func missing() throws {
    try withBundle(["note.txt": "text"]) { bundle in
      let reason = ModelLocator.reasonForNoModel(in: [bundle])
      #expect(reason.contains(bundle.bundleURL.path))
      do {
        _ = try ModelLocator.url(ofModelNamed: "Cup", in: bundle)
        Issue.record("a model was found")
      } catch {
        let text = "\(error)"
        #expect(text.hasPrefix("no Cup.xcdatamodeld, .xcdatamodel, .momd or .mom was found in "))
        #expect(text.contains("Add the model to the resources"))
      }
    }
  }
}
