// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Stores that migrate through the versions between their model and the coordinator's.
@Suite struct ChainedMigrationTests {
  /// The versions 1 to 4 of `StagedModels` in a folder, and a store of version 1.
  private final class Versions {
    let store: StagedStore
    let model: URL

    init() throws {
      store = try StagedStore(1)
      model = store.folder.appendingPathComponent("People.xcdatamodeld")
      let nick = #"<attribute name="nick" attributeType="String""#
      let bodies = [
        "", #"\#(nick) defaultValueString="none"/>"#, "\(nick)/>\(Self.attribute("city"))",
        "\(nick)/>\(Self.attribute("city"))\(Self.attribute("street"))",
      ]
      for (index, body) in bodies.enumerated() {
        let version = model.appendingPathComponent("People \(index + 1).xcdatamodel")
        try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
        try Data(
          "<model><entity name=\"Person\">\(Self.attribute("name"))\(body)</entity></model>".utf8
        ).write(to: version.appendingPathComponent("contents"))
      }
      try Data(
        """
        <plist version="1.0"><dict><key>_XCCurrentVersionName</key>\
        <string>People 4.xcdatamodel</string></dict></plist>
        """.utf8
      ).write(to: model.appendingPathComponent(".xccurrentversion"))
    }

    private static func attribute(_ name: String) -> String {
      #"<attribute name="\#(name)" optional="YES" attributeType="String"/>"#
    }

    func open(chained: Bool, readOnly: Bool = false) throws -> [String] {
      try store.open(
        #require(NSManagedObjectModel(contentsOf: model)),
        options: [
          NSMigratePersistentStoresAutomaticallyOption: true,
          NSInferMappingModelAutomaticallyOption: true, ChainedMigrationOption: chained,
          NSReadOnlyPersistentStoreOption: readOnly,
        ],
        StagedStore.people
      )
    }
  }

  @Test("With the option a store migrates through the version between, whose defaults it gets")
  func chained() throws {
    let versions = try Versions()
    #expect(try versions.open(chained: true) == ["Ada none", "Bob none"])
    #expect(try versions.store.version == 4)
  }

  @Test("A store that can only be read says what each step of the chain would do")
  func readOnly() throws {
    let versions = try Versions()
    let error = #expect(throws: NSError.self) {
      _ = try versions.open(chained: true, readOnly: true)
    }
    #expect(error?.code == NSMigrationError)
    let reason = try #require(error?.localizedFailureReason)
    #expect(reason.contains("ZPERSON: add column ZNICK"), "\(reason)")
    #expect(reason.contains("then version change 2 of 2: changes Person"), "\(reason)")
    #expect(try versions.store.version == 1)
  }

  @Test("Without the option the store is refused, and the error names the versions between")
  func refused() throws {
    let versions = try Versions()
    let error = #expect(throws: NSError.self) { try versions.open(chained: false) }
    #expect(error?.code == NSMigrationMissingMappingModelError)
    let reason = try #require(error?.localizedFailureReason)
    #expect(reason.contains("step by step through the version People 2"), "\(reason)")
    #expect(reason.contains("ChainedMigrationOption"), "\(reason)")
    #expect(try versions.store.version == 1)
  }
}
