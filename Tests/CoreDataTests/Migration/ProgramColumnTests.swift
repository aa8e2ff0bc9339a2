// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataModel

/// Columns that a program has added to the tables of its model with SQL, in a migration of the store.
@Suite("Columns of the program in a migrated table")
struct ProgramColumnTests {
  private static let text = #"optional="YES" attributeType="String""#

  private static func entity(_ name: String, _ body: String, _ more: String = "") -> String {
    "<entity name=\"\(name)\" \(more)>\(body)</entity>"
  }

  private static func attributes(_ names: String...) -> String {
    names.map { "<attribute name=\"\($0)\" \(text)/>" }.joined()
  }

  private static func many(
    _ name: String,
    _ to: String,
    _ inverse: String,
    _ more: String = ""
  )
    -> String
  {
    "<relationship name=\"\(name)\" optional=\"YES\" toMany=\"YES\" deletionRule=\"Nullify\" "
      + "destinationEntity=\"\(to)\" inverseName=\"\(inverse)\" inverseEntity=\"\(to)\" \(more)/>"
  }

  /// Makes a store with three objects of each entity, changes it with SQL, and migrates it.
  private func migrated(_ old: String, _ sql: String, _ new: String) throws -> SQLFile {
    let file = try store(old, sql)
    try file.migrate(to: InferredMigrationTests.draft(new))
    _ = try file.content(InferredMigrationTests.draft(new))
    let copy = SQLFile(
      url: FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    )
    try FileManager.default.moveItem(at: file.url, to: copy.url)
    return copy
  }

  private func store(_ old: String, _ sql: String) throws -> MigratedFile {
    let draft = try InferredMigrationTests.draft(old)
    let file = try MigratedFile()
    try file.open(draft) { context, _ in
      for entity in draft.entities {
        for number in 1...3 {
          let object = NSEntityDescription.insertNewObject(
            forEntityName: entity.name,
            into: context
          )
          for name in object.entity.attributesByName.keys {
            object.setValue("\(name)\(number)", forKey: name)
          }
          for (name, relationship) in object.entity.relationshipsByName where relationship.isToMany
          {
            let request = NSFetchRequest<NSManagedObject>(
              entityName: relationship.destinationEntity?.name ?? ""
            )
            let others = try context.fetch(request)
            object.setValue(
              relationship.isOrdered ? NSOrderedSet(array: others) : NSSet(array: others),
              forKey: name
            )
          }
        }
      }
      try context.save()
    }
    try SQLFile(url: file.url).run(sql)
    return file
  }

  @Test(
    "A table that is copied keeps the columns of the program, with their values and constraints"
  )
  func copied() throws {
    // The constraint of the table is the reason for the copy.
    let file = try migrated(
      Self.entity("Team", Self.attributes("a", "b", "c")),
      """
      CREATE TABLE T (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZA VARCHAR, ZB VARCHAR,
        ZC VARCHAR, CONSTRAINT ZA UNIQUE (ZA));
      INSERT INTO T SELECT Z_PK, Z_ENT, Z_OPT, ZA, ZB, ZC FROM ZTEAM; DROP TABLE ZTEAM;
      ALTER TABLE T RENAME TO ZTEAM;
      ALTER TABLE ZTEAM ADD COLUMN SCORE INTEGER DEFAULT 1 CHECK (SCORE > 0);
      ALTER TABLE ZTEAM ADD COLUMN "my note" TEXT;
      ALTER TABLE ZTEAM ADD COLUMN TWICE INTEGER GENERATED ALWAYS AS (SCORE * 2) VIRTUAL;
      UPDATE ZTEAM SET SCORE = Z_PK * 10, "my note" = 'n' || Z_PK;
      """,
      Self.entity("Team", Self.attributes("a"))
    )
    let values = try file.texts("SELECT SCORE || \"my note\" || TWICE FROM ZTEAM ORDER BY Z_PK")
    #expect(values == ["10n120", "20n240", "30n360"])
    #expect(throws: SQLFile.Failure.self) { try file.run("UPDATE ZTEAM SET SCORE = 0") }
    #expect(try file.texts("SELECT name FROM pragma_table_info('ZTEAM') WHERE name = 'ZB'") == [])
  }

