// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataTools

/// The library's store, and a later version of its model.
struct Migrated {
  let library: Library
  let mapping: ModelMapping
  let model: URL
  var options: SQLiteStoreOptions { SQLiteStoreOptions(path: library.path) }

  /// Each pair of texts is a part of the library's model and its replacement.
  init(_ changes: (from: String, to: String)...) throws {
    library = try Library()
    var xml = Library.xml
    for change in changes {
      precondition(xml.contains(change.from), "the model lacks \(change.from)")
      xml = xml.replacingOccurrences(of: change.from, with: change.to)
    }
    model = library.folder.appendingPathComponent("New.contents")
    try Data(xml.utf8).write(to: model)
    let new = try ModelOpening.load(model)
    mapping = try ModelMapping(
      inferredFrom: library.loaded.definition,
      to: new.definition
    )
  }

  func forecast() throws -> MigrationForecast {
    try MigrationForecast(
      mapping,
      StoreFile(path: library.path, access: .untouched),
      options: options
    )
  }

  func rehearse() throws -> MigrationRehearsal.Outcome {
    try MigrationRehearsal(mapping, options: options, in: library.folder).run(forecast())
  }

  func remove() { library.remove() }

  static let pages = #"<attribute name="pages" optional="YES" attributeType="Integer 32"/>"#
  static let cover = #"<attribute name="cover" optional="YES" attributeType="Binary"/>"#
  static let reader = #"<entity name="Reader" parentEntity="Person"/>"#
}

@Suite("The forecast of a migration")
struct MigrationForecastTests {
  private func notes(_ changes: (from: String, to: String)...) throws -> [String] {
    var migrated: Migrated
    switch changes.count {
    case 1: migrated = try Migrated(changes[0])
    default: migrated = try Migrated(changes[0], changes[1])
    }
    defer { migrated.remove() }
    return try migrated.forecast().notes.map { "\($0.kind) \($0.place) \($0.count)" }
  }

  @Test("an attribute that is added or renamed loses nothing")
  func nothing() throws {
    let added = #"<attribute name="shelf" optional="YES" attributeType="String"/>"#
    let renamed =
      #"<attribute name="sheets" optional="YES" attributeType="Integer 32" elementID="pages"/>"#
    #expect(try notes((Migrated.pages, renamed + added)) == [])
  }

  @Test("an attribute that is removed is lost where it has a value, with examples")
  func values() throws {
    let migrated = try Migrated((Migrated.pages, ""))
    defer { migrated.remove() }
    try migrated.library.plant("UPDATE ZBOOK SET ZPAGES = NULL WHERE Z_PK = 1")
    let note = try #require(try migrated.forecast().losses.first)
    #expect(try migrated.forecast().notes.count == 1)
    #expect(note.place == "Book.pages" && note.count == 3)
    #expect(note.text == "the new model lacks the attribute, and 3 objects have a value")
    #expect(note.examples.count == 3 && note.examples.allSatisfy { $0.hasPrefix("Book/p") })
    #expect(note.examples[0].hasSuffix(": 100") || note.examples[0].hasSuffix(": 200"))
    try migrated.library.plant("UPDATE ZBOOK SET ZPAGES = NULL")
    #expect(try migrated.forecast().notes.count == 0)
  }

  @Test(
    "an entity that is removed is lost with its objects, and links to them are not counted twice"
  )
  func entity() throws {
    let tag = try #require(Library.xml.range(of: #"<entity name="Tag">"#))
    let rest = String(Library.xml[tag.lowerBound...])
    let relationship = try #require(Self.element(#"<relationship name="tags""#, in: Library.xml))
    #expect(
      try notes((relationship, ""), (rest, "</model>")) == ["loss Tag 2"]
    )
  }

  /// The text of an element without children.
  private static func element(_ start: String, in xml: String) -> String? {
    guard let first = xml.range(of: start),
      let end = xml.range(of: "/>", range: first.upperBound..<xml.endIndex)
    else { return nil }
    return String(xml[first.lowerBound..<end.upperBound])
  }

  @Test("links of a relationship and its inverse are counted once")
  func links() throws {
    let tags = try #require(Self.element(#"<relationship name="tags""#, in: Library.xml))
    let books = try #require(
      Self.element(
        #"<relationship name="books" optional="YES" toMany="YES" destinationEntity="Book""#,
        in: Library.xml
      )
    )
    #expect(try notes((tags, ""), (books, "")) == ["loss Book.tags and Tag.books 8"])
  }

  @Test("an order that the new model does not keep is lost")
  func order() throws {
    #expect(try notes((#"ordered="YES""#, "")) == ["loss Author.books 4"])
  }

  @Test("objects of an entity that becomes abstract prevent the migration")
  func abstract() throws {
    let abstract = #"<entity name="Reader" parentEntity="Person" isAbstract="YES"/>"#
    #expect(try notes((Migrated.reader, abstract)) == ["refusal Reader 1"])
  }

  @Test("objects that break a new uniqueness constraint prevent the migration, with examples")
  func constraint() throws {
    let migrated = try Migrated(
      (
        #"<constraint value="isbn"/>"#,
        #"<constraint value="isbn"/></uniquenessConstraint><uniquenessConstraint>"#
          + #"<constraint value="pages"/>"#
      )
    )
    defer { migrated.remove() }
    let forecast = try migrated.forecast()
    let note = try #require(forecast.refusals.first)
    #expect(forecast.notes.count == 1)
    #expect(note.place == "Book: pages" && note.count == 4)
    #expect(note.text == "the uniqueness constraint does not hold: 4 objects share 2 values")
    #expect(note.examples.contains { $0.hasPrefix("2 objects with pages = 100: Book/p") })
    #expect(throws: (any Error).self) {
      try MigrationRun(migrated.mapping, options: migrated.options, forecast: forecast).run()
    }
    try migrated.library.plant("UPDATE ZBOOK SET ZPAGES = NULL WHERE ZPAGES = 100 AND Z_PK > 2")
    try migrated.library.plant("UPDATE ZBOOK SET ZPAGES = Z_PK")
    #expect(try migrated.forecast().notes.count == 0)
  }

  @Test("steps name the rows that they write, and nothing in the store's folder changes")
  func steps() throws {
    let migrated = try Migrated((Migrated.pages, ""))
    defer { migrated.remove() }
    func state() throws -> [String: Data] {
      let names = try FileManager.default.contentsOfDirectory(atPath: migrated.library.folder.path)
      return try Dictionary(
        uniqueKeysWithValues: names.map { name in
          let file = migrated.library.folder.appendingPathComponent(name)
          return (name, try Data(contentsOf: file))
        }
      )
    }
    let before = try state()
    let forecast = try migrated.forecast()
    #expect(try state() == before)
    let drop = try #require(forecast.steps.first { $0.text == "ZBOOK: drop column ZPAGES" })
    #expect(drop.rows == 4 && drop.seconds > 0 && drop.seconds < 1)
    #expect(forecast.rows >= 4)
  }
}
