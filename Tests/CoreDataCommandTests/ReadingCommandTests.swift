// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite(
  "coredata inspect, fetch, metadata",
  .enabled(if: Fixtures.areComparable, "no shared folder or no sqlite3"),
  .needsCommand
)
struct ReadingCommandTests {
  @Test("inspect counts the rows of a log that was left behind, and leaves no trace")
  func inspectReadsLogs() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let store = try fixtures.store(Fixtures.journal)
    let before = try fixtures.state()
    let outcome = try Command.run("inspect", store)
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("JournalEntry"))
    #expect(outcome.output.contains("5000"))
    #expect(outcome.output.contains("write-ahead log"))
    #expect(try fixtures.state() == before)
  }

  @Test("the version is the one that the README tells packages to ask for")
  func version() throws {
    let readme = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("README.md")
    let text = try String(contentsOf: readme, encoding: .utf8)
    let outcome = try Command.run("--version")
    #expect(outcome.status == 0 && outcome.errors == "")
    let version = outcome.output.trimmingCharacters(in: .newlines)
    #expect(version.split(separator: ".").count == 3)
    #expect(text.contains("swift-coredata\", .upToNextMinor(from: \"\(version)\"))"))
  }

  @Test("every answer that is asked for as JSON is JSON, whatever it says")
  func everyJSON() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let store = try fixtures.store(Fixtures.cars)
    let model = try fixtures.model(Fixtures.carsModel)
    let other = try fixtures.model(Fixtures.journalModel, as: "Other.contents")
    let broken = try fixtures.store(Fixtures.cars, as: "broken.sqlite")
    _ = try Process.sqlite(broken, "UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
    let commands: [(Int32, [String])] = [
      (0, ["inspect", store]), (0, ["inspect", store, "--sizes"]), (0, ["metadata", store]),
      (0, ["metadata", store, "--model", model]), (1, ["metadata", store, "--model", other]),
      (0, ["fetch", store, "Car"]), (0, ["fetch", store, "Car", "--count"]),
      (0, ["fetch", store, "Car", "-p", "FALSEPREDICATE"]), (0, ["export", store]),
      (0, ["model", "show", store]), (0, ["model", "show", store, "--hashes"]),
      (1, ["model", "diff", store, other]), (0, ["model", "diff", store, store]),
      (0, ["doctor", store]), (1, ["doctor", broken]), (0, ["doctor", broken, "--repair"]),
    ]
    for (status, command) in commands {
      let outcome = try Command.run(command + ["--json"])
      #expect(outcome.status == status, "\(command)")
      let data = Data(outcome.output.utf8)
      #expect(throws: Never.self, "\(command): \(outcome.output.prefix(80))") {
        try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
      }
    }
    let hashes = try Command.run("model", "show", store, "--hashes", "--csv").output
    #expect(hashes.contains("\nSportCar,,,,,,,,,,") && hashes.contains(",details,hash\n"))
  }

  @Test(
    "no reading command leaves a trace, whatever it is asked for",
    arguments: [Fixtures.journal, Fixtures.system]
  )
  func noTrace(name: String) throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let store = try fixtures.store(name)
    let entity = name == Fixtures.journal ? "JournalEntry" : "CoreUser"
    let before = try fixtures.state()
    for arguments in [
      ["inspect", store], ["inspect", store, "--sizes", "--json"], ["metadata", store],
      ["fetch", store, entity], ["fetch", store, entity, "--count"],
      ["fetch", store, entity, "--members", "--csv", "--data"],
      ["explain", store, entity], ["export", store], ["doctor", store], ["model", "show", store],
      ["model", "graph", store], ["model", "diff", store, store],
      ["codegen", store, "--mode", "class"],
    ] {
      let outcome = try Command.run(arguments)
      #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
      #expect(outcome.output != "" && outcome.output.hasSuffix("\n"), "\(arguments)")
      #expect(try fixtures.state() == before, "\(arguments)")
    }
  }

  @Test("a link to a store shows the store, its log included")
  func link() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let folder = fixtures.folder.appendingPathComponent("real")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let store = try fixtures.store(Fixtures.journal, as: "real/store.sqlite")
    let link = fixtures.folder.appendingPathComponent("link.sqlite").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store)
    #expect(try Command.run("fetch", link, "JournalEntry", "--count").output == "5000\n")
    let report = try Command.run("inspect", link).output
    #expect(report.contains("20 KB link.sqlite, 217 KB link.sqlite-wal"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
  }

  @Test("inspect tells versions, history and sizes to programs too")
  func inspectInJSON() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let store = try fixtures.store(Fixtures.system)
    func report(_ arguments: String...) throws -> [String: Any] {
      let outcome = try Command.run(["inspect", store, "--json"] + arguments)
      #expect(outcome.status == 0 && outcome.errors == "")
      return try #require(
        try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
      )
    }
    let plain = try report()
    #expect(plain["framework"] as? Int == 1044 && plain["modelVersions"] as? [String] == [])
    let history = try #require(plain["history"] as? [String: Any])
    #expect(history["transactions"] as? Int == 939 && history["bytes"] == nil)
    #expect(history["first"] as? String == "2021-01-20T13:43:50.919Z")
    let measured = try report("--sizes")
    let bytes = (measured["history"] as? [String: Any])?["bytes"] as? Int ?? 0
    let sql =
      "SELECT SUM(pgsize) FROM dbstat WHERE name IN (SELECT name FROM sqlite_master "
      + "WHERE tbl_name IN ('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING'))"
    #expect("\(bytes)\n" == (try Process.sqlite(store, sql)))
    let entities = measured["entities"] as? [[String: Any]] ?? []
    let apps = entities.first { $0["entity"] as? String == "InstalledApp" }
    let appBytes = try Process.sqlite(
      store,
      "SELECT SUM(pgsize) FROM dbstat WHERE name IN (SELECT name FROM sqlite_master "
        + "WHERE tbl_name = 'ZINSTALLEDAPP')"
    )
    #expect("\(apps?["bytes"] as? Int ?? 0)\n" == appBytes)
  }

  @Test(
    "a key path that leads nowhere is an error, not the end of the program",
    arguments: [
      "owner.@count", "maker.foo", "SELF.owner.@sum", "owner.cars.@nothing", "owner.", "@count",
    ]
  )
  func pathsToNowhere(path: String) throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let store = try fixtures.store(Fixtures.cars)
    let outcome = try Command.run("fetch", store, "Car", "-k", path)
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasPrefix("coredata: \(path): "), "\(outcome.errors)")
  }

  @Test("with --quiet only results and errors are printed")
  func quiet() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let journal = try fixtures.store(Fixtures.journal)
    let cars = try fixtures.store(Fixtures.cars, as: "cars.sqlite")
    let fetched = try Command.run("fetch", journal, "JournalEntry", "--count", "-q")
    #expect(fetched.output == "5000\n" && fetched.errors == "")
    let loud = try Command.run("fetch", journal, "JournalEntry", "--count")
    #expect(loud.errors.hasPrefix("warning"))
    let healthy = try Command.run("doctor", cars, "--quiet")
    #expect(healthy.status == 0 && healthy.output == "" && healthy.errors == "")
    let record = #"{"firstName":"Zoe","lastName":"Zed","updatedAt":0}"#
    let arguments = ["import", cars, "-", "--ndjson", "--entity", "Person", "-q"]
    let imported = try Command.run(arguments, input: record)
    #expect(imported.status == 0 && imported.output == "" && imported.errors == "")
    let failed = try Command.run(arguments, input: "{\"firstNam\":1}")
    #expect(failed.status == 2 && failed.errors.contains("did you mean “firstName”?"))
  }

  @Test("doctor is silent on stores that Apple's framework left; --hints tells of oddities")
  func doctorOnSoundStores() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let stores = [
      "abrignoni__iLEAPP__NoteStore__josh_ios15_ffs.sqlite": "ICCloudSyncingObject.cloudState",
      "wireapp__wire-ios-data-model__store2-98-0.wiredatabase": "UserClient.trustedClients",
      "sergd2005__ResourcesManager__default__hist-db54ed5.store":
        "CraftingRecipe.requiredComponents",
    ]
    for (name, oddity) in stores {
      let store = try fixtures.store(name, as: "\(oddity).sqlite")
      let plain = try Command.run("doctor", store)
      #expect(plain.status == 0 && plain.output == "\(store) is healthy.\n", "\(plain.output)")
      let hints = try Command.run("doctor", store, "--hints")
      #expect(hints.status == 0 && hints.output.contains(oddity), "\(hints.output)")
      #expect(hints.output.hasSuffix("is healthy.\n"))
      let before = try fixtures.state()
      #expect(try Command.run("doctor", store, "--repair").status == 0)
      #expect(try fixtures.state() == before)
    }
  }

  @Test("each thing has one name in the list of commands; former names still work")
  func oneName() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let help = try Command.run("--help").output
    #expect(help.contains("  codegen ") && help.contains("  model "))
    #expect(!help.contains("  generate ") && !help.contains("  check "))
    let model = try fixtures.model(Fixtures.carsModel)
    #expect(try Command.run("check", model).status == 0)
    #expect(try Command.run("generate", "--help").status == 0)
    #expect(!(try Command.run("chek", model).errors.contains("“check”")))
  }

  @Test("a misspelt command is answered with the nearest name, exit code 64")
  func misspeltCommand() throws {
    let outcome = try Command.run("inspct", "a.sqlite")
    #expect(outcome.status == 64 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("there is no command “inspct”\n  did you mean “inspect”?"))
    let unknown = try Command.run("model", "shw", "a").errors
    #expect(unknown.contains("`coredata model` has no command “shw”\n  did you mean “show”?"))
    #expect(try Command.run("--help").status == 0)
    #expect(try Command.run("model", "--help").output.contains("decompile"))
    #expect(try Command.run("help", "fetch").status == 0)
  }

  @Test("a misspelt entity, attribute or condition is answered with the nearest name, exit code 2")
  func misspelt() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let store = try fixtures.store(Fixtures.cars)
    let model = try fixtures.model(Fixtures.carsModel)
    let entity = try Command.run("fetch", store, "Persn", "--model", model)
    #expect(entity.status == 2)
    #expect(entity.errors.contains("there is no entity “Persn”"))
    #expect(entity.errors.contains("did you mean “Person”?"))
    let key = try Command.run("fetch", store, "Person", "--model", model, "--sort", "fristName")
    #expect(key.status == 2)
    #expect(key.errors.contains("Person has no property “fristName”"))
    #expect(key.errors.contains("did you mean “firstName”?"))
    let condition = try Command.run(
      "fetch",
      store,
      "Person",
      "--model",
      model,
      "--predicate",
      "firstName CONATINS 'a'"
    )
    #expect(condition.status == 2)
    #expect(condition.errors.contains("did you mean CONTAINS?"))
    #expect(condition.errors.contains("^~~~~~~~"))
    let unknown = try Command.run(
      "fetch",
      store,
      "Person",
      "--model",
      model,
      "--predicate",
      "cars.makr = 'a'"
    )
    #expect(unknown.errors.contains("did you mean “maker”?"))
  }

  @Test("a store, a model and a file that are missing or something else are named, exit code 2")
  func notAStore() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let missing = try Command.run("inspect", fixtures.folder.path + "/nothing.sqlite")
    #expect(missing.status == 2)
    #expect(missing.errors.contains("the file does not exist"))
    let text = fixtures.folder.appendingPathComponent("text.txt")
    try Data(repeating: 65, count: 3000).write(to: text)
    let other = try Command.run("inspect", text.path)
    #expect(other.status == 2)
    #expect(other.errors.contains("not a database"))
    #expect(other.errors.contains("`coredata transfer FILE COPY.sqlite --model MODEL`"))
    let store = try fixtures.store(Fixtures.cars)
    let model = try fixtures.model(Fixtures.journalModel)
    let wrong = try Command.run("fetch", store, "Person", "--model", model)
    #expect(wrong.status == 2)
    #expect(wrong.errors.contains("is not the model with which"))
    #expect(try Command.run("fetch", store, "-p", "TRUEPREDICATE").status == 64)
  }

  @Test("metadata shows keys and hashes, and tells whether a model fits")
  func metadata() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let store = try fixtures.store(Fixtures.cars)
    let model = try fixtures.model(Fixtures.carsModel)
    let shown = try Command.run("metadata", store)
    #expect(shown.output.contains("NSStoreModelVersionHashes.Person"))
    #expect(shown.output.contains("NSStoreUUID"))
    let json = try Command.run("metadata", store, "--json")
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    #expect(object?["NSStoreType"] as? String == "SQLite")
    #expect(object?["NSStoreModelVersionHashesVersion"] as? Int == 3)
    let hashes = try #require(object?["NSStoreModelVersionHashes"] as? [String: String])
    #expect(hashes.keys.sorted() == ["Car", "LuxuryCar", "Person", "SportCar"])
    #expect(hashes.values.allSatisfy { Data(base64Encoded: $0)?.count == 32 })
    #expect(hashes.values.allSatisfy(shown.output.contains))
    #expect(try Command.run("metadata", store, "--model", model).status == 0)
    let other = try fixtures.model(Fixtures.journalModel, as: "Other.contents")
    let differs = try Command.run("metadata", store, "--model", other)
    #expect(differs.status == 1)
    #expect(differs.output.contains("Person: removed (only the store has it)"))
  }
}

extension Process {
  /// What the sqlite3 program answers; a second opinion that shares no code with the command.
  static func sqlite(_ path: String, _ statement: String) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", path, statement]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self)
  }
}