  @Test("Rows that move to another table take the values of the program's columns with them")
  func moved() throws {
    let file = try migrated(
      Self.entity("Team", Self.attributes("a")) + Self.entity("Club", "", #"parentEntity="Team""#),
      "ALTER TABLE ZTEAM ADD COLUMN SCORE INTEGER; UPDATE ZTEAM SET SCORE = Z_PK * 10;",
      Self.entity("Team", Self.attributes("a")) + Self.entity("Club", Self.attributes("a"))
    )
    let all = ["ZTEAM", "ZCLUB"].map { "SELECT Z_PK, SCORE FROM \($0)" }.joined(
      separator: " UNION "
    )
    #expect(try file.count("SELECT COUNT(*) FROM (\(all)) WHERE SCORE = Z_PK * 10") == 6)
    #expect(try file.count("SELECT COUNT(*) FROM ZCLUB") == 3)
  }

  @Test("A column of the program whose name a new attribute needs is kept under another name")
  func renamed() throws {
    for body in [Self.attributes("a", "city"), Self.attributes("city")] {
      let file = try migrated(
        Self.entity("Team", Self.attributes("a", "b", "c")),
        "ALTER TABLE ZTEAM ADD COLUMN ZCITY TEXT; UPDATE ZTEAM SET ZCITY = 'x';",
        Self.entity("Team", body)
      )
      #expect(try file.texts("SELECT ZCITY_OLD FROM ZTEAM") == ["x", "x", "x"])
      #expect(try file.count("SELECT COUNT(*) FROM ZTEAM WHERE ZCITY IS NULL") == 3)
    }
  }

  @Test("A join table keeps the columns of the program, altered or copied", arguments: ["", "o"])
  func join(_ order: String) throws {
    func model(_ more: String, _ ordered: String = "") -> String {
      Self.entity("Aunt", Self.attributes("a") + Self.many("teams", "Team", "aunts", ordered))
        + Self.entity("Team", Self.many("aunts", "Aunt", "teams")) + more
    }
    let file = try migrated(
      model(""),
      "ALTER TABLE Z_1TEAMS ADD COLUMN SINCE INTEGER; UPDATE Z_1TEAMS SET SINCE = Z_1AUNTS * 10;",
      // The new entity changes the numbers in the names of the columns.
      model(Self.entity("Aa", ""), order.isEmpty ? "" : #"ordered="YES""#)
    )
    let count = try file.count("SELECT COUNT(*) FROM Z_2TEAMS")
    #expect(count > 0)
    #expect(try file.count("SELECT COUNT(*) FROM Z_2TEAMS WHERE SINCE = Z_2AUNTS * 10") == count)
  }

  @Test("The plan names a column of the program whose table the migration drops")
  func lost() throws {
    let old =
      Self.entity("Aunt", Self.attributes("a") + Self.many("teams", "Team", "aunts"))
      + Self.entity("Team", Self.many("aunts", "Aunt", "teams"))
    let file = try store(
      old,
      "ALTER TABLE Z_1TEAMS ADD COLUMN SINCE INTEGER; UPDATE Z_1TEAMS SET SINCE = 1;"
    )
    let new = try InferredMigrationTests.draft(
      Self.entity("Aunt", Self.attributes("a")) + Self.entity("Team", Self.attributes("b"))
    )
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: .tools(new))
    let plan = try #require(try coordinator.migrationPlan(forStoreAt: file.url))
    let loss = try #require(plan.losses.first { $0.place == "Z_1TEAMS.SINCE" })
    #expect(loss.reason.contains("no model describes the column") && loss.count > 0)
  }

  @Test("A table of the program with the name of a new table is named in the error")
  func table() throws {
    let file = try store(
      Self.entity("Team", ""),
      "CREATE TABLE ZCUP (x); INSERT INTO ZCUP VALUES (1);"
    )
    let new = try InferredMigrationTests.draft(Self.entity("Team", "") + Self.entity("Cup", ""))
    let error = #expect(throws: NSError.self) { try file.migrate(to: new) }
    #expect(error?.code == NSMigrationError)
    let reason = error?.localizedFailureReason ?? ""
    #expect(reason.contains("a table ZCUP"), "\(reason)")
    #expect(try SQLFile(url: file.url).texts("SELECT x FROM ZCUP") == ["1"])
  }

  @Test("The plan with a mapping model names the columns of the program, which it cannot keep")
  func mappingModel() throws {
    let migration = try NotesMigration()
    try migration.fill(4)
    let file = SQLFile(url: migration.sourceURL)
    try file.run("ALTER TABLE ZNOTE ADD COLUMN SCORE INTEGER; UPDATE ZNOTE SET SCORE = 1;")
    let forecast = try MappingForecast(
      migration.mapping,
      from: migration.source,
      to: migration.destination,
      store: migration.sourceURL
    ).forecast
    let loss = try #require(forecast.losses.first { $0.place == "ZNOTE.SCORE" })
    #expect(loss.count == 4 && loss.text.contains("does not copy such columns"))
  }
}
