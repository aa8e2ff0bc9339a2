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

  static let shelf = #"<relationship name="shelf" maxCount="1" destinationEntity="Tag"/>"#

  @Test("objects without a destination for a relationship that is mandatory now are invalid")
  func invalid() throws {
    let migrated = try Migrated((Migrated.pages, Migrated.pages + Self.shelf))
    defer { migrated.remove() }
    let forecast = try migrated.forecast()
    let note = try #require(forecast.invalids.first)
    #expect(forecast.notes.count == 1 && forecast.concerns.count == 1)
    #expect(note.place == "Book.shelf" && note.count == 4 && note.examples.count == 3)
    #expect(note.text == "the relationship is mandatory, and 4 objects will have no destination")
    #expect(note.lines.hasPrefix("invalid: Book.shelf: "))
    #expect(try notes((Migrated.pages, Migrated.pages + Self.optionalShelf)) == [])
  }

  private static let optionalShelf = shelf.replacing("maxCount", with: #"optional="YES" maxCount"#)

  @Test("a relationship that becomes mandatory is noted where it has no destination")
  func mandatory() throws {
    let migrated = try Migrated(
      (
        #"<relationship name="editor" optional="YES""#,
        #"<relationship name="editor""#
      )
    )
    defer { migrated.remove() }
    #expect(try migrated.forecast().notes.count == 0)
    try migrated.library.plant("UPDATE ZBOOK SET ZEDITOR = NULL WHERE Z_PK = 1")
    let notes = try migrated.forecast().notes
    #expect(notes.map { "\($0.kind) \($0.place) \($0.count)" } == ["invalid Book.editor 1"])
    #expect(notes[0].examples == ["Book/p1"])
  }

  @Test("missing values that become the default value are named, and are no concern")
  func filled() throws {
    let mandatory =
      #"<attribute name="pages" attributeType="Integer 32" defaultValueString="7"/>"#
    let migrated = try Migrated((Migrated.pages, mandatory))
    defer { migrated.remove() }
    #expect(try migrated.forecast().notes.count == 0)
    try migrated.library.plant("UPDATE ZBOOK SET ZPAGES = NULL WHERE Z_PK < 3")
    let forecast = try migrated.forecast()
    let note = try #require(forecast.fillings.first)
    #expect(forecast.notes.count == 1 && forecast.concerns.isEmpty)
    #expect(note.place == "Book.pages" && note.count == 2)
    #expect(note.text == "2 objects without a value get the default “7”")
    #expect(note.examples == ["Book/p1", "Book/p2"])
  }

  @Test(
    "a lost attribute and one new attribute of its type with a similar name suggest a renaming identifier",
    arguments: [
      ("pageCount", true), ("numberOfPages", true), ("page", true), ("sheets", false),
      ("isFavorite", false),
    ]
  )
  func renaming(name: String, isSimilar: Bool) throws {
    let added = #"<attribute name="\#(name)" optional="YES" attributeType="Integer 32"/>"#
    let migrated = try Migrated((Migrated.pages, added))
    defer { migrated.remove() }
    let note = try #require(try migrated.forecast().losses.first)
    #expect(note.text == "the new model lacks the attribute, and 4 objects have a value")
    let hint =
      "Book.\(name) (Integer 32) is new: if it is the same attribute, set its renaming identifier to “pages”"
    #expect(note.hint == (isSimilar ? hint : nil))
    #expect(note.lines.contains(hint) == isSimilar)
    #expect(!note.withoutHint.lines.contains("is new"))
    let other = added.replacing("Integer 32", with: "String")
    let second = try Migrated((Migrated.pages, other))
    defer { second.remove() }
    #expect(try second.forecast().losses.first?.hint == nil)
  }

  @Test("lost attributes that are 0 or false in all objects have one line, after the other losses")
  func commonValues() throws {
    let flags = ["first", "second"].map {
      #"<attribute name="\#($0)" optional="YES" attributeType="Boolean"/>"#
    }.joined()
    let start = try Migrated((Migrated.pages, Migrated.pages + flags))
    defer { start.remove() }
    _ = try MigrationRun(start.mapping, options: start.options, forecast: start.forecast()).run()
    try start.library.plant("UPDATE ZBOOK SET ZFIRST = 0, ZSECOND = 0, ZPAGES = 0")
    try start.library.plant("UPDATE ZBOOK SET ZTITLE = ''")
    let title = #"<attribute name="title" attributeType="String"/>"#
    let plain = start.library.folder.appendingPathComponent("Plain.contents")
    let xml = Library.xml.replacing(Migrated.pages, with: "").replacing(title, with: "")
    try Data(xml.utf8).write(to: plain)
    let mapping = try ModelMapping(
      inferredFrom: start.mapping.destination,
      to: ModelOpening.load(plain).definition
    )
    let forecast = try MigrationForecast(
      mapping,
      StoreFile(path: start.library.path, access: .untouched),
      options: start.options
    )
    #expect(
      Set(forecast.losses.map(\.place)) == [
        "Book.pages", "Book.first", "Book.second", "Book.title",
      ]
    )
    let lines = MigrationForecast.Note.lines(of: forecast.losses)
    #expect(lines.contains("Book/p1: \"\"\n"), "\(lines)")
    let last = lines.split(separator: "\n").last ?? ""
    #expect(
      last.hasPrefix(
        "lost: Book: the new model lacks 3 attributes that are 0 or false in all objects: "
      )
    )
    #expect(!lines.contains("lost: Book.first"))
    try start.library.plant("UPDATE ZBOOK SET ZFIRST = 1 WHERE Z_PK = 1")
    let second = try MigrationForecast(
      mapping,
      StoreFile(path: start.library.path, access: .untouched),
      options: start.options
    )
    #expect(MigrationForecast.Note.lines(of: second.losses).contains("lost: Book.first"))
  }

  @Test("an index on a renamed table counts the rows that the table gets")
  func indexes() throws {
    let index =
      #"<fetchIndex name="byPages"><fetchIndexElement property="pages" type="Binary" "#
      + #"order="ascending"/></fetchIndex>"#
    let migrated = try Migrated(
      (#"<entity name="Book">"#, #"<entity name="Volume" elementID="Book">"#),
      (#"destinationEntity="Book""#, #"destinationEntity="Volume""#),
      (#"inverseEntity="Book""#, #"inverseEntity="Volume""#),
      (Migrated.pages, Migrated.pages + index)
    )
    defer { migrated.remove() }
    let step = try #require(
      try migrated.forecast().steps.first { $0.text.contains("create index Z_Volume_byPages") }
    )
    #expect(step.text.hasPrefix("ZVOLUME: ") && step.rows == 4)
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
    #expect(note.text == "the uniqueness constraint is violated: 4 objects share 2 values")
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
