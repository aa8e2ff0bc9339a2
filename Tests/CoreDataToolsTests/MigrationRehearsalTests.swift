// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import Testing
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataTools

@Suite("The rehearsal of a migration")
struct MigrationRehearsalTests {
  @Test("a copy is migrated and compared, and removed; the store does not change")
  func equal() throws {
    let migrated = try Migrated(
      (
        Migrated.pages,
        #"<attribute name="sheets" optional="YES" attributeType="Integer 64" elementID="pages"/>"#
          + #"<attribute name="shelf" attributeType="String" defaultValueString="A"/>"#
      ),
      (#"<entity name="Profile">"#, #"<entity name="Profile" elementID="Profile">"#)
    )
    defer { migrated.remove() }
    let before = try Data(contentsOf: URL(fileURLWithPath: migrated.library.path))
    let outcome = try migrated.rehearse()
    #expect(outcome.differences == [])
    #expect(outcome.findings.map(\.text) == [])
    #expect(outcome.isEqual)
    #expect(outcome.objects == 11)
    #expect(outcome.tallies.first { $0.entity == "Book" }?.objects == 4)
    // Author, editor and two tags of four books.
    #expect(outcome.tallies.first { $0.entity == "Book" }?.links == 16)
    #expect(try Data(contentsOf: URL(fileURLWithPath: migrated.library.path)) == before)
    let names = try FileManager.default.contentsOfDirectory(atPath: migrated.library.folder.path)
    #expect(!names.contains { $0.hasPrefix("coredata-rehearsal") })
  }

  @Test("a value, link, order or object that differs is named")
  func differences() throws {
    let migrated = try Migrated((Migrated.pages, ""))
    defer { migrated.remove() }
    let copy = migrated.library.folder.appendingPathComponent("Copy.sqlite").path
    try StoreFiles(path: copy, timeout: 5)
      .replace(by: StoreFiles(path: migrated.library.path, timeout: 5))
    var options = SQLiteStoreOptions(path: copy)
    _ = try StoreMigration(migrated.mapping, options: options).run()
    let file = try StoreFile(path: copy, access: .readWrite)
    let keys = try file.rows("SELECT Z_PK FROM ZBOOK ORDER BY Z_PK").map { $0[0].whole }
    _ = try file.execute("UPDATE ZBOOK SET ZTITLE = 'other' WHERE Z_PK = \(keys[0])")
    _ = try file.execute("UPDATE ZBOOK SET ZEDITOR = NULL WHERE Z_PK = \(keys[1])")
    _ = try file.execute("UPDATE ZBOOK SET ZPRICE = 99 WHERE Z_PK = \(keys[1])")
    _ = try file.execute("DELETE FROM ZPROFILE WHERE ZTEXT = 'of Ann'")
    _ = try file.execute("UPDATE ZBOOK SET Z_FOK_AUTHOR = -Z_FOK_AUTHOR")
    options.isReadOnly = true
    let before = try SQLiteStore(
      model: migrated.mapping.source,
      index: 0,
      options: migrated.options
    )
    defer { before.close() }
    let after = try SQLiteStore(model: migrated.mapping.destination, index: 0, options: options)
    defer { after.close() }
    let comparison = MigrationComparison(migrated.mapping, before: before, after: after)
    try comparison.run()
    let found = comparison.differences.map { difference in
      let entity = String(difference.object.prefix { $0 != "/" })
      let text = String(difference.text.prefix { $0 != " " })
      return "\(entity).\(difference.property ?? ""): \(text)"
    }
    #expect(
      Set(found) == [
        "Book.title: other", "Book.editor: lost", "Book.price: 99", "Profile.: the",
        "Author.books: the",
      ]
    )
    #expect(comparison.count == comparison.differences.count)
  }

