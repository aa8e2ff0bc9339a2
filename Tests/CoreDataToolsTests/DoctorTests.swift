// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel
import _CoreDataSQL
import _CoreDataSQLite
import _CoreDataTools

struct DoctorTests {
  @Test func aSoundStoreHasNoFindings() throws {
    let library = try Library()
    defer { library.remove() }
    #expect(try library.examine().map(\.text) == [])
  }

  /// One kind of damage: how it is planted, what is found, and what the repair leaves.
  struct Damage: Sendable, CustomTestStringConvertible {
    let check: Finding.Check
    let location: String
    let plant: [String]
    /// A question to the repaired file, and its answer.
    let question: String
    let answer: [[Binding]]
    var testDescription: String { "\(check.rawValue) in \(location)" }
  }

  static let damages = [
    Damage(
      check: .lastKey,
      location: "Book",
      plant: ["UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_NAME = 'Book'"],
      question: "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'",
      answer: [[.integer(4)]]
    ),
    Damage(
      check: .lastKey,
      location: "Tag",
      plant: ["UPDATE Z_PRIMARYKEY SET Z_MAX = -5 WHERE Z_NAME = 'Tag'"],
      question: "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'",
      answer: [[.integer(2)]]
    ),
    Damage(
      check: .lastKey,
      location: "Profile",
      plant: ["UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_NAME = 'Profile'"],
      question: "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Profile'",
      answer: [[.integer(2)]]
    ),
    Damage(
      check: .version,
      location: "Book",
      plant: ["UPDATE ZBOOK SET Z_OPT = NULL WHERE Z_PK = 1"],
      question: "SELECT Z_OPT FROM ZBOOK WHERE Z_PK = 1",
      answer: [[.integer(1)]]
    ),
    Damage(
      check: .dangling,
      location: "Book.editor",
      plant: ["UPDATE ZBOOK SET ZEDITOR = 99 WHERE Z_PK = 1"],
      question:
        "SELECT COUNT(*), MAX(Z_OPT) FROM ZBOOK WHERE ZEDITOR IS NULL AND Z2_EDITOR IS NULL",
      answer: [[.integer(1), .integer(2)]]
    ),
    Damage(
      // The row is there, but it is a reader.
      check: .dangling,
      location: "Book.author",
      plant: [
        "UPDATE ZBOOK SET ZAUTHOR = (SELECT Z_PK FROM ZPERSON WHERE ZNAME = 'Rita') WHERE Z_PK = 1"
      ],
      question: "SELECT COUNT(*) FROM ZBOOK WHERE ZAUTHOR IS NULL AND Z_FOK_AUTHOR IS NULL",
      answer: [[.integer(1)]]
    ),
    Damage(
      check: .companion,
      location: "Book.editor",
      plant: ["UPDATE ZBOOK SET Z2_EDITOR = 3 WHERE Z_PK = 3"],
      question: "SELECT DISTINCT Z2_EDITOR FROM ZBOOK",
      answer: [[.integer(4)]]
    ),
    Damage(
      check: .dangling,
      location: "Tag.books",
      plant: ["INSERT INTO Z_1TAGS SELECT Z_PK, 77 FROM ZBOOK WHERE Z_PK = 1"],
      question: "SELECT COUNT(*) FROM Z_1TAGS",
      answer: [[.integer(8)]]
    ),
    Damage(
      check: .inverse,
      location: "Author.profile",
      plant: [
        "UPDATE ZPROFILE SET ZAUTHOR = (SELECT Z_PK FROM ZPERSON WHERE ZNAME = 'Ben') "
          + "WHERE ZTEXT = 'of Ann'"
      ],
      question: "SELECT p.ZNAME FROM ZPROFILE AS f JOIN ZPERSON AS p ON p.Z_PK = f.ZAUTHOR "
        + "AND p.ZPROFILE = f.Z_PK",
      answer: [[.text("Ben")]]
    ),
    Damage(
      check: .order,
      location: "Author.books",
      plant: ["UPDATE ZBOOK SET Z_FOK_AUTHOR = NULL WHERE ZISBN = 'Ann-1'"],
      question: "SELECT ZISBN, Z_FOK_AUTHOR FROM ZBOOK WHERE ZISBN LIKE 'Ann%' ORDER BY 2",
      answer: [[.text("Ann-2"), .integer(2048)], [.text("Ann-1"), .integer(3072)]]
    ),
  ]

