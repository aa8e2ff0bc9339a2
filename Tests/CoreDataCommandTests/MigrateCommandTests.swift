// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite(
  "coredata migrate",
  .enabled(if: Fixtures.areComparable, "no shared folder or no sqlite3"),
  .needsCommand
)
struct MigrateCommandTests {
  @Test("--plan prints steps and rows, exits with 0, and changes nothing")
  func plan() throws {
    let garage = try Garage((Garage.model, Garage.model + Garage.doors))
    defer { garage.remove() }
    let before = try garage.state()
    let outcome = try garage.migrate("--plan")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("migration from “Cars” to “Cars 2”"))
    #expect(outcome.output.contains("ZCAR: add column ZDOORS"))
    #expect(outcome.output.contains("estimated time less than 0.1 s"))
    #expect(try garage.state() == before)
  }

  @Test("--plan exits with 1 if values would be lost, and every format says so")
  func losses() throws {
    let garage = try Garage((Garage.model, ""))
    defer { garage.remove() }
    let before = try garage.state()
    let table = try garage.migrate("--plan")
    #expect(table.status == 1)
    #expect(table.output.contains("lost: Car.model: the new model lacks the attribute, and 125"))
    #expect(table.output.contains("    Car/p1: "))
    let json = try garage.migrate("--plan", "--json")
    #expect(json.status == 1)
    let rows = try #require(
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
    )
    let loss = try #require(rows.first { $0["kind"] as? String == "lost" })
    #expect(loss["what"] as? String == "Car.model" && loss["rows"] as? Int == 125)
    #expect((loss["examples"] as? [String])?.count == 3)
    #expect(rows.contains { $0["kind"] as? String == "step" })
    let csv = try garage.migrate("--plan", "--csv")
    #expect(csv.status == 1 && csv.output.hasPrefix("kind,what,rows,seconds,details,examples\n"))
    #expect(try garage.state() == before)
  }

  private static let inspector =
    #"<relationship name="inspector" maxCount="1" destinationEntity="Person"/>"#

  @Test(
    "a new mandatory relationship: plan and rehearsal exit with 1, and --allow-loss is required"
  )
  func invalid() throws {
    let garage = try Garage((Garage.model, Garage.model + Self.inspector))
    defer { garage.remove() }
    let before = try garage.state()
    let line = "invalid: Car.inspector: the relationship is mandatory, and 125 objects will have no"
    let plan = try garage.migrate("--plan")
    #expect(plan.status == 1 && plan.output.contains(line), "\(plan.output)")
    let rehearsal = try garage.migrate("--rehearse")
    #expect(rehearsal.status == 1 && rehearsal.output.contains(line), "\(rehearsal.output)")
    #expect(!rehearsal.output.contains("differs"))
    #expect(rehearsal.output.contains("are equal, but the doctor finds problems in the copy."))
    let refused = try garage.migrate()
    #expect(refused.status == 2 && refused.errors.contains(line), "\(refused.errors)")
    #expect(refused.errors.contains("could not be saved") && !refused.errors.contains("would lose"))
    #expect(try garage.state() == before)
    let outcome = try garage.migrate("--allow-loss")
    #expect(outcome.status == 0 && outcome.output.contains(line), "\(outcome.errors)")
  }

  @Test(
    "missing values that become the default are named in the plan and the rehearsal, exit code 0"
  )
  func filled() throws {
    let mandatory = #"<attribute name="model" attributeType="String" defaultValueString="?"/>"#
    let garage = try Garage((Garage.model, mandatory))
    defer { garage.remove() }
    _ = try Process.sqlite(garage.store, "UPDATE ZCAR SET ZMODEL = NULL WHERE Z_PK IN (1, 2, 3)")
    let line = "filled: Car.model: 3 objects without a value get the default “?”"
    let plan = try garage.migrate("--plan")
    #expect(plan.status == 0 && plan.output.contains(line), "\(plan.output)")
    let rehearsal = try garage.migrate("--rehearse")
    #expect(rehearsal.status == 0 && rehearsal.output.contains(line), "\(rehearsal.output)")
    #expect(rehearsal.output.contains("equal, except that default values replace missing ones."))
    let outcome = try garage.migrate()
    #expect(outcome.status == 0 && outcome.output.contains(line), "\(outcome.errors)")
  }

  @Test("the rows of a rehearsal for programs include the losses")
  func rehearsalRows() throws {
    let garage = try Garage((Garage.model, ""))
    defer { garage.remove() }
    let outcome = try garage.migrate("--rehearse", "--json")
    #expect(outcome.status == 1)
    let rows = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]]
    let loss = try #require(rows?.first { $0["kind"] as? String == "lost" })
    #expect(loss["what"] as? String == "Car.model" && loss["rows"] as? Int == 125)
    #expect((loss["examples"] as? [String])?.count == 3)
    let car = try #require(rows?.first { $0["what"] as? String == "Car" })
    #expect(car["differences"] as? Int == 0)
  }

  @Test("a locked store is not migrated, and no backup remains")
  func locked() throws {
    let garage = try Garage((Garage.model, Garage.model + Garage.doors))
    defer { garage.remove() }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", garage.store]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    input.fileHandleForWriting.write(Data("BEGIN IMMEDIATE;\nSELECT 'held';\n".utf8))
    #expect(output.fileHandleForReading.availableData.starts(with: Data("held".utf8)))
    let outcome = try garage.migrate()
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(outcome.status == 2 && outcome.errors.contains("locked"), "\(outcome.errors)")
    #expect(outcome.errors.contains("Nothing was migrated."))
    #expect(!outcome.output.contains("backup: "))
    #expect(!FileManager.default.fileExists(atPath: "\(garage.store).backup"))
    #expect(try garage.migrate("--plan").output.contains("ZCAR: add column ZDOORS"))
  }

  @Test("a model without an entity of the store is refused, unless --allow-loss is given")
  func unrelated() throws {
    let garage = try Garage()
    defer { garage.remove() }
    let other = garage.fixtures.folder.appendingPathComponent("Other.contents")
    let xml =
      #"<model><entity name="Note"><attribute name="text" optional="YES" attributeType="String"/>"#
      + "</entity></model>"
    try Data(xml.utf8).write(to: other)
    let before = try garage.state()
    for options in [[], ["--plan"], ["--rehearse"]] {
      let refused = try Command.run(["migrate", garage.store, other.path] + options)
      #expect(refused.status == (options.isEmpty ? 2 : 1))
      #expect(refused.errors.contains("no entity of the store is in the model"))
      #expect(refused.errors.contains("--allow-loss") == options.isEmpty)
    }
    #expect(try garage.state() == before)
    let outcome = try Command.run("migrate", garage.store, other.path, "--allow-loss")
    #expect(outcome.status == 0 && outcome.output.contains("lost: Car"), "\(outcome.errors)")
  }

  @Test("a model that is passed before the store gets a hint")
  func swapped() throws {
    let garage = try Garage()
    defer { garage.remove() }
    let outcome = try Command.run("migrate", garage.model, garage.store, "--plan")
    #expect(outcome.status == 2 && outcome.errors.contains("Cars.xcdatamodeld is a model"))
    #expect(outcome.errors.contains("The store comes first"))
  }

  @Test("a refusal names the versions through which mappings can be inferred")
  func between() throws {
    let garage = try Garage((Garage.model, ""))
    defer { garage.remove() }
    let bundle = URL(fileURLWithPath: garage.model)
    let first = bundle.appendingPathComponent("Cars.xcdatamodel/contents")
    let third = bundle.appendingPathComponent("Cars 3.xcdatamodel")
    try FileManager.default.createDirectory(at: third, withIntermediateDirectories: true)
    let date = #"<attribute name="model" optional="YES" attributeType="Date"/>"#
    let xml = try String(contentsOf: first, encoding: .utf8).replacing(Garage.model, with: date)
    try Data(xml.utf8).write(to: third.appendingPathComponent("contents"))
    let before = try garage.state()
    let plan = try garage.migrate("--plan", "--to", "Cars 3")
    #expect(plan.status == 1 && plan.errors.contains("step by step through “Cars 2”"))
    #expect(plan.output.contains("migration step 1 of 2, from “Cars” to “Cars 2”\n"))
    #expect(plan.output.contains("lost: Car.model: the new model lacks the attribute, and 125"))
    #expect(
      plan.output.contains(
        "migration step 2 of 2, from “Cars 2” to “Cars 3” (planned on"
      )
    )
    #expect(plan.output.contains("ZCAR: add column ZMODEL"), "\(plan.output)")
    #expect(try garage.state() == before)
    let outcome = try garage.migrate("--to", "Cars 3")
    #expect(outcome.status == 2 && outcome.errors.contains("Car.model: an inferred mapping"))
    #expect(outcome.errors.contains("step by step through “Cars 2”"), "\(outcome.errors)")
  }

  @Test("what cannot be inferred is named with every reason, exit code 2")
  func obstacles() throws {
    let garage = try Garage(
      (Garage.maker, #"<attribute name="maker" optional="YES" attributeType="Date"/>"#),
      (Garage.model, Garage.model + #"<attribute name="doors" attributeType="Integer 16"/>"#)
    )
    defer { garage.remove() }
    let before = try garage.state()
    for options in [["--plan"], [], ["--rehearse"]] {
      let outcome = try Command.run(["migrate", garage.store, garage.model] + options)
      #expect(outcome.status == (options.isEmpty ? 2 : 1))
      #expect(outcome.errors.contains("Car.maker: "))
      #expect(outcome.errors.contains("Car.doors: "))
    }
    let json = try garage.migrate("--plan", "--json")
    #expect(json.status == 1)
    let rows = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
    let places = (rows ?? []).filter { $0["kind"] as? String == "obstacle" }
      .compactMap { $0["what"] as? String }
    #expect(Set(places) == ["Car.maker", "Car.doors"])
    #expect(try garage.state() == before)
  }

  @Test("a store is migrated after a backup, and a second time there is nothing to do")
  func migrates() throws {
    let garage = try Garage((Garage.model, Garage.model + Garage.doors))
    defer { garage.remove() }
    let rows = try Process.sqlite(garage.store, "SELECT Z_PK, ZMODEL FROM ZCAR ORDER BY 1")
    let outcome = try garage.migrate()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("backup: \(garage.store).backup\n"))
    #expect(outcome.output.contains("migrated from “Cars” to “Cars 2”"))
    #expect(outcome.output.contains("ZCAR: add column ZDOORS"))
    #expect(
      try Process.sqlite(garage.store, "SELECT Z_PK, ZMODEL FROM ZCAR ORDER BY 1") == rows
    )
    #expect(
      try Process.sqlite(garage.store, "SELECT COUNT(*) FROM ZCAR WHERE ZDOORS = 4") == "125\n"
    )
    let backup = "\(garage.store).backup"
    #expect(try Process.sqlite(backup, "SELECT Z_PK, ZMODEL FROM ZCAR ORDER BY 1") == rows)
    let doctor = try Command.run("doctor", garage.store, "--model", garage.model)
    #expect(doctor.status == 0, "\(doctor.output)\(doctor.errors)")
    let again = try garage.migrate()
    #expect(again.status == 0 && again.output.contains("Cars.sqlite needs no migration"))
    #expect(!FileManager.default.fileExists(atPath: "\(garage.store).backup-2"))
    #expect(try garage.migrate("--plan", "--json").output == "[]\n")
  }

  @Test("nothing is lost unless --allow-loss is given; --no-backup makes no backup")
  func allowLoss() throws {
    let garage = try Garage((Garage.model, ""))
    defer { garage.remove() }
    let before = try garage.state()
    let refused = try garage.migrate()
    #expect(refused.status == 2)
    #expect(refused.errors.contains("Car.model") && refused.errors.contains("--allow-loss"))
    #expect(try garage.state() == before)
    let outcome = try garage.migrate("--allow-loss", "--no-backup", "--json")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let json = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]]
    #expect(json?.isEmpty == false && json?.allSatisfy { $0["seconds"] != nil } == true)
    let lost = json?.first { $0["kind"] as? String == "lost" }
    #expect(lost?["what"] as? String == "Car.model")
    #expect(!FileManager.default.fileExists(atPath: "\(garage.store).backup"))
    let columns = try Process.sqlite(garage.store, "SELECT name FROM pragma_table_info('ZCAR')")
    #expect(!columns.contains("ZMODEL"))
  }

  @Test("rows that break a new constraint are named, and the store is not migrated")
  func constraint() throws {
    let unique = #"<constraint value="numberPlate"/>"#
    let added =
      unique + "</uniquenessConstraint><uniquenessConstraint>" + #"<constraint value="maker"/>"#
    let garage = try Garage((unique, added))
    defer { garage.remove() }
    let before = try garage.state()
    let plan = try garage.migrate("--plan")
    #expect(plan.status == 1)
    #expect(plan.output.contains("refused: Car: maker: the uniqueness constraint is violated"))
    #expect(plan.output.contains("with maker = FIAT: Car/p"))
    let outcome = try garage.migrate("--allow-loss")
    #expect(outcome.status == 2 && outcome.errors.contains("Car: maker"))
    #expect(try garage.state() == before)
  }

  @Test("--rehearse compares a copy, exits with 0, and changes nothing")
  func rehearse() throws {
    let renamed =
      #"<attribute name="type" optional="YES" attributeType="String" elementID="model"/>"#
    let garage = try Garage((Garage.model, Garage.doors + renamed))
    defer { garage.remove() }
    let before = try garage.state()
    let outcome = try garage.migrate("--rehearse")
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    #expect(outcome.output.contains("All objects, values and links that both models"))
    let csv = try garage.migrate("--rehearse", "--csv")
    #expect(csv.status == 0 && csv.output.contains("entity,Car,,,,,115,"))
    #expect(try garage.state() == before)
  }

  @Test(
    "links that may be lost are rehearsed first, and the store is migrated only if all are kept"
  )
  func doubts() throws {
    let garage = try Garage(
      (#" inverseName="owner" inverseEntity="Car""#, ""),
      (Garage.owner, "")
    )
    defer { garage.remove() }
    let plan = try garage.migrate("--plan")
    #expect(plan.status == 1)
    #expect(plan.output.contains("unclear: Person.cars: ") && !plan.output.contains("lost: "))
    // A car has one owner, so that the column in its row has room for the link.
    let members = "SELECT COUNT(*) FROM ZCAR WHERE ZOWNER IS NOT NULL"
    let count = try Process.sqlite(garage.store, members)
    let kept = try garage.migrate()
    #expect(kept.status == 0, "\(kept.errors)")
    let column = try Process.sqlite(
      garage.store,
      "SELECT name FROM pragma_table_info('ZCAR') WHERE name LIKE '%CARS'"
    ).trimmingCharacters(in: .newlines)
    #expect(
      try Process.sqlite(garage.store, members.replacing("ZOWNER", with: column)) == count
    )
  }

  @Test("a migration that loses links is refused with the objects, and --allow-loss permits it")
  func lostLinks() throws {
    let toOne = Garage.owner.replacing(#" inverseName="cars" inverseEntity="Person""#, with: "")
    let garage = try Garage((Garage.cars, ""), (Garage.owner, toOne))
    defer { garage.remove() }
    #expect(try garage.migrate().status == 0)
    // Several cars have one owner, and the column in the owner's row has room for one car.
    let toMany = toOne.replacing(#" maxCount="1""#, with: #" toMany="YES""#)
    let contents = URL(fileURLWithPath: garage.model)
      .appendingPathComponent("Cars 2.xcdatamodel/contents")
    let xml = try String(contentsOf: contents, encoding: .utf8).replacing(toOne, with: toMany)
    let later = garage.fixtures.folder.appendingPathComponent("Later.contents")
    try Data(xml.utf8).write(to: later)
    let before = try garage.state()
    let refused = try Command.run("migrate", garage.store, later.path)
    #expect(refused.status == 2)
    #expect(refused.errors.contains("Car/p") && refused.errors.contains(".owner: lost Person/p"))
    #expect(try garage.state() == before)
    #expect(try Command.run("migrate", garage.store, later.path, "--allow-loss").status == 0)
  }

  @Test("--check fails for a released version that was edited, and --update writes the file")
  func check() throws {
    let garage = try Garage((Garage.model, Garage.model + Garage.doors))
    defer { garage.remove() }
    let file = garage.fixtures.folder.appendingPathComponent("released.json").path
    let missing = try Command.run("migrate", garage.model, "--check", file)
    #expect(missing.status == 2 && missing.errors.contains("Pass --update"))
    #expect(try Command.run("migrate", garage.model, "--check", file, "--update").status == 0)
    let fine = try Command.run("migrate", garage.model, "--check", file)
    #expect(fine.status == 0 && fine.output == "")
    let contents = URL(fileURLWithPath: garage.model)
      .appendingPathComponent("Cars.xcdatamodel/contents")
    let xml = try String(contentsOf: contents, encoding: .utf8)
    try Data(xml.replacingOccurrences(of: Garage.model, with: "").utf8).write(to: contents)
    let edited = try Command.run("migrate", garage.model, "--check", file)
    #expect(edited.status == 1)
    #expect(edited.output.contains("Cars: Car: the entity was edited after the release"))
    let json = try Command.run("migrate", garage.model, "--check", file, "--json")
    #expect(json.status == 1 && json.output.contains("\"version\":\"Cars\""))
    let update = try Command.run("migrate", garage.model, "--check", file, "--update")
    #expect(update.status == 0)
    #expect(
      update.errors.contains("approved: Cars: Car: the entity was edited after the release")
    )
  }

  @Test("--update replaces a list that is damaged, and no other file")
  func damagedList() throws {
    let garage = try Garage()
    defer { garage.remove() }
    let file = garage.fixtures.folder.appendingPathComponent("released.json")
    #expect(try Command.run("migrate", garage.model, "--check", file.path, "--update").status == 0)
    let list = try Data(contentsOf: file)
    for damage in [Data("<<<<<<< HEAD\n".utf8) + list, Data()] {
      try damage.write(to: file)
      #expect(try Command.run("migrate", garage.model, "--check", file.path).status == 2)
      let update = try Command.run("migrate", garage.model, "--check", file.path, "--update")
      #expect(update.status == 0 && update.errors.contains("the former list cannot be read"))
      #expect(try Data(contentsOf: file) == list)
    }
    let other = Data("# Notes about releases".utf8)
    try other.write(to: file)
    let refused = try Command.run("migrate", garage.model, "--check", file.path, "--update")
    #expect(refused.status == 2 && refused.errors.contains("is not a list of released versions"))
    #expect(try Data(contentsOf: file) == other)
  }

  @Test("options that have no effect together are refused, exit code 64")
  func combinations() throws {
    for options in [
      ["s", "m", "--plan", "--rehearse"], ["s", "m", "--plan", "--no-backup"], ["s"],
      ["s", "m", "--update"], ["s", "m", "--check", "f"], ["s", "--check", "f", "--plan"],
      ["s", "m", "--rehearse", "--allow-loss"], ["s", "m", "--plan", "--allow-older"],
      ["s", "--check", "f", "--allow-older"], ["s", "--check", "f", "--infer"],
      ["s", "--check", "f", "--from", "m"], ["s", "m", "--infer", "--mapping", "f"],
    ] {
      #expect(try Command.run(["migrate"] + options).status == 64, "\(options)")
    }
  }

  @Test("a store or model that is missing is named, exit code 2")
  func missing() throws {
    let garage = try Garage()
    defer { garage.remove() }
    let store = try Command.run("migrate", garage.store + "x", garage.model)
    #expect(store.status == 2 && store.errors.contains("Cars.sqlitex"))
    let model = try Command.run("migrate", garage.store, garage.model + "x", "--plan")
    #expect(model.status == 2 && model.errors.contains("Cars.xcdatamodeldx"))
    let version = try garage.migrate("--to", "Cars 3")
    #expect(version.status == 2 && version.errors.contains("no version “Cars 3”"))
  }
}
