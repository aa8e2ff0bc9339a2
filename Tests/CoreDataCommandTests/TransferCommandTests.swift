// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite(
  "coredata export, import, seed",
  .enabled(if: Fixtures.areComparable, "no shared folder or no sqlite3"),
  .needsCommand
)
struct TransferCommandTests {
  @Test("the seed of the World Cup app makes the same store in two processes")
  func worldCup() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let seed = Fixtures.shared.appendingPathComponent("fixtures/seeds/WorldCup_seed_v5.json").path
    let model = try fixtures.model("CoderDream__Core-Data-by-Tutorials__WorldCup.contents")
    var bytes: [Data] = []
    for name in ["one", "two"] {
      let store = fixtures.folder.appendingPathComponent("\(name).sqlite").path
      let outcome = try Command.run(
        "seed",
        store,
        seed,
        "--model",
        model,
        "--entity",
        "Team",
        "--ignore-unknown"
      )
      #expect(outcome.errors == "")
      #expect(outcome.output == "\(store): 32 objects\n")
      bytes.append(try Data(contentsOf: URL(fileURLWithPath: store)))
    }
    #expect(bytes[0] == bytes[1])
    let piped = fixtures.folder.appendingPathComponent("piped.sqlite").path
    let outcome = try Command.run(
      ["seed", piped, "-", "--json", "--model", model, "--entity", "Team", "--ignore-unknown"],
      input: String(contentsOfFile: seed, encoding: .utf8)
    )
    #expect(outcome.errors == "" && outcome.output == "\(piped): 32 objects\n")
    #expect(try Data(contentsOf: URL(fileURLWithPath: piped)) == bytes[0])
    let store = fixtures.folder.appendingPathComponent("one.sqlite").path
    let count = try Command.run("fetch", store, "Team", "--count", "-p", "qualifyingZone != nil")
    #expect(count.output == "32\n")
    let again = try Command.run("seed", store, seed, "--model", model, "--entity", "Team")
    #expect(again.status == 2 && again.errors.contains("the file already exists"))
  }

  @Test("a real store goes through NDJSON and pipes into an empty one")
  func roundTrip() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let store = try fixtures.store(Fixtures.cars)
    let model = try fixtures.model(Fixtures.carsModel)
    let before = try fixtures.state()
    let out = try Command.run("export", store, "--model", model)
    #expect(out.status == 0)
    #expect(try fixtures.state() == before)
    let copy = fixtures.folder.appendingPathComponent("copy.sqlite").path
    let first = try Command.run(
      "import",
      copy,
      "-",
      "--ndjson",
      "--model",
      model,
      input: out.output
    )
    #expect(first.errors == "")
    #expect(first.output == "objects: 145 inserted, 0 updated, 0 unchanged\n")
    #expect(try Command.run("export", copy, "--model", model).output == out.output)
    let dry = try Command.run(
      "import",
      copy,
      "-",
      "--ndjson",
      "--model",
      model,
      "--dry-run",
      input: #"{"$entity":"Person","firstName":"Zoe","lastName":"Z","updatedAt":0}"#
    )
    #expect(dry.output == "objects (dry run): 1 inserted, 0 updated, 0 unchanged\n")
    let absent = fixtures.folder.appendingPathComponent("absent.sqlite").path
    let failed = try Command.run("import", absent, "-", "--ndjson", "--dry-run", input: "")
    #expect(
      failed.errors == "coredata: \(absent): the store does not exist\n"
        + "  Pass --model to see what would be imported into a new store.\n"
    )
    #expect(try Command.run("fetch", copy, "Person", "--model", model, "--count").output == "20\n")
  }

  @Test("a reader that stops early ends an export without a word; a full disk with one")
  func ends() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let store = try fixtures.store(Fixtures.journal)
    for (end, status, message) in [
      ("| head -1 > /dev/null; exit ${PIPESTATUS[0]}", Int32(0), nil as String?),
      ("> /dev/full", 2, "coredata: the output cannot be written: No space left on device"),
    ] {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/bash")
      process.arguments = ["-c", "'\(Command.program.path)' export '\(store)' \(end)"]
      let pipe = Pipe()
      process.standardError = pipe
      try process.run()
      let errors = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == status)
      // The store has no model of its own, which is said first.
      #expect(
        errors.split(separator: "\n").dropFirst().map(String.init) == [message].compactMap(\.self)
      )
    }
  }

  @Test("CSV asks for one entity, or writes a file for each")
  func csv() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let store = try fixtures.store(Fixtures.cars)
    let model = try fixtures.model(Fixtures.carsModel)
    let several = try Command.run("export", store, "--model", model, "--csv")
    #expect(several.status == 2 && several.errors.contains("but 4 entities (with subentities)"))
    #expect(several.errors.contains("select an entity without subentities with --entity"))
    let directory = fixtures.folder.path
    let taken = try Command.run("export", store, "--model", model, "--output", directory)
    #expect(taken.status == 2 && taken.errors.contains("folder; pass the path of a file."))
    let nowhere = directory + "/none/out.csv"
    let missing = try Command.run("export", store, "--model", model, "--output", nowhere)
    #expect(missing.errors.contains("The folder \(directory)/none does not exist"))
    let one = try Command.run("export", store, "--model", model, "--csv", "--entity", "Person")
    #expect(one.output.hasPrefix("firstName,lastName,updatedAt\n"))
    let folder = fixtures.folder.appendingPathComponent("out").path
    #expect(
      try Command.run("export", store, "--model", model, "--csv", "--output", folder).status == 0
    )
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == [
        "Car.csv", "LuxuryCar.csv", "Person.csv", "SportCar.csv",
      ]
    )
    // A file of the folder knows what it holds by its name.
    let again = try Command.run(
      "import",
      store,
      folder + "/Person.csv",
      "--dry-run",
      "--model",
      model
    )
    #expect(again.output == "objects (dry run): 0 inserted, 0 updated, 20 unchanged\n")
  }
}
