// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("coredata transfer", .needsCommand)
struct StoreTransferCommandTests {
  private static let database = ProcessInfo.processInfo.environment["COREDATA_POSTGRES_URL"]
  private static let model = """
    <?xml version="1.0" encoding="UTF-8"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
      <entity name="Team">
        <attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="players" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" \
    destinationEntity="Player" inverseName="team" inverseEntity="Player"/>
      </entity>
      <entity name="Player">
        <attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="team" optional="YES" maxCount="1" deletionRule="Nullify" \
    destinationEntity="Team" inverseName="players" inverseEntity="Team"/>
      </entity>
    </model>
    """
  private static let records = """
    {"$entity": "Player", "$id": "Player/p1", "name": "Ann"}
    {"$entity": "Player", "$id": "Player/p2", "name": "Bob"}
    {"$entity": "Team", "$id": "Team/p1", "name": "Reds", \
    "players": [{"$id": "Player/p2"}, {"$id": "Player/p1"}]}
    """

  private struct Place {
    let folder: URL
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
  }

  /// Runs `body` with a store of three objects, `teams.sqlite`, and its model, `contents`.
  private func withStore(_ body: (Place) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("transfer-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) }
    }
    let place = Place(folder: folder)
    try Data(Self.model.utf8).write(to: folder.appendingPathComponent("contents"))
    let seeded = try Command.run(
      "seed",
      place.path("teams.sqlite"),
      place.path("teams.ndjson"),
      "--model",
      place.path("contents"),
      in: { () -> URL in
        try Data(Self.records.utf8).write(to: folder.appendingPathComponent("teams.ndjson"))
        return folder
      }()
    )
    #expect(seeded.errors == "" && seeded.status == 0)
    try body(place)
  }

  @Test("a store goes to XML, to a binary store, and back to SQLite, and stays equal")
  func files() throws {
    try withStore { place in
      let model = ["--model", place.path("contents")]
      // An XML store numbers objects again whose numbers several entities have, so they are named by their keys.
      let keys = ["--key", "Team:name", "--key", "Player:name"]
      let all = try Command.run(["export", place.path("teams.sqlite")] + keys).output
      for (from, to) in [
        ("teams.sqlite", "teams.xml"), ("teams.xml", "teams.binary"),
        ("teams.binary", "end.sqlite"),
      ] {
        let outcome = try Command.run(
          ["transfer", place.path(from), place.path(to), "--check"] + model
        )
        #expect(outcome.errors == "")
        #expect(outcome.output == "\(place.path(to)): 3 objects\nequal: 3 objects compared\n")
      }
      #expect(try Command.run(["export", place.path("end.sqlite")] + keys).output == all)
    }
  }

  @Test("a destination with objects, the source itself, and a file without a model are refused")
  func refusals() throws {
    try withStore { place in
      let (source, copy) = (place.path("teams.sqlite"), place.path("copy.sqlite"))
      #expect(try Command.run("transfer", source, copy).status == 0)
      let again = try Command.run("transfer", source, copy)
      #expect(again.status == 2)
      #expect(
        again.errors.contains("there is a store with objects") && again.errors.contains("--replace")
      )
      #expect(try Command.run("transfer", source, copy, "--replace", "--check").status == 0)
      let itself = try Command.run("transfer", source, source, "--replace")
      #expect(itself.status == 2 && itself.errors.contains("cannot be copied to itself"))
      #expect(try Command.run("transfer", source, place.path("a.xml")).status == 0)
      let bare = try Command.run("transfer", place.path("a.xml"), place.path("b.sqlite"))
      #expect(bare.status == 2 && bare.errors.contains("no copy of its model"))
      let unknown = try Command.run("transfer", source, place.path("c"), "--type", "oracle")
      #expect(unknown.status == 2 && unknown.errors.contains("no type of stores “oracle”"))
    }
  }

  @Test("a store goes to PostgreSQL and back; other commands take the URL, or say why they do not")
  func database() throws {
    guard let database = Self.database else { return }
    try withStore { place in
      let url = "\(database)?schema=command_\(UUID().uuidString.lowercased())"
      let source = place.path("teams.sqlite")
      let there = try Command.run("transfer", source, url, "--check")
      try #require(there.errors == "")
      #expect(there.output.hasSuffix(": 3 objects\nequal: 3 objects compared\n"))
      #expect(!there.output.contains("only-for-tests"))
      #expect(try Command.run("transfer", source, url).status == 2)
      let back = try Command.run("transfer", url, place.path("back.sqlite"), "--check")
      #expect(back.errors == "" && back.output.hasSuffix("equal: 3 objects compared\n"))
      let all = try Command.run("export", source).output
      #expect(try Command.run("export", place.path("back.sqlite")).output == all)
      #expect(try Command.run("export", url).output == all)
      #expect(try Command.run("fetch", url, "Team", "--count").output == "1\n")
      #expect(try Command.run("model", "show", url).output.contains("players"))
      let fit = try Command.run("metadata", url, "--model", place.path("contents"))
      #expect(fit.output == "The model matches the store.\n")
      let more = try Command.run("import", url, "-", "--ndjson", input: #"{"$entity": "Player"}"#)
      #expect(more.output == "objects: 1 inserted, 0 updated, 0 unchanged\n")
      for arguments in [
        ["inspect", url], ["explain", url, "Team"], ["doctor", url],
        ["migrate", url, place.path("contents")],
        ["seed", url, place.path("teams.ndjson"), "--model", place.path("contents")],
        ["import", url, place.path("teams.ndjson"), "--dry-run"],
      ] {
        let refused = try Command.run(arguments)
        #expect(refused.status == 2, "\(arguments)")
        #expect(refused.errors.contains("needs the file of an SQLite store"), "\(refused.errors)")
      }
      // The schema is dropped with the server.
      #expect(try Command.run("transfer", source, url, "--replace").status == 0)
      #expect(try Command.run("fetch", url, "Player", "--count").output == "2\n")
    }
  }
}
