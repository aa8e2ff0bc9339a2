// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// What SQL debugging prints, level by level.
@Suite struct SQLDebugTests {
  /// A stack whose statements are written to a turnstile, and one book that is stored.
  private static func stack(
    _ level: Int,
    _ lines: Turnstile
  ) throws -> (NSPersistentContainer, NSManagedObjectContext) {
    let container = NSPersistentContainer(name: "Library", managedObjectModel: Library.model())
    let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
    description.setOption(SQLDebugLog(level: level) { lines.note($0) }, forKey: SQLDebugLogOption)
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    let context = container.newBackgroundContext()
    let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
    book.setValue("L'île ?", forKey: "title")
    book.setValue(12, forKey: "pages")
    try context.save()
    return (container, context)
  }

  /// The lines of a fetch by title in a context of its own.
  private static func fetch(_ level: Int) throws -> [String] {
    let lines = Turnstile()
    let (container, _) = try stack(level, lines)
    let before = lines.events.count
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = NSPredicate(format: "title == %@ AND pages > 3", "L'île ?")
    #expect(try container.newBackgroundContext().fetch(request).count == 1)
    return Array(lines.events[before...])
  }

  private static func kinds(_ lines: [String]) -> [String] {
    lines.map { line in
      let words = line.split(separator: " ", maxSplits: 3)
      return words[1] == "sql:" ? "sql" : "\(words[1]) \(words[2])"
    }
  }

  @Test func theFirstLevelTellsStatementRowsAndTime() throws {
    let lines = try Self.fetch(1)
    #expect(
      Self.kinds(lines) == ["sql", "annotation: sql", "annotation: total"],
      "\(lines.joined(separator: "\n"))"
    )
    #expect(lines[0].hasPrefix("CoreData: sql: SELECT ") && lines[0].contains("FROM ZBOOK"))
    #expect(!lines[0].contains("île"), "values belong to level 2")
    let time = #/CoreData: annotation: sql connection fetch time: \d+\.\d{4}s for 1 rows\./#
    #expect(lines[1].wholeMatch(of: time) != nil, "\(lines[1])")
    let total = #/CoreData: annotation: total fetch execution time: \d+\.\d{4}s for 1 rows\./#
    #expect(lines[2].wholeMatch(of: total) != nil, "\(lines[2])")
  }

  @Test func theSecondLevelTellsTheBoundValuesToo() throws {
    let lines = try Self.fetch(2)
    let values = lines.filter { $0.hasPrefix("CoreData: details: SQLite bind[") }
    #expect(
      values.map { $0.drop { $0 != "=" }.dropFirst(2) }.sorted() == ["'L''île ?'", "3"],
      "\(values)"
    )
  }

  @Test func theThirdLevelTellsThePlanToo() throws {
    let lines = try Self.fetch(3)
    #expect(lines.contains { $0.hasPrefix("CoreData: details: query plan: SCAN") })
    #expect(!lines.contains { $0.contains("EXPLAIN") })
  }

  @Test func theFourthLevelTellsTheEnginesCountersAndLongValuesInFull() throws {
    #expect(try Self.fetch(4).contains { $0.contains("details: SQLite steps = ") })
    let long = String(repeating: "long ", count: 100)
    for (level, isWhole) in [(2, false), (4, true)] {
      let lines = Turnstile()
      let (_, context) = try Self.stack(level, lines)
      let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
      tag.setValue(long, forKey: "name")
      try context.save()
      let line = lines.events.first { $0.contains("long long") }
      #expect(line?.contains(long) == isWhole)
      #expect(line?.contains("bytes)") == !isWhole)
    }
  }

  @Test func writesAreToldRowByRow() throws {
    let lines = Turnstile()
    let (_, context) = try Self.stack(1, lines)
    let before = lines.events.count
    for _ in 0..<3 { _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context) }
    try context.save()
    let inserts = lines.events[before...].filter { $0.contains("sql: INSERT INTO ZTAG") }
    #expect(inserts.count == 3)
    #expect(lines.events.contains { $0.hasSuffix("for 1 changed rows.") })
  }

  @Test func levelZeroIsSilent() throws {
    #expect(try Self.fetch(0).isEmpty)
  }

  @Test func theLaunchArgumentPrintsToTheStandardError() throws {
    let result = try LaunchedProgram.run(["-com.apple.CoreData.SQLDebug", "2"])
    #expect(result.status == 0)
    #expect(result.standardError.contains("CoreData: sql: SELECT "))
    #expect(result.standardError.contains("CoreData: details: SQLite bind["))
    #expect(result.standardError.contains("= 'hello'\n"))
    #expect(!result.standardError.contains("query plan"))
  }

  @Test func theEnvironmentPrintsToTheStandardErrorUnlessTheArgumentSaysNo() throws {
    let environment = ["COREDATA_SQL_DEBUG": "1"]
    let loud = try LaunchedProgram.run([], environment: environment)
    #expect(loud.status == 0)
    #expect(loud.standardError.contains("CoreData: annotation: total fetch execution time: "))
    #expect(!loud.standardError.contains("bind["))
    let quiet = try LaunchedProgram.run(
      ["-com.apple.CoreData.SQLDebug", "0"],
      environment: environment
    )
    #expect(quiet.status == 0 && quiet.standardError.isEmpty)
  }
}
