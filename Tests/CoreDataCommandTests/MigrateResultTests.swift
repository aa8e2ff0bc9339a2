// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite(
  "What coredata migrate reports",
  .enabled(if: Fixtures.areComparable, "no shared folder or no sqlite3")
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
      #expect(outcome.status == 2 && outcome.errors.contains("this is a store"))
      #expect(!FileManager.default.fileExists(atPath: file))
    }
  }
}