  @Test(
    "planted damage is found where it is, repaired, and nothing else is touched",
    arguments: damages
  )
  func plantedDamage(_ damage: Damage) throws {
    let library = try Library()
    defer { library.remove() }
    for statement in damage.plant {
      #expect(try StoreFile(path: library.path, access: .readWrite).execute(statement) == 1)
    }
    let findings = try library.examine()
    #expect(findings.contains { $0.check == damage.check && $0.location == damage.location })
    let treatment = Treatment(path: library.path, model: library.loaded.definition)
    let backup = treatment.backupPath
    let steps = try treatment.repair(backup: backup)
    #expect(steps.contains { $0.finding.check == damage.check && $0.changes > 0 })
    #expect(try library.examine().map(\.text) == [])
    #expect(try library.rows(damage.question) == damage.answer)
    #expect(try library.rows("PRAGMA integrity_check") == [[.text("ok")]])
    // The backup has what was planted.
    let old = try Doctor(
      StoreFile(path: backup, access: .untouched),
      model: library.loaded.definition
    ).examine()
    #expect(old.map(\.text) == findings.map(\.text))
  }

  @Test func aRepairIsATransactionOfTheHistoryThatTellsOfEveryObject() throws {
    let library = try Library()
    defer { library.remove() }
    #expect(try library.history().isEmpty)
    let start = try library.history().count
    for damage in Self.damages
    where ![.companion, .version].contains(damage.check) && damage.location != "Book.author" {
      for statement in damage.plant { try library.plant(statement) }
    }
    let findings = try library.examine()
    #expect(findings.count == 8)
    _ = try Treatment(path: library.path, model: library.loaded.definition).repair(backup: nil)
    #expect(try library.examine().map(\.text) == [])
    #expect(
      try library.history().dropFirst(start) == [
        "coredata doctor: update Author books profile, update Book editor tags, update Profile author"
      ]
    )
    // What the history calls changed has a new version.
    #expect(
      try library.rows(
        "SELECT (SELECT MAX(Z_OPT) FROM ZPERSON), (SELECT MAX(Z_OPT) FROM ZPROFILE), "
          + "(SELECT Z_OPT FROM ZBOOK WHERE Z_PK = 1)"
      ) == [[.integer(3), .integer(2), .integer(3)]]
    )
    // A store that has none stays without one.
    let plain = try Library()
    defer { plain.remove() }
    try plain.plant("UPDATE ZBOOK SET ZEDITOR = 99 WHERE Z_PK = 1")
    _ = try Treatment(path: plain.path, model: plain.loaded.definition).repair(backup: nil)
    #expect(try plain.rows("SELECT 1 FROM sqlite_master WHERE name = 'ACHANGE'").isEmpty)
  }

  @Test(
    "A mandatory to-many without members is sound, unless the model names a minimum",
    arguments: [("", []), (" minCount=\"1\"", ["Shelf.books"])]
  )
  func mandatoryToMany(_ minimum: String, _ places: [String]) throws {
    let library = try Library(
      model: """
        <model><entity name="Shelf"><relationship name="books" toMany="YES"\(minimum)
          destinationEntity="Book" inverseName="shelf" inverseEntity="Book"/></entity>
        <entity name="Book"><relationship name="shelf" optional="YES" maxCount="1"
          destinationEntity="Shelf" inverseName="books" inverseEntity="Shelf"/></entity></model>
        """
    )
    defer { library.remove() }
    let url = URL(fileURLWithPath: library.path)
    try OpenedStore(url, loaded: library.loaded, isWritable: true).rows.close()
    try library.plant("INSERT INTO ZSHELF(Z_PK, Z_ENT, Z_OPT) VALUES(1, 2, 1)")
    let findings = try library.examine().filter { $0.check == .mandatory }
    #expect(findings.map(\.location) == places && findings.allSatisfy { $0.severity == .warning })
  }

  @Test func rowsOfUnknownEntitiesAreReportedAndLeftAlone() throws {
    let library = try Library()
    defer { library.remove() }
    try library.plant("UPDATE ZTAG SET Z_ENT = 55 WHERE Z_PK = 1")
    let findings = try library.examine()
    #expect(findings.map(\.check) == [.entity])
    #expect(findings.first?.examples == ["Z_PK 1 with Z_ENT 55"])
    #expect(
      try Treatment(path: library.path, model: library.loaded.definition).repair(backup: nil)
        .isEmpty
    )
  }

  @Test("Too few and too many members are two findings, each with the model's bound")
  func numberOfMembers() throws {
    let library = try Library(
      model: """
        <model><entity name="Shelf"><relationship name="books" toMany="YES" minCount="2" maxCount="3"
          destinationEntity="Book" inverseName="shelf" inverseEntity="Book"/></entity>
        <entity name="Book"><relationship name="shelf" optional="YES" maxCount="1"
          destinationEntity="Shelf" inverseName="books" inverseEntity="Shelf"/></entity></model>
        """
    )
    defer { library.remove() }
    let url = URL(fileURLWithPath: library.path)
    try OpenedStore(url, loaded: library.loaded, isWritable: true).rows.close()
    try library.plant("INSERT INTO ZSHELF(Z_PK, Z_ENT, Z_OPT) VALUES(1, 2, 1), (2, 2, 1)")
    try library.plant(
      "INSERT INTO ZBOOK(Z_ENT, Z_OPT, ZSHELF) VALUES(1, 1, 1), (1, 1, 2), (1, 1, 2), (1, 1, 2), (1, 1, 2)"
    )
    let findings = try library.examine().filter { $0.check == .mandatory }
    #expect(
      findings.map(\.message) == [
        "objects have fewer members than the minimum of 2",
        "objects have more members than the maximum of 3",
      ]
    )
    #expect(findings.map(\.examples) == [["Shelf/p1"], ["Shelf/p2"]])
  }

  @Test("A join table that is missing and one that lacks a column are told apart")
  func damagedJoinTable() throws {
    let library = try Library()
    defer { library.remove() }
    let columns = try library.rows("SELECT name FROM pragma_table_info('Z_1TAGS') ORDER BY cid")
    let name = try #require(columns.first?.first?.text)
    for (statement, message) in [
      (
        "ALTER TABLE Z_1TAGS RENAME COLUMN \(name) TO ZWRONG",
        "the column \(name) of the join table is missing"
      ),
      ("DROP TABLE Z_1TAGS", "the join table is missing"),
    ] {
      try library.plant(statement)
      let finding = try #require(library.examine().first)
      #expect(finding.message == message && finding.location == "Z_1TAGS")
      #expect(finding.text.hasSuffix("repair: by hand: restore a backup"))
    }
  }

  @Test func missingMandatoryValuesAndDuplicatesAreReportedWithTheObjects() throws {
    let library = try Library()
    defer { library.remove() }
    try library.plant("UPDATE ZBOOK SET ZTITLE = NULL WHERE Z_PK = 2")
    try library.plant(
      "DROP INDEX Z_Book_UNIQUE_isbn",
      "UPDATE ZBOOK SET ZISBN = 'same' WHERE Z_PK IN (1, 3)"
    )
    let findings = try library.examine()
    #expect(findings.map(\.check) == [.mandatory, .duplicate])
    #expect(findings.first?.examples == ["Book/p2"])
    #expect(findings.last?.examples == ["Book/p1 = Book/p3"])
  }

  @Test func anIndexThatLacksRowsIsBuiltAnew() throws {
    let library = try Library()
    defer { library.remove() }
    // The index is hidden from the engine while a row is added.
    let file = try StoreFile(path: library.path, access: .readWrite)
    let index = try #require(
      file.rows("SELECT rootpage, sql FROM sqlite_master WHERE name = 'Z_Book_UNIQUE_isbn'").first
    )
    _ = try file.execute("PRAGMA writable_schema = 1")
    _ = try file.execute("DELETE FROM sqlite_master WHERE name = 'Z_Book_UNIQUE_isbn'")
    try library.plant(
      "INSERT INTO ZBOOK(Z_ENT, Z_OPT, ZISBN, ZTITLE) VALUES(2, 1, 'x', 'y')"
        .replacingOccurrences(
          of: "VALUES(2",
          with: "VALUES((SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book')"
        ),
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 5 WHERE Z_NAME = 'Book'"
    )
    let again = try StoreFile(path: library.path, access: .readWrite)
    _ = try again.execute("PRAGMA writable_schema = 1")
    _ = try again.execute(
      "INSERT INTO sqlite_master VALUES('index', 'Z_Book_UNIQUE_isbn', 'ZBOOK', ?, ?)",
      index
    )
    #expect(try library.examine().map(\.check) == [.integrity])
    _ = try Treatment(path: library.path, model: library.loaded.definition).repair(backup: nil)
    #expect(try library.examine().map(\.text) == [])
  }

  @Test func aBrokenDatabaseIsReportedAndNotRepaired() throws {
    let library = try Library()
    defer { library.remove() }
    _ = try StoreFile(path: library.path, access: .readWrite)
      .rows("PRAGMA wal_checkpoint(TRUNCATE)")
    let root = try #require(
      library.rows("SELECT rootpage FROM sqlite_master WHERE name = 'ZBOOK'").first?.first
    )
    let handle = try #require(FileHandle(forWritingAtPath: library.path))
    try handle.seek(toOffset: UInt64(root.whole - 1) * 4096 + 8)
    try handle.write(contentsOf: Data(repeating: 0xEE, count: 60))
    try handle.close()
    let findings = try library.examine()
    #expect(findings.map(\.check) == [.integrity])
    #expect(findings.first?.repair == nil)
  }

  @Test func filesWithoutAnObjectAreMovedAndValuesWithoutAFileReported() throws {
    let library = try Library()
    defer { library.remove() }
    let name = "0A1B2C3D-0000-4000-8000-00000000000A"
    let folder = ExternalFolder(store: library.path).url
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("orphan".utf8).write(to: folder.appendingPathComponent(name))
    let lost = Data([2]) + Data("0A1B2C3D-0000-4000-8000-00000000000B".utf8) + Data([0])
    let file = try StoreFile(path: library.path, access: .readWrite)
    _ = try file.execute("UPDATE ZPROFILE SET ZPHOTO = ? WHERE Z_PK = 1", [.blob(lost)])
    let findings = try library.examine()
    #expect(findings.map(\.check) == [.missingFile, .orphanFile])
    #expect(findings.first?.examples == ["Profile/p1"])
    #expect(findings.last?.examples == [name])
    let treatment = Treatment(path: library.path, model: library.loaded.definition)
    let backup = treatment.backupPath
    _ = try treatment.repair(backup: backup)
    #expect(try library.examine().map(\.check) == [.missingFile])
    let moved = URL(fileURLWithPath: backup + "-files").appendingPathComponent(name)
    #expect(try Data(contentsOf: moved) == Data("orphan".utf8))
  }

  @Test(
    "Damage that nothing can repair is found, not an error of the engine",
    arguments: [
      ("UPDATE Z_METADATA SET Z_UUID = NULL", ["metadata Z_METADATA"]),
      ("UPDATE Z_METADATA SET Z_PLIST = 'text'", ["metadata Z_METADATA"]),
      ("DELETE FROM Z_METADATA", ["metadata Z_METADATA"]),
      ("DROP TABLE ZTAG", ["schema Tag"]),
      ("ALTER TABLE ZBOOK DROP COLUMN ZPRICE", ["schema Book.price"]),
      ("DROP TABLE Z_1TAGS", ["schema Z_1TAGS"]),
      (
        "UPDATE ZPROFILE SET Z_PK = -Z_PK, ZAUTHOR = NULL WHERE ZTEXT = 'of Ann'",
        ["key Profile", "dangling Author.profile"]
      ),
    ]
  )
  func beyondRepair(_ plant: String, _ expected: [String]) throws {
    let library = try Library()
    defer { library.remove() }
    try library.plant(plant)
    let found = try library.examine().map { "\($0.check.rawValue) \($0.location)" }
    #expect(found == expected)
  }

  @Test("A repair tells of each row what it takes away")
  func losses() throws {
    let library = try Library()
    defer { library.remove() }
    try library.plant(
      "UPDATE ZBOOK SET ZEDITOR = 99 WHERE Z_PK = 1",
      "INSERT INTO Z_1TAGS SELECT Z_PK, 77 FROM ZBOOK WHERE Z_PK = 1",
      "UPDATE ZBOOK SET Z_OPT = NULL WHERE Z_PK = 2"
    )
    let columns = try library.rows("SELECT name FROM pragma_table_info('Z_1TAGS') ORDER BY cid")
    let names = columns.compactMap { $0.first?.text }
    let steps = try Treatment(path: library.path, model: library.loaded.definition)
      .repair(backup: nil)
    #expect(
      steps.map(\.losses) == [
        [], ["ZBOOK: Z_PK 1, Z_ENT 1, ZEDITOR 99, Z2_EDITOR 4"],
        ["Z_1TAGS: \(names[1]) 77, \(names[0]) 1"],
      ]
    )
  }

  @Test("Files that another store, or a row of a damaged entity, may name stay where they are")
  func othersFiles() throws {
    let library = try Library()
    defer { library.remove() }
    let name = "0A1B2C3D-0000-4000-8000-00000000000A"
    let folder = ExternalFolder(store: library.path).url
    let file = folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("photo".utf8).write(to: file)
    let value = Data([2]) + Data(name.utf8) + Data([0])
    _ = try StoreFile(path: library.path, access: .readWrite)
      .execute("UPDATE ZPROFILE SET ZPHOTO = ? WHERE Z_PK = 1", [.blob(value)])
    try library.plant("UPDATE ZPROFILE SET Z_ENT = 55 WHERE Z_PK = 1")
    #expect(try library.examine().map(\.check) == [.entity])
    try library.plant("UPDATE ZPROFILE SET ZPHOTO = NULL WHERE Z_PK = 1")
    try Data(count: 4096).write(to: library.folder.appendingPathComponent("Library.old"))
    #expect(try library.examine().map(\.check) == [.entity, .orphanFile])
    let treatment = Treatment(path: library.path, model: library.loaded.definition)
    _ = try treatment.repair(backup: treatment.backupPath)
    #expect(FileManager.default.fileExists(atPath: file.path))
  }

  @Test func aTableWithoutRowsHasNoKeyInUse() throws {
    let library = try Library(model: Library.xml)
    defer { library.remove() }
    try OpenedStore(
      URL(fileURLWithPath: library.path),
      loaded: library.loaded,
      isWritable: true
    ).rows.close()
    try library.plant("UPDATE Z_PRIMARYKEY SET Z_MAX = -5 WHERE Z_NAME = 'Tag'")
    let finding = try #require(library.examine().first)
    #expect(finding.message == "Z_MAX is -5, which is not a valid key" && finding.examples == [])
  }

  @Test func entitiesAboveOneAnotherWithoutAnEndAreAnError() throws {
    let library = try Library()
    defer { library.remove() }
    try library.plant(
      "DELETE FROM Z_MODELCACHE",
      "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 15000) "
        + "INSERT INTO Z_PRIMARYKEY SELECT i, 'E' || i, i - 1, 0 FROM n"
    )
    let error = #expect(throws: ModelError.self) {
      try ModelOpening.load(URL(fileURLWithPath: library.path))
    }
    #expect(error?.reason == "the entity has more than 128 ancestors")
    let report = try StoreReport(StoreFile(path: library.path, access: .untouched))
    #expect(report.entities.count == 14_907)
    #expect(report.text(width: nil).contains(" E15000 "))
  }

  @Test("A last key that is no integer is shown as missing, not as a number")
  func reportedLastKey() throws {
    let library = try Library()
    defer { library.remove() }
    try library.plant(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = NULL WHERE Z_NAME = 'Book'",
      "UPDATE Z_PRIMARYKEY SET Z_MAX = '12 or so' WHERE Z_NAME = 'Tag'"
    )
    let report = try StoreReport(StoreFile(path: library.path, access: .untouched))
    let column = try #require(StoreReport.columns.firstIndex(of: "lastKey"))
    let keys = Dictionary(uniqueKeysWithValues: report.rows.map { ("\($0[0])", "\($0[column])") })
    #expect(keys["text(\"Book\")"] == "null" && keys["text(\"Tag\")"] == "null", "\(keys)")
    #expect(keys["text(\"Profile\")"] == "int(2)")
  }
}