  @Test(
    "links that a to-many without inverse cannot keep are in doubt, and the rehearsal names them"
  )
  func doubts() throws {
    let editor =
      #"<relationship name="editor" optional="YES" maxCount="1" destinationEntity="Person"/>"#
    let editors =
      #"<relationship name="editors" optional="YES" toMany="YES" destinationEntity="Person""#
      + #" elementID="editor"/>"#
    let migrated = try Migrated((editor, editors))
    defer { migrated.remove() }
    let forecast = try migrated.forecast()
    #expect(forecast.notes.map { "\($0.kind) \($0.place)" } == ["doubt Book.editor"])
    // The reader edits four books, and a column in the reader's row has room for one of them.
    let outcome = try migrated.rehearse()
    #expect(outcome.differences.count == 3)
    #expect(
      outcome.differences.allSatisfy { $0.property == "editors" && $0.text.hasPrefix("lost") }
    )
    #expect(!outcome.isEqual)
  }

  @Test("the rows of a rehearsal include the notes of its forecast")
  func rows() throws {
    let migrated = try Migrated((Migrated.pages, MigrationForecastTests.shelf))
    defer { migrated.remove() }
    let outcome = try migrated.rehearse()
    // The values are equal, but the doctor finds objects without a mandatory value.
    #expect(outcome.differences == [] && !outcome.findings.isEmpty && !outcome.isEqual)
    let forecast = try migrated.forecast()
    let rows = outcome.rows(forecast)
    #expect(rows.allSatisfy { $0.count == MigrationRehearsal.Outcome.columns.count })
    func texts(_ kind: String) -> [String] {
      rows.compactMap { row in
        guard case .text(kind) = row[0], case .text(let what) = row[1] else { return nil }
        return what
      }
    }
    #expect(texts("lost") == ["Book.pages"] && texts("invalid") == ["Book.shelf"])
    #expect(texts("entity").contains("Book") && texts("damage") == ["Book.shelf"])
    for row in rows {
      guard case .text("lost") = row[0] else { continue }
      guard case .int(4) = row[2] else {
        Issue.record("\(row)")
        continue
      }
    }
  }

  @Test("an attribute that the new model lacks is a loss and not a difference")
  func removed() throws {
    let migrated = try Migrated((Migrated.cover, ""))
    defer { migrated.remove() }
    #expect(try migrated.rehearse().isEqual)
    #expect(try migrated.forecast().losses.map(\.place) == ["Book.cover"])
  }
}

@Suite("Running a migration")
struct MigrationRunTests {
  @Test("a backup that is removed leaves the files of an earlier backup")
  func removedBackup() throws {
    let library = try Library()
    defer { library.remove() }
    var first = StoreBackup(of: library.path)
    try first.write()
    var second = StoreBackup(of: library.path)
    try second.write()
    second.remove()
    #expect(!FileManager.default.fileExists(atPath: second.path))
    #expect(try StoreFile(path: first.path, access: .untouched).integer("SELECT 1") == 1)
    first.remove()
    let names = try FileManager.default.contentsOfDirectory(atPath: library.folder.path)
    #expect(!names.contains { $0.contains("backup") })
    #expect(names.contains("Library.sqlite"))
  }

  @Test("the outcome has the steps of the forecast, and the progress ends at the last step")
  func outcome() throws {
    let migrated = try Migrated((Migrated.pages, ""))
    defer { migrated.remove() }
    let forecast = try migrated.forecast()
    let run = MigrationRun(migrated.mapping, options: migrated.options, forecast: forecast)
    #expect(run.progress.rows == 0 && run.progress.total == forecast.rows)
    let outcome = try run.run()
    #expect(outcome.steps.map(\.text) == forecast.steps.map(\.text))
    #expect(outcome.steps.map(\.rows) == forecast.steps.map(\.rows))
    #expect(outcome.seconds > 0 && !outcome.wasDone)
    #expect(outcome.steps.reduce(0) { $0 + $1.seconds } <= outcome.seconds)
    #expect(run.progress.rows <= forecast.rows)
    let doctor = try Doctor(
      StoreFile(path: migrated.library.path, access: .untouched),
      model: migrated.mapping.destination
    )
    #expect(try doctor.examine().map(\.text) == [])
  }

  @Test("a backup is a store with its external files, and does not replace an earlier backup")
  func backup() throws {
    let library = try Library()
    defer { library.remove() }
    let opened = try OpenedStore(
      URL(fileURLWithPath: library.path),
      loaded: library.loaded,
      isWritable: true
    )
    let context = opened.newContext()
    let photo = Data(repeating: 7, count: 200_000)
    try context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Profile")
      let profile = try #require(try context.fetch(request).first)
      profile.setValue(photo, forKey: "photo")
      try context.save()
    }
    opened.store.rows.close()
    var first = StoreBackup(of: library.path)
    try first.write()
    var second = StoreBackup(of: library.path)
    try second.write()
    #expect(first.path == library.path + ".backup" && second.path == library.path + ".backup-2")
    // The original's files are removed, so that only those of the backups are left.
    try FileManager.default.removeItem(at: ExternalFolder(store: library.path).url)
    for backup in [first, second] {
      let copy = try OpenedStore(
        URL(fileURLWithPath: backup.path),
        loaded: library.loaded,
        isWritable: false
      )
      let reading = copy.newContext()
      try reading.performAndWait {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Profile")
        let photos = try reading.fetch(request).compactMap { $0.value(forKey: "photo") as? Data }
        #expect(photos == [photo])
      }
      copy.store.rows.close()
    }
  }
}
