// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite(
  "What coredata migrate reports",
  .enabled(if: Fixtures.areComparable, "no shared folder or no sqlite3"),
  .needsCommand
)
struct MigrateResultTests {
  private func rows(_ outcome: Command.Outcome) throws -> [[String: Any]] {
    try #require(
      try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]]
    )
  }

  @Test("-q prints what was lost and where the backup is")
  func quiet() throws {
    let garage = try Garage((Garage.model, ""))
    defer { garage.remove() }
    let outcome = try garage.migrate("-q", "--allow-loss")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("backup: \(garage.store).backup"))
    #expect(outcome.output.contains("lost: Car.model: the new model lacks the attribute, and 125"))
    #expect(!outcome.output.contains("migrated from"))
    #expect(!outcome.output.contains("ZCAR"), "\(outcome.output)")
    let older = try garage.migrate("-q", "--plan", "--to", "Cars")
    #expect(older.status == 1 && !older.output.contains("ZCAR"))
    #expect(older.output.contains("older: Cars"), "\(older.output)")
  }

  @Test("the hint of a refused loss names the backup, unless --no-backup is passed")
  func backupHint() throws {
    let garage = try Garage((Garage.model, ""))
    defer { garage.remove() }
    let refused = try garage.migrate()
    #expect(refused.status == 2)
    #expect(
      refused.errors.contains(
        "Pass --allow-loss to migrate anyway. The backup keeps the lost data."
      )
    )
    let unsaved = try garage.migrate("--no-backup")
    #expect(unsaved.status == 2 && unsaved.errors.contains("Omit --no-backup"))
  }

  @Test("a store that is passed as the model is refused")
  func sameFile() throws {
    let garage = try Garage()
    defer { garage.remove() }
    for options in [[], ["--plan"]] {
      let outcome = try Command.run(["migrate", garage.store, garage.store] + options)
      #expect(outcome.status == 2 && outcome.errors.contains("also passed as the model"))
    }
  }

  @Test("a folder that is not a model is named as one")
  func folder() throws {
    let garage = try Garage()
    defer { garage.remove() }
    let renamed = garage.fixtures.folder.appendingPathComponent("Cars.models")
    try FileManager.default.moveItem(at: URL(fileURLWithPath: garage.model), to: renamed)
    let folders = [renamed.path, garage.fixtures.folder.path]
    for folder in folders {
      let outcome = try Command.run("migrate", garage.store, folder, "--plan")
      #expect(outcome.status == 2 && !outcome.errors.contains("256"), "\(outcome.errors)")
      #expect(outcome.errors.contains("this is a folder, but a model is an .xcdatamodeld"))
    }
  }

  @Test("--from names the model that created the store, and its absence is explained line by line")
  func from() throws {
    let garage = try Garage((Garage.model, Garage.model + Garage.doors))
    defer { garage.remove() }
    _ = try Process.sqlite(garage.store, "DROP TABLE IF EXISTS Z_MODELCACHE")
    let (first, second) = ("Cars.xcdatamodel", "Cars 2.xcdatamodel")
    let lone = garage.fixtures.folder.appendingPathComponent("Lone.contents")
    try FileManager.default.copyItem(
      at: URL(fileURLWithPath: "\(garage.model)/\(second)/contents"),
      to: lone
    )
    let refused = try Command.run("migrate", garage.store, lone.path, "--plan")
    #expect(refused.status == 2 && refused.errors.contains("differs from the store:\n    Car"))
    #expect(refused.errors.contains("Pass --from with the version that created the store"))
    let old = "\(garage.model)/\(first)"
    let plan = try Command.run("migrate", garage.store, lone.path, "--from", old, "--plan")
    #expect(plan.status == 0, "\(plan.errors)")
    #expect(plan.output.contains("migration from “Cars” to “Lone”"), "\(plan.output)")
    let wrong = try Command.run("migrate", garage.store, lone.path, "--from", lone.path, "--plan")
    #expect(wrong.status == 2 && wrong.errors.contains("was not found"))
  }

  /// The exit codes of a plan, a rehearsal, a migration, and a migration with the options that allow everything.
  @Test("the exit codes are those of the table in the help")
  func exitCodes() throws {
    let mandatory = #"<relationship name="inspector" maxCount="1" destinationEntity="Person"/>"#
    let unique = #"<constraint value="numberPlate"/>"#
    let twice =
      unique + #"</uniquenessConstraint><uniquenessConstraint><constraint value="maker"/>"#
    let date = #"<attribute name="maker" optional="YES" attributeType="Date"/>"#
    let changes: [(name: String, from: String, to: String, codes: [Int32])] = [
      ("nothing lost", Garage.model, Garage.model + Garage.doors, [0, 0, 0, 0]),
      ("lost", Garage.model, "", [1, 1, 2, 0]),
      ("invalid", Garage.model, Garage.model + mandatory, [1, 1, 2, 0]),
      ("cannot be inferred", Garage.maker, date, [1, 1, 2, 2]),
      ("refused", unique, twice, [1, 1, 2, 2]),
    ]
    for change in changes {
      let garage = try Garage((change.from, change.to))
      defer { garage.remove() }
      let kept = garage.fixtures.folder.appendingPathComponent("kept.sqlite")
      try FileManager.default.copyItem(at: URL(fileURLWithPath: garage.store), to: kept)
      let modes = [["--plan"], ["--rehearse"], [], ["--allow-loss", "--allow-older"]]
      for (options, code) in zip(modes, change.codes) {
        for suffix in ["-wal", "-shm"] { unlink(garage.store + suffix) }
        try Data(contentsOf: kept).write(to: URL(fileURLWithPath: garage.store))
        let outcome = try Command.run(["migrate", garage.store, garage.model] + options)
        #expect(outcome.status == code, "\(change.name) \(options): \(outcome.errors)")
      }
      let missing = try garage.migrate("--plan", "--to", "Cars 9")
      #expect(missing.status == 2)
    }
  }

  @Test("the rows of a plan, a rehearsal and a migration have the same names and kinds")
  func vocabulary() throws {
    let garage = try Garage((Garage.model, ""))
    defer { garage.remove() }
    let plan = try rows(garage.migrate("--plan", "--json"))
    let rehearsal = try rows(garage.migrate("--rehearse", "--json"))
    let run = try rows(garage.migrate("--allow-loss", "--json"))
    #expect(Set(plan.map { $0.keys.sorted() }) == Set(run.map { $0.keys.sorted() }))
    let keys = Set(plan.flatMap(\.keys))
    #expect(keys == ["kind", "what", "rows", "seconds", "details", "examples"])
    #expect(Set(rehearsal.flatMap(\.keys)).isSuperset(of: keys))
    for rows in [plan, rehearsal, run] {
      let lost = try #require(rows.first { $0["kind"] as? String == "lost" })
      #expect(lost["what"] as? String == "Car.model" && lost["rows"] as? Int == 125)
    }
    func steps(_ rows: [[String: Any]]) -> [String] {
      rows.filter { $0["kind"] as? String == "step" }.compactMap { $0["what"] as? String }
    }
    #expect(steps(plan) == steps(run) && !steps(run).isEmpty)
    let backup = try #require(run.last)
    #expect(backup["kind"] as? String == "backup")
    #expect(backup["what"] as? String == "\(garage.store).backup")
  }

  @Test("a migration that fails removes its backup, because the store is unchanged, and says so")
  func failed() throws {
    let garage = try Garage((Garage.model, Garage.model + Garage.doors))
    defer { garage.remove() }
    let trigger =
      "CREATE TRIGGER stop BEFORE DELETE ON Z_PRIMARYKEY BEGIN SELECT RAISE(ABORT, 'stopped'); END"
    _ = try Process.sqlite(garage.store, trigger)
    let before = try garage.state().keys.sorted()
    let outcome = try garage.migrate()
    #expect(outcome.status == 2 && outcome.errors.contains("stopped"), "\(outcome.errors)")
    #expect(outcome.errors.contains("the backup \(garage.store).backup was removed"))
    #expect(try garage.state().keys.sorted() == before)
    #expect(try garage.migrate("--plan").output.contains("ZCAR: add column ZDOORS"))
    let unsaved = try garage.migrate("--no-backup")
    #expect(unsaved.status == 2 && unsaved.errors.contains("Nothing was migrated."))
  }

  @Test("a store of a newer version is not migrated to an older one without --allow-older")
  func older() throws {
    let garage = try Garage((Garage.model, Garage.model + Garage.doors))
    defer { garage.remove() }
    #expect(try garage.migrate("--no-backup").status == 0)
    let before = try garage.state()
    let line = "older: Cars: the version is older than the store's version (“Cars 2”)"
    let plan = try garage.migrate("--to", "Cars", "--plan")
    #expect(plan.status == 1 && plan.output.contains(line), "\(plan.output)")
    let rehearsal = try garage.migrate("--to", "Cars", "--rehearse")
    #expect(rehearsal.status == 1 && rehearsal.output.contains(line), "\(rehearsal.output)")
    for options in [[], ["--allow-loss"]] {
      let refused = try Command.run(
        ["migrate", garage.store, garage.model, "--to", "Cars"] + options
      )
      #expect(refused.status == 2 && refused.errors.contains(line), "\(refused.errors)")
      #expect(refused.errors.contains("Pass --allow-older"))
    }
    #expect(try garage.state() == before)
    let outcome = try garage.migrate("--to", "Cars", "--allow-older", "--allow-loss", "-q")
    #expect(outcome.status == 0 && outcome.output.contains(line), "\(outcome.errors)")
  }

  @Test("a version that the model does not have is a warning")
  func unknownVersion() throws {
    let garage = try Garage((Garage.model, Garage.model + Garage.doors))
    defer { garage.remove() }
    let contents = URL(fileURLWithPath: garage.model)
      .appendingPathComponent("Cars.xcdatamodel/contents")
    let xml = try String(contentsOf: contents, encoding: .utf8)
    try Data(xml.replacing(Garage.maker, with: "").utf8).write(to: contents)
    let plan = try garage.migrate("--plan")
    #expect(plan.status == 0)
    let line = "warning: Cars 2: the version that created the store is not one of the 2 versions"
    #expect(plan.output.contains(line), "\(plan.output)")
  }

  @Test("--check refuses a store")
  func checkedStore() throws {
    let garage = try Garage()
    defer { garage.remove() }
    let file = garage.fixtures.folder.appendingPathComponent("released.json").path
    for options in [[], ["--update"]] {
      let outcome = try Command.run(["migrate", garage.store, "--check", file] + options)
      #expect(outcome.status == 2 && outcome.errors.contains("the file is a store"))
      #expect(!FileManager.default.fileExists(atPath: file))
    }
  }
}
