// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What `coredata seed --force` replaces, and what it leaves alone.
@Suite(
  "coredata seed --force",
  .enabled(if: Fixtures.areComparable, "no shared folder or no sqlite3"),
  .needsCommand
)
struct SeedReplacementTests {
  /// A folder with a model and two files of records.
  private struct SeedFolder {
    let fixtures: Fixtures
    var folder: URL { fixtures.folder }
    var store: String { path("Photos.sqlite") }
    /// Too large for a row, in Base64.
    static let large = Data(repeating: 7, count: 300_000).base64EncodedString()

    init() throws {
      fixtures = try Fixtures()
      try write(PhotoModel.text, "Model.contents")
      try write(#"[{"name": "old", "pixels": "\#(Self.large)"}]"#, "old.json")
      try write(#"[{"name": "new"}, {"name": "newer"}]"#, "new.json")
    }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    func write(_ text: String, _ name: String) throws {
      try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }

    func seed(_ store: String, _ records: String, force: Bool = true) throws -> Command.Outcome {
      let arguments = [
        "seed", store, path(records), "--model", path("Model.contents"), "--entity", "Photo",
      ]
      return try Command.run(arguments + (force ? ["--force"] : []))
    }

    /// Imports the old records into a store whose large values have files of their own.
    func makeOld() throws {
      let outcome = try Command.run(
        "import",
        store,
        path("old.json"),
        "--model",
        path("Model.contents"),
        "--entity",
        "Photo"
      )
      #expect(outcome.status == 0 && outcome.errors == "")
      let values = folder.appendingPathComponent(".Photos_SUPPORT/_EXTERNAL_DATA")
      #expect(try FileManager.default.contentsOfDirectory(atPath: values.path).count == 1)
    }

    func count(_ condition: String, in store: String? = nil) throws -> String {
      try Command.run("fetch", store ?? self.store, "Photo", "--count", "-p", condition).output
    }

    /// All names below the folder that the test did not write itself.
    func names() throws -> [String] {
      let own = ["Model.contents", "old.json", "new.json"]
      return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        .filter { !own.contains($0) }.sorted()
    }

    func sqlite(_ arguments: String...) throws {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["sqlite3"] + arguments
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
    }
  }

  @Test("a folder is refused with all that is in it", arguments: ["things", "things/", "link"])
  func folders(name: String) throws {
    let setting = try SeedFolder()
    defer { setting.fixtures.remove() }
    let things = setting.folder.appendingPathComponent("things")
    try FileManager.default.createDirectory(at: things, withIntermediateDirectories: true)
    try setting.write("precious", "things/letter")
    try FileManager.default.createSymbolicLink(
      at: setting.folder.appendingPathComponent("link"),
      withDestinationURL: things
    )
    let before = try setting.names()
    let outcome = try setting.seed(setting.path("") + "/" + name, "new.json")
    #expect(outcome.status == 2 && outcome.errors.contains("folder"))
    #expect(try setting.names() == before)
  }

  @Test("a file that is not a store is refused, whatever it is")
  func strangers() throws {
    let setting = try SeedFolder()
    defer { setting.fixtures.remove() }
    try setting.write("a letter", "letter")
    try setting.sqlite(
      setting.path("other.sqlite"),
      "CREATE TABLE mine(a); INSERT INTO mine VALUES(1)"
    )
    #expect(mkfifo(setting.path("pipe"), 0o600) == 0)
    let before = try setting.fixtures.state().filter { $0.key != "pipe" }
    for name in ["letter", "other.sqlite", "pipe"] {
      let outcome = try setting.seed(setting.path(name), "new.json")
      #expect(outcome.status == 2, "\(name): \(outcome.errors)")
      #expect(outcome.errors.contains(name))
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: setting.folder.path)
    #expect(Set(names) == Set(before.keys).union(["pipe"]))
    try FileManager.default.removeItem(atPath: setting.path("pipe"))
    #expect(try setting.fixtures.state() == before)
  }

  @Test("a store goes with its log and its large values; the seed is that of an empty place")
  func replaced() throws {
    let setting = try SeedFolder()
    defer { setting.fixtures.remove() }
    try setting.makeOld()
    // A program that was killed leaves its last changes in the log.
    try setting.sqlite(
      setting.store,
      "PRAGMA journal_mode = WAL; UPDATE ZPHOTO SET ZNAME = 'in the log'",
      ".shell kill -9 $PPID"
    )
    #expect(try setting.names().contains("Photos.sqlite-wal"))
    let outcome = try setting.seed(setting.store, "new.json")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try setting.names() == ["Photos.sqlite"])
    #expect(try setting.count("name BEGINSWITH 'new'") == "2\n")
    #expect(try setting.count("TRUEPREDICATE") == "2\n")
    _ = try setting.seed(setting.path("Fresh.sqlite"), "new.json", force: false)
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: setting.store))
        == Data(contentsOf: setting.folder.appendingPathComponent("Fresh.sqlite"))
    )
  }

  @Test("large values that another store may name stay")
  func sharedValues() throws {
    let setting = try SeedFolder()
    defer { setting.fixtures.remove() }
    try setting.makeOld()
    try FileManager.default.copyItem(atPath: setting.store, toPath: setting.path("Photos.backup"))
    #expect(try setting.seed(setting.store, "new.json").status == 0)
    #expect(try setting.count("pixels != nil", in: setting.path("Photos.backup")) == "1\n")
    #expect(
      try setting.names().filter { UUID(uuidString: ($0 as NSString).lastPathComponent) != nil }
        .count
        == 1
    )
  }

  @Test("a store that a program has open for writing stays as it is")
  func inUse() throws {
    let setting = try SeedFolder()
    defer { setting.fixtures.remove() }
    try setting.makeOld()
    let before = try setting.names()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", setting.store]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    input.fileHandleForWriting.write(Data("BEGIN IMMEDIATE;\nSELECT 'held';\n".utf8))
    #expect(output.fileHandleForReading.availableData.starts(with: Data("held".utf8)))
    let outcome = try setting.seed(setting.store, "new.json")
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(outcome.status == 2 && outcome.errors.contains("locked"), "\(outcome.errors)")
    #expect(try setting.names() == before)
    #expect(try setting.count("name == 'old'") == "1\n")
  }

  @Test("records that cannot be read leave the old store, and nothing beside it")
  func badRecords() throws {
    let setting = try SeedFolder()
    defer { setting.fixtures.remove() }
    try setting.makeOld()
    try setting.write(#"[{"name": "new"}, {"nmae": "x"}]"#, "new.json")
    let before = try setting.names()
    #expect(try setting.seed(setting.store, "new.json").status == 2)
    #expect(try setting.names() == before)
    #expect(try setting.count("name == 'old' AND pixels != nil") == "1\n")
  }

  @Test("a seed has its large values in its one file, and is the same each time")
  func largeValues() throws {
    let setting = try SeedFolder()
    defer { setting.fixtures.remove() }
    for name in ["one", "two"] {
      #expect(try setting.seed(setting.path(name), "old.json", force: false).status == 0)
    }
    #expect(try setting.names() == ["one", "two"])
    #expect(
      try Data(contentsOf: setting.folder.appendingPathComponent("one"))
        == Data(contentsOf: setting.folder.appendingPathComponent("two"))
    )
    let out = try Command.run("export", setting.path("one"))
    #expect(out.status == 0 && out.output.contains(SeedFolder.large))
  }
}

/// A model whose values may have files of their own.
enum PhotoModel {
  static let text = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
      <entity name="Photo">
        <attribute name="name" optional="YES" attributeType="String"/>
        <attribute name="pixels" optional="YES" attributeType="Binary"
          allowsExternalBinaryDataStorage="YES"/>
      </entity>
    </model>
    """
}
