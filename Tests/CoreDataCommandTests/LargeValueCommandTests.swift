// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Stores whose large values are lost or cannot be read.
@Suite("coredata and large values", .needsCommand)
struct LargeValueCommandTests {
  /// A store of two photos, each with a file of its own.
  private struct Album {
    let fixtures: Fixtures
    let store: String
    let values: URL

    init() throws {
      fixtures = try Fixtures()
      store = fixtures.folder.appendingPathComponent("Album.sqlite").path
      values = fixtures.folder.appendingPathComponent(".Album_SUPPORT/_EXTERNAL_DATA")
      let model = fixtures.folder.appendingPathComponent("Model.contents")
      try Data(PhotoModel.text.utf8).write(to: model)
      let pixels = Data(repeating: 7, count: 300_000).base64EncodedString()
      let records = ["a", "b"].map { #"{"$entity":"Photo","name":"\#($0)","pixels":"\#(pixels)"}"# }
      let outcome = try Command.run(
        "import",
        store,
        "-",
        "--ndjson",
        "--model",
        model.path,
        input: records.joined(separator: "\n")
      )
      #expect(outcome.output.hasPrefix("objects: 2 inserted"), "\(outcome.errors)")
      #expect(try files().count == 2)
    }

    func files() throws -> [URL] {
      try FileManager.default.contentsOfDirectory(atPath: values.path).sorted()
        .map { values.appendingPathComponent($0) }
    }
  }

  @Test("an export that lacks a value whose file is missing says so, and ends with 1")
  func missing() throws {
    let album = try Album()
    defer { album.fixtures.remove() }
    try FileManager.default.removeItem(at: album.files()[0])
    let outcome = try Command.run("export", album.store)
    #expect(outcome.status == 1)
    #expect(outcome.output.split(separator: "\n").count == 2)
    #expect(outcome.errors.contains("Photo.pixels") && outcome.errors.contains("Photo/p"))
    let csv = try Command.run("export", album.store, "--csv")
    #expect(csv.status == 1 && csv.errors.contains("Photo.pixels"))
    let doctor = try Command.run("doctor", album.store)
    #expect(doctor.status == 1 && doctor.output.contains("Photo.pixels"))
  }

  @Test("an export whose values cannot be read fails and names the file")
  func unreadable() throws {
    let album = try Album()
    defer { album.fixtures.remove() }
    let file = try album.files()[0]
    try FileManager.default.removeItem(at: file)
    // Opens, but has no bytes to read.
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    let outcome = try Command.run("export", album.store)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains(file.lastPathComponent))
  }

  @Test("a plan shows the sizes of external files, and names missing ones; so does a rehearsal")
  func plannedSizes() throws {
    let album = try Album()
    defer { album.fixtures.remove() }
    let later = album.fixtures.folder.appendingPathComponent("Later.contents")
    let xml = PhotoModel.text.replacing("pixels", with: "thumbnail")
    try Data(xml.utf8).write(to: later)
    let whole = try Command.run("migrate", album.store, later.path, "--plan")
    #expect(whole.status == 1)
    #expect(whole.output.contains("Photo/p1: <293 KB>\n"), "\(whole.output)")
    #expect(!whole.output.contains("warning: Photo.pixels"))
    let name = try album.files()[0].lastPathComponent
    try FileManager.default.removeItem(at: album.files()[0])
    for mode in ["--plan", "--rehearse"] {
      let outcome = try Command.run("migrate", album.store, later.path, mode)
      #expect(outcome.status == 1)
      let line = "warning: Photo.pixels: 1 value is already lost, because of missing files"
      #expect(outcome.output.contains(line), "\(outcome.output)")
      #expect(outcome.output.contains(": <missing file \(name)>\n"))
      #expect(outcome.output.contains(": \(name)\n"))
    }
  }

  @Test("a doctor that cannot list the folder of large values says that, and calls no value lost")
  func unlisted() throws {
    let album = try Album()
    defer { album.fixtures.remove() }
    try FileManager.default.removeItem(at: album.values)
    try Data().write(to: album.values)
    let outcome = try Command.run("doctor", album.store)
    #expect(outcome.status == 2 && outcome.errors.contains("_EXTERNAL_DATA"))
    #expect(!outcome.output.contains("Photo/p"))
  }

  @Test("a dry run of an import compares large values, and leaves their files alone")
  func dryRun() throws {
    let album = try Album()
    defer { album.fixtures.remove() }
    let files = try album.files()
    let same = try Command.run("export", album.store).output
    let changed = same.replacingOccurrences(
      of: #""pixels":"BwcH"#,
      with: #""pixels":"CAgI"#
    )
    #expect(changed != same)
    for (records, report) in [
      (same, "objects (dry run): 0 inserted, 0 updated, 2 unchanged\n"),
      (changed, "objects (dry run): 0 inserted, 2 updated, 0 unchanged\n"),
    ] {
      let outcome = try Command.run(
        "import",
        album.store,
        "-",
        "--ndjson",
        "--key",
        "Photo:name",
        "--dry-run",
        input: records
      )
      #expect(outcome.output == report, "\(outcome.errors)")
    }
    #expect(try album.files() == files)
    #expect(try Command.run("export", album.store).output == same)
  }

  @Test("an export without lost values ends with 0 and says nothing")
  func whole() throws {
    let album = try Album()
    defer { album.fixtures.remove() }
    let outcome = try Command.run("export", album.store)
    #expect(outcome.status == 0 && outcome.errors == "")
  }
}
