// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// The four forms of a model reference.
@Suite struct ModelReferenceTests {
  /// A model folder with two versions in a folder that serves as a bundle.
  private final class Resources {
    let folder: URL
    let model: URL

    init() throws {
      folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "\(UUID().uuidString).bundle"
      )
      model = folder.appendingPathComponent("Shop.xcdatamodeld")
      for (name, more) in [("Shop", ""), ("Shop 2", Self.price)] {
        let version = model.appendingPathComponent("\(name).xcdatamodel")
        try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
        try Data(
          """
          <?xml version="1.0" encoding="UTF-8"?><model><entity name="Item"><attribute name="name" \
          optional="YES" attributeType="String"/>\(more)</entity></model>
          """.utf8
        ).write(to: version.appendingPathComponent("contents"))
      }
      try Data(
        """
        <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>Shop 2.xcdatamodel</string>\
        </dict></plist>
        """.utf8
      ).write(to: model.appendingPathComponent(".xccurrentversion"))
    }

    private static let price =
      #"<attribute name="price" optional="YES" attributeType="Double"/>"#

    deinit { try? FileManager.default.removeItem(at: folder) }

    var bundle: Bundle { get throws { try #require(Bundle(url: folder)) } }
    func version(_ name: String) throws -> NSManagedObjectModel {
      let url = model.appendingPathComponent("\(name).xcdatamodel")
      return try #require(NSManagedObjectModel(contentsOf: url))
    }
  }

  @Test("A reference finds a version in memory, in a file, by its hashes and by its name")
  func forms() throws {
    let resources = try Resources()
    for name in ["Shop", "Shop 2"] {
      let model = try resources.version(name)
      let checksum = model.versionChecksum
      let file = resources.model.appendingPathComponent("\(name).xcdatamodel")
      let references = [
        NSManagedObjectModelReference(model: model, versionChecksum: checksum),
        NSManagedObjectModelReference(fileURL: file, versionChecksum: checksum),
        NSManagedObjectModelReference(fileURL: resources.model, versionChecksum: checksum),
        NSManagedObjectModelReference(
          entityVersionHashes: model.entityVersionHashesByName,
          in: try resources.bundle,
          versionChecksum: checksum
        ),
        NSManagedObjectModelReference(
          name: name,
          in: try resources.bundle,
          versionChecksum: checksum
        ),
      ]
      for reference in references {
        #expect(reference.versionChecksum == checksum)
        #expect(reference.resolvedModel.versionChecksum == checksum)
        #expect(reference.resolvedModel === reference.resolvedModel)
      }
    }
    let checksum = try resources.version("Shop").versionChecksum
    let old = NSManagedObjectModelReference(
      name: "Shop",
      in: try resources.bundle,
      versionChecksum: checksum
    )
    #expect(old.resolvedModel.entitiesByName["Item"]?.attributesByName.count == 1)
  }

  @Test("A reference to a missing model stops the program where the model is read")
  func missing() async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      _ =
        NSManagedObjectModelReference(name: "Nowhere", in: nil, versionChecksum: "x")
        .resolvedModel
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("cannot be resolved. No version of a model is named “Nowhere” in"))
  }

  @Test("A reference whose model has another checksum stops the program where the model is read")
  func otherChecksum() async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let model = NSManagedObjectModel()
      _ = NSManagedObjectModelReference(model: model, versionChecksum: "given").resolvedModel
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("The model with the checksum given is not the model of the reference"))
  }

  @Test("The checksums of a model folder are those of its versions")
  func checksums() throws {
    let resources = try Resources()
    let expected = [
      "Shop": try resources.version("Shop").versionChecksum,
      "Shop 2": try resources.version("Shop 2").versionChecksum,
    ]
    #expect(
      try NSManagedObjectModel.__checksumsForVersionedModel(at: resources.model) == expected
    )
    #expect(throws: NSError.self) {
      try NSManagedObjectModel.__checksumsForVersionedModel(
        at: resources.folder.appendingPathComponent("None.momd")
      )
    }
  }
}
