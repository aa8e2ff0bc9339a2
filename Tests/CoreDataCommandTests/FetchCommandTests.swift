// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite(
  "coredata fetch",
  .enabled(if: Fixtures.areComparable, "no shared folder or no sqlite3"),
  .needsCommand
)
struct FetchCommandTests {
  @Test("fetch reads a log that was left behind, and leaves no trace")
  func fetchLeavesNoTrace() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let store = try fixtures.store(Fixtures.journal)
    let model = try fixtures.model(Fixtures.journalModel)
    let before = try fixtures.state()
    let outcome = try Command.run(
      "fetch",
      store,
      "JournalEntry",
      "--model",
      model,
      "--predicate",
      "rating = 5",
      "--count"
    )
    #expect(outcome.errors == "")
    #expect(outcome.status == 0)
    #expect(try fixtures.state() == before)
    let sql = try Process.sqlite(store, "SELECT COUNT(*) FROM ZJOURNALENTRY WHERE ZRATING = 5")
    #expect(outcome.output == sql)
  }

  @Test("fetch shows sub-entities, key paths, sizes of to-manys and ISO dates in all forms")
  func fetchForms() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let store = try fixtures.store(Fixtures.cars)
    let model = try fixtures.model(Fixtures.carsModel)
    let json = try Command.run(
      "fetch",
      store,
      "Car",
      "--model",
      model,
      "--sort",
      "-numberPlate",
      "--limit",
      "3",
      "--json"
    )
    let rows = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
    #expect(rows?.count == 3)
    let plates = (rows ?? []).compactMap { $0["numberPlate"] as? String }
    #expect(plates.count == 3 && plates == plates.sorted().reversed())
    #expect(rows?.allSatisfy { ($0["id"] as? String)?.contains("Car/p") == true } == true)
    let csv = try Command.run(
      "fetch",
      store,
      "Person",
      "--model",
      model,
      "--keypaths",
      "firstName,cars.@count,cars.maker",
      "--sort",
      "firstName,lastName",
      "--limit",
      "2",
      "--csv"
    )
    #expect(csv.output.hasPrefix("firstName,cars.@count,cars.maker\n"))
    #expect(csv.output.split(separator: "\n").count == 3)
  }

  @Test("what a condition cannot be evaluated on is said in words")
  func conditionOfOtherKinds() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let store = try fixtures.store(Fixtures.cars)
    for condition in ["maker > 3", "maker MATCHES '('"] {
      let outcome = try Command.run("fetch", store, "Car", "-p", condition)
      #expect(outcome.status == 2)
      #expect(!outcome.errors.contains("EvaluationError"), "\(outcome.errors)")
    }
  }

  @Test("an attribute called id is not hidden by the object's own")
  func attributeNamedID() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let store = try fixtures.store(
      "richardpiazza__TranslationCatalog__test_multi_language_core_data_v3.sqlite"
    )
    let all = try Command.run("fetch", store, "ProjectEntity", "--csv", "-l", "1")
    let head = all.output.split(separator: "\n")[0].split(separator: ",")
    #expect(head.first == "$id" && head.contains("id") && Set(head).count == head.count)
    let own = try Command.run("fetch", store, "ProjectEntity", "-k", "id,$id", "--csv", "-l", "1")
    let fields = own.output.split(separator: "\n")[1].split(separator: ",").map(String.init)
    #expect(UUID(uuidString: fields[0]) != nil && fields[1].hasPrefix("ProjectEntity/p"))
  }

  @Test("an entity is found by the name that it had before, as inspect shows it")
  func renamedEntity() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let store = try fixtures.store(Fixtures.cars)
    #expect(try Command.run("inspect", store).output.contains("ExpensiveSportCar"))
    let old = try Command.run("fetch", store, "ExpensiveSportCar", "--csv")
    #expect(old.status == 0 && old.output.split(separator: "\n").count == 6)
    #expect(try Command.run("fetch", store, "LuxuryCar", "--csv").output == old.output)
  }

  @Test("fetch without an entity lists the entities with the number of their objects")
  func fetchWithoutEntity() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let store = try fixtures.store(Fixtures.cars)
    let listed = try Command.run("fetch", store, "--csv")
    #expect(listed.output == "entity,objects\nCar,125\nSportCar,10\nLuxuryCar,5\nPerson,20\n")
    #expect(try Command.run("fetch", store, "--csv", "--exact").output.contains("\nCar,115\n"))
  }

  @Test("dates in conditions are written as fetch shows them, and CAST understands them")
  func datesInConditions() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let store = try fixtures.store(Fixtures.journal)
    let model = try fixtures.model(Fixtures.journalModel)
    func count(_ condition: String) throws -> Command.Outcome {
      try Command.run("fetch", store, "JournalEntry", "--model", model, "-p", condition, "--count")
    }
    // 2006-01-01 and 2007-01-01 as seconds since 2001.
    let after = try Process.sqlite(
      store,
      "SELECT COUNT(*) FROM ZJOURNALENTRY WHERE ZDATE > 157766400"
    )
    let year = try Process.sqlite(
      store,
      "SELECT COUNT(*) FROM ZJOURNALENTRY WHERE ZDATE BETWEEN 157766400 AND 189302400"
    )
    #expect(after != "0\n" && year != "0\n" && after != year)
    for condition in [
      #"date > "2006-01-01""#, #""2006-01-01T00:00:00Z" < date"#,
      #"date > CAST("2006-01-01", "NSDate")"#, #"NOT (date <= "2006-01-01T01:00:00+01:00")"#,
    ] {
      let outcome = try count(condition)
      #expect(outcome.output == after, "\(condition): \(outcome.errors)")
    }
    #expect(try count(#"date BETWEEN {"2006-01-01", "2007-01-01"}"#).output == year)
    let odd = try count(#"date > "2006-02-30""#)
    #expect(odd.status == 2 && odd.errors.contains("“2006-02-30” is not a date"))
    let texts = try count(#"location BEGINSWITH "2006-01-01""#)
    #expect(texts.output == "0\n")
    let explained = try Command.run(
      "explain",
      store,
      "JournalEntry",
      "--model",
      model,
      "-p",
      #"date > "2006-01-01""#
    )
    #expect(explained.output.contains("value 1: 157766400"))
  }

  @Test("groups are counted, sorted by their keys or their number, and cut")
  func groups() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let store = try fixtures.store(Fixtures.cars)
    let sql = try Process.sqlite(
      store,
      "SELECT ZMAKER || ',' || COUNT(*) FROM ZCAR GROUP BY ZMAKER ORDER BY COUNT(*) DESC, ZMAKER"
    )
    let all = try Command.run("fetch", store, "Car", "-g", "maker", "-s", "-count", "--csv")
    #expect(all.errors == "" && all.output == "maker,count\n" + sql)
    let lines = sql.split(separator: "\n")
    let cut = try Command.run(
      ["fetch", store, "Car", "-g", "maker", "-s", "-count", "--csv", "--offset", "1", "-l", "2"]
    )
    #expect(cut.output == "maker,count\n\(lines[1])\n\(lines[2])\n")
    let owners = try Command.run(
      ["fetch", store, "Car", "-g", "owner", "-p", "owner.lastName == 'Stone'", "--ndjson"]
    )
    #expect(owners.output == #"{"owner":"Person/p17","count":100}"# + "\n")
    let odd = try Command.run("fetch", store, "Car", "-g", "makr")
    #expect(odd.status == 2 && odd.errors.contains("did you mean “maker”?"))
    let sort = try Command.run("fetch", store, "Car", "-g", "maker", "-s", "model")
    #expect(sort.status == 2 && sort.errors.contains("groups cannot be sorted by “model”"))
    #expect(try Command.run("fetch", store, "Car", "-g", "maker", "--count").status == 64)
  }

  @Test("objects in conditions are named by the IDs that fetch shows")
  func namedObjects() throws {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let store = try fixtures.store(Fixtures.cars)
    func fetch(_ entity: String, _ condition: String) throws -> Command.Outcome {
      try Command.run("fetch", store, entity, "-p", condition, "-k", "id", "--csv")
    }
    #expect(try fetch("Person", "SELF == 'Person/p16'").output == "id\nPerson/p16\n")
    #expect(try fetch("Person", "SELF IN {'Person/p16', 'Person/p14'}").output.count == 25)
    let sql = try Process.sqlite(store, "SELECT COUNT(*) FROM ZCAR WHERE ZOWNER = 16")
    let cars = try Command.run("fetch", store, "Car", "-p", "owner == 'Person/p16'", "--count")
    #expect(cars.output == sql && sql != "0\n")
    let others = try Command.run("fetch", store, "Car", "-p", "owner != 'Person/p16'", "--count")
    #expect(Int(others.output.dropLast()) == 115 + 5 + 5 - (Int(sql.dropLast()) ?? 0))
    let odd = try fetch("Person", "SELF == 'Theodora'")
    #expect(odd.status == 2 && odd.errors.contains("“Theodora” is not an object ID"))
    #expect(odd.errors.contains("such as 'Person/p1'"))
    #expect(try fetch("Person", "SELF == 'Persn/p1'").errors.contains("did you mean “Person”?"))
  }
}
