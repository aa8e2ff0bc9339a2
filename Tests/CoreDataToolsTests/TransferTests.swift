// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel
import _CoreDataSQL
import _CoreDataSQLite
import _CoreDataTools

struct TransferTests {
  /// All the records of a store, one a line.
  private func exported(_ opened: OpenedStore, keys: [String] = []) throws -> String {
    let exporter = Exporter(opened, keys: try NaturalKeys(opened.model, given: keys))
    var text = ""
    for entity in exporter.order(nil) {
      let columns = exporter.columns(of: entity, namesEntity: true)
      try exporter.forEach(entity, namesEntity: true) {
        text += JSONText.object(Array(zip(columns, $0)), .init(writesData: true)) + "\n"
      }
    }
    return text
  }

  private func opened(_ library: Library, _ store: String) throws -> OpenedStore {
    try OpenedStore(
      library.folder.appendingPathComponent(store),
      loaded: library.loaded,
      isWritable: false
    )
  }

  @Test func whatIsExportedComesBackTheSameAndASecondImportChangesNothing() throws {
    let library = try Library()
    defer { library.remove() }
    let text = try exported(opened(library, "Library.sqlite"))
    #expect(text.contains(#""$entity":"Author","name":"Ben","born":"2001-01-02T00:00:00.500Z""#))
    #expect(text.contains(#""books":["Ann-1","Ann-2"]"#))
    #expect(text.contains(#""editor":"Rita""#))
    #expect(text.contains(#""price":"12.15""#))
    #expect(text.contains(#""tags":[{"$id":"Tag/p1"},{"$id":"Tag/p2"}]"#))
    let keys = ["Tag:label", "Profile:text"]
    let keyed = try exported(opened(library, "Library.sqlite"), keys: keys)
    var report = try imported(keyed, to: "Copy.sqlite", of: library, keys: keys)
    #expect(report.inserted == 11 && report.updated == 0)
    #expect(try exported(opened(library, "Copy.sqlite"), keys: keys) == keyed)
    let findings = try Doctor(
      StoreFile(path: library.folder.path + "/Copy.sqlite", access: .untouched),
      model: library.loaded.definition
    ).examine()
    #expect(findings.map(\.text) == [])
    report = try imported(keyed, to: "Copy.sqlite", of: library, keys: keys)
    #expect(report.unchanged == 11 && report.inserted == 0 && report.updated == 0)
  }

  @Test func objectsWithoutAKeyAreRelatedByTheIDsOfTheFile() throws {
    let library = try Library()
    defer { library.remove() }
    let text = try exported(opened(library, "Library.sqlite"))
    _ = try imported(text, to: "Copy.sqlite", of: library)
    let pairs =
      "SELECT COUNT(*), COUNT(DISTINCT Z_1TAGS.rowid) FROM Z_1TAGS "
    let copy = try StoreFile(path: library.folder.path + "/Copy.sqlite", access: .untouched)
    #expect(try copy.rows(pairs)[0][0] == .integer(8))
    #expect(
      try copy.rows("SELECT COUNT(*) FROM ZPROFILE WHERE ZAUTHOR IS NOT NULL") == [[.integer(2)]]
    )
  }

  @Test func recordsMayComeInAnyOrderAndUpdateWhatIsThere() throws {
    let library = try Library()
    defer { library.remove() }
    let report = try imported(
      """
      [{"$entity": "Book", "isbn": "new", "title": "First", "author": "Carl"},
       {"$entity": "Author", "name": "Carl"},
       {"$entity": "Book", "isbn": "Ann-1", "pages": 7, "author": "Carl"},]
      """,
      as: "in.json",
      to: "Library.sqlite",
      of: library
    )
    #expect(
      report
        == {
          var expected = ImportReport()
          expected.records = 3
          expected.inserted = 2
          expected.updated = 1
          return expected
        }()
    )
    #expect(
      try library.rows(
        "SELECT b.ZISBN, b.ZPAGES FROM ZBOOK AS b JOIN ZPERSON AS p ON p.Z_PK = b.ZAUTHOR "
          + "WHERE p.ZNAME = 'Carl' ORDER BY 1"
      ) == [[.text("Ann-1"), .integer(7)], [.text("new"), .null]]
    )
    #expect(try library.examine().map(\.text) == [])
  }

  @Test func aTableOfTextsIsReadByTheModelsTypes() throws {
    let library = try Library()
    defer { library.remove() }
    let report = try imported(
      """
      isbn,title,price,pages,cover,author
      x,"A, ""quoted""
      title",12.50,30,AQI=,Ann
      y,"",,,,
      """,
      as: "in.csv",
      entity: "Book",
      to: "Library.sqlite",
      of: library
    )
    #expect(report.inserted == 2)
    #expect(
      try library.rows(
        "SELECT ZTITLE, ZPRICE, ZPAGES, hex(ZCOVER), ZAUTHOR IS NULL FROM ZBOOK "
          + "WHERE ZISBN IN ('x', 'y') ORDER BY ZISBN"
      ) == [
        [.text("A, \"quoted\"\ntitle"), .double(12.5), .integer(30), .text("0102"), .integer(0)],
        [.text(""), .null, .null, .text(""), .integer(1)],
      ]
    )
  }

  @Test func theSameRecordsGiveTheSameBytes() throws {
    let library = try Library()
    defer { library.remove() }
    let text = try exported(opened(library, "Library.sqlite"))
    let file = library.folder.appendingPathComponent("seed.ndjson")
    try Data(text.utf8).write(to: file)
    var made: [Data] = []
    for name in ["one.sqlite", "two.sqlite"] {
      let path = library.folder.appendingPathComponent(name).path
      let report = try Seed(
        library.loaded,
        files: [RecordFile(file, format: nil, entity: nil)],
        keys: NaturalKeys(library.loaded.definition)
      ).write(to: path)
      #expect(report.inserted == 11)
      made.append(try Data(contentsOf: URL(fileURLWithPath: path)))
      #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    }
    #expect(made[0] == made[1])
    #expect(try exported(opened(library, "one.sqlite")) == text)
    #expect(throws: ToolError.self) {
      try Seed(
        library.loaded,
        files: [],
        keys: NaturalKeys(library.loaded.definition)
      ).write(to: library.path)
    }
  }

  @Test func aHistoryGoesOnAndSaysThatItWasAnImport() throws {
    let library = try Library()
    defer { library.remove() }
    #expect(try library.history().isEmpty)
    _ = try imported(
      #"{"$entity":"Book","isbn":"Ann-1","pages":7}"#,
      to: "Library.sqlite",
      of: library
    )
    #expect(try library.history() == ["coredata import: update Book pages"])
  }

  /// People who need a passport, which needs its owner; teams that need players and a leader of their own.
  private static let circles = """
    <model><entity name="Person"><attribute name="name" attributeType="String"/>
      <relationship name="passport" maxCount="1" destinationEntity="Passport" inverseName="owner"
        inverseEntity="Passport"/>
      <relationship name="friend" maxCount="1" destinationEntity="Person"/>
      <relationship name="team" optional="YES" maxCount="1" destinationEntity="Team"
        inverseName="players" inverseEntity="Team"/>
      <uniquenessConstraints><uniquenessConstraint><constraint value="name"/>
      </uniquenessConstraint></uniquenessConstraints></entity>
    <entity name="Passport"><attribute name="number" attributeType="Integer 32"/>
      <attribute name="shown" attributeType="String" transient="YES" defaultValueString="-"/>
      <relationship name="owner" maxCount="1" destinationEntity="Person" inverseName="passport"
        inverseEntity="Person"/></entity>
    <entity name="Team"><attribute name="name" attributeType="String"/>
      <relationship name="players" toMany="YES" minCount="2" maxCount="3"
        destinationEntity="Person" inverseName="team" inverseEntity="Person"/>
      <uniquenessConstraints><uniquenessConstraint><constraint value="name"/>
      </uniquenessConstraint></uniquenessConstraints></entity></model>
    """

  /// Records of Ann and Ben, who are each other's friends, and of their team.
  private static let circle = [
    #"{"$entity":"Person","name":"Ann","passport":{"$id":"1"},"friend":"Ben","team":"A"}"#,
    #"{"$entity":"Person","name":"Ben","passport":{"$id":"2"},"friend":"Ben","team":"A"}"#,
    #"{"$entity":"Passport","$id":"1","number":1,"owner":"Ann"}"#,
    #"{"$entity":"Passport","$id":"2","number":2,"owner":"Ben"}"#,
    #"{"$entity":"Team","name":"A"}"#,
  ]

  @Test func recordsThatNeedEachOtherAreImportedWhateverTheirOrder() throws {
    let library = try Library(model: Self.circles)
    defer { library.remove() }
    for (number, records) in [Self.circle, Self.circle.reversed()].enumerated() {
      let text = records.joined(separator: "\n")
      let report = try imported(text, to: "\(number).sqlite", of: library)
      #expect(report.inserted == 5)
      let file = try StoreFile(
        path: library.folder.path + "/\(number).sqlite",
        access: .untouched
      )
      #expect(
        try file.rows(
          "SELECT p.ZNAME, n.ZNUMBER, f.ZNAME, t.ZNAME FROM ZPERSON AS p "
            + "JOIN ZPASSPORT AS n ON n.Z_PK = p.ZPASSPORT AND n.ZOWNER = p.Z_PK "
            + "JOIN ZPERSON AS f ON f.Z_PK = p.ZFRIEND JOIN ZTEAM AS t ON t.Z_PK = p.ZTEAM ORDER BY 1"
        ) == [
          [.text("Ann"), .integer(1), .text("Ben"), .text("A")],
          [.text("Ben"), .integer(2), .text("Ben"), .text("A")],
        ]
      )
      let again = try imported(text, to: "\(number).sqlite", of: library, keys: ["Passport:number"])
      #expect(again.inserted == 0)
      #expect(try Doctor(file, model: library.loaded.definition).examine().map(\.text) == [])
    }
  }

  @Test func whatACircleLeavesOpenIsAnError() throws {
    let library = try Library(model: Self.circles)
    defer { library.remove() }
    func message(_ records: [String], _ store: String) -> String {
      let error = #expect(throws: ToolError.self) {
        try imported(records.joined(separator: "\n"), to: store, of: library)
      }
      return error?.message ?? ""
    }
    let noPassport = message(
      [Self.circle[0], Self.circle[1], Self.circle[2], Self.circle[4]],
      "1.sqlite"
    )
    #expect(
      noPassport
        == "in.ndjson:2: Person.passport refers to the $id “2”, which no record of the file has"
    )
    let empty = try StoreFile(path: library.folder.path + "/1.sqlite", access: .untouched)
    #expect(try empty.rows("SELECT COUNT(*) FROM ZPERSON") == [[.integer(0)]])
    let stateless = Self.circle[0].replacingOccurrences(of: #","friend":"Ben""#, with: "")
    #expect(
      message([stateless] + Self.circle.dropFirst(), "2.sqlite")
        == "Person.friend: 1 object has no value for this mandatory relationship"
    )
    func findings(_ store: String) throws -> [String] {
      let file = try StoreFile(path: library.folder.path + "/" + store, access: .untouched)
      return try Doctor(file, model: library.loaded.definition).examine()
        .map { "\($0.check.rawValue) \($0.location) \($0.examples.joined())" }
    }
    #expect(try findings("2.sqlite") == ["mandatory Person.friend Person/p1"])
    let alone = Self.circle[0].replacingOccurrences(of: #","team":"A""#, with: "")
    #expect(
      message([alone] + Self.circle.dropFirst(), "3.sqlite")
        == "Team.players: 1 object has fewer members than the minimum of 2"
    )
    #expect(try findings("3.sqlite") == ["mandatory Team.players Team/p1"])
  }

  @Test func aMandatoryToManyWithoutAMinimumMayBeEmpty() throws {
    let model = Self.circles.replacingOccurrences(
      of: #"toMany="YES" minCount="2" maxCount="3""#,
      with: #"toMany="YES""#
    )
    let library = try Library(model: model)
    defer { library.remove() }
    let report = try imported(
      #"{"$entity":"Team","name":"A"}"#,
      to: "1.sqlite",
      of: library
    )
    #expect(report.inserted == 1)
    let file = try StoreFile(path: library.folder.path + "/1.sqlite", access: .untouched)
    #expect(try Doctor(file, model: library.loaded.definition).examine().map(\.text) == [])
  }

  @Test func anImportTellsHowMuchOfTheFileItHasRead() throws {
    let library = try Library()
    defer { library.remove() }
    var text = ""
    for number in 0..<1200 {
      text += #"{"$entity":"Book","isbn":"n\#(number)","title":"t","tags":[{"$id":"T"}]}"# + "\n"
    }
    text += #"{"$entity":"Tag","$id":"T","label":"late"}"#
    let file = library.folder.appendingPathComponent("in.ndjson")
    try Data(text.utf8).write(to: file)
    let opened = try OpenedStore(
      URL(fileURLWithPath: library.path),
      loaded: library.loaded,
      isWritable: true
    )
    defer { opened.rows.close() }
    var told: [ImportProgress] = []
    _ = try Importer(
      opened,
      file: RecordFile(file, format: nil, entity: nil),
      keys: NaturalKeys(opened.model),
      options: Importer.Options()
    ).run { told.append($0) }
    #expect(told.map(\.reading) == [1, 1, 1, 2, 2, 2])
    #expect(told.map(\.records) == [0, 500, 1000, 0, 500, 1000])
    let parts = told.prefix(3).compactMap(\.fraction)
    #expect(parts.count == 3 && parts == parts.sorted() && parts[0] < parts[2])
    #expect(told.allSatisfy { ($0.fraction ?? 2) <= 1 })
  }

  @Test func manyRecordsGoThroughInBlocks() throws {
    let library = try Library()
    defer { library.remove() }
    var text = ""
    for number in 0..<1700 {
      text += #"{"$entity":"Book","isbn":"n\#(number)","title":"t","author":"A\#(number % 7)"}"#
      text += "\n"
    }
    for number in 0..<7 { text += #"{"$entity":"Author","name":"A\#(number)"}"# + "\n" }
    let report = try imported(text, to: "Library.sqlite", of: library)
    #expect(report.inserted == 1707)
    #expect(
      try library.rows("SELECT COUNT(*) FROM ZBOOK WHERE ZISBN LIKE 'n%' AND ZAUTHOR > 0")
        == [[.integer(1700)]]
    )
    #expect(try library.examine().map(\.text) == [])
  }

  @Test func aFileOfAnOldModelIsReadByTheRenamingIdentifiersOfTheNewOne() throws {
    let old = try Library()
    defer { old.remove() }
    let new = try Library(
      model: Library.xml
        .replacingOccurrences(
          of: "<attribute name=\"title\"",
          with: "<attribute name=\"heading\" elementID=\"title\""
        )
        .replacingOccurrences(
          of: "<attribute name=\"isbn\"",
          with: "<attribute name=\"number\" elementID=\"isbn\""
        )
        .replacingOccurrences(of: "constraint value=\"isbn\"", with: "constraint value=\"number\"")
        .replacingOccurrences(
          of: "<relationship name=\"editor\"",
          with: "<relationship name=\"reviewer\" elementID=\"editor\""
        )
        .replacingOccurrences(of: "\"Profile\"", with: "\"Portrait\"")
        .replacingOccurrences(
          of: "<entity name=\"Portrait\"",
          with: "<entity name=\"Portrait\" elementID=\"Profile\""
        )
    )
    defer { new.remove() }
    let keys = ["Tag:label", "Profile:text"]
    let text = try exported(opened(old, "Library.sqlite"), keys: keys)
    let report = try imported(text, to: "Library.sqlite", of: new, keys: keys)
    #expect(report.inserted == 11)
    #expect(
      try new.rows(
        "SELECT b.ZNUMBER, b.ZHEADING, p.ZNAME, f.ZTEXT FROM ZBOOK AS b "
          + "JOIN ZPERSON AS p ON p.Z_PK = b.ZREVIEWER JOIN ZPERSON AS a ON a.Z_PK = b.ZAUTHOR "
          + "JOIN ZPORTRAIT AS f ON f.Z_PK = a.ZPROFILE ORDER BY 1 LIMIT 1"
      ) == [[.text("Ann-1"), .text("Book, \"1\" of Ann"), .text("Rita"), .text("of Ann")]]
    )
    let named = #"{"$entity":"Author","name":"Cid","books":[{"isbn":"Ann-1"}]}"#
    #expect(try imported(named, to: "Library.sqlite", of: new).inserted == 1)
    #expect(
      try new.rows(
        "SELECT a.ZNAME FROM ZBOOK AS b JOIN ZPERSON AS a ON a.Z_PK = b.ZAUTHOR "
          + "WHERE b.ZNUMBER = 'Ann-1'"
      ) == [[.text("Cid")]]
    )
    let twice = #expect(throws: ToolError.self) {
      try imported(
        #"{"$entity":"Book","number":"x","heading":"new","title":"old"}"#,
        to: "Library.sqlite",
        of: new
      )
    }
    #expect(twice?.message.contains("Book.heading is given twice") == true)
  }

  @Test func aLongKeyAndALongListInAFieldAreReadWhole() throws {
    let library = try Library()
    defer { library.remove() }
    let long = String(repeating: "é\"", count: 50_000)
    let quoted = JSONText.quoted(long)
    let text = """
      {"$entity":"Reader","name":\(quoted)}
      {"$entity":"Book","isbn":"long","title":"x","editor":\(quoted)}
      """
    for inserted in [2, 0] {
      let report = try imported(text, to: "Library.sqlite", of: library)
      #expect(report.inserted == inserted && report.updated == 0)
    }
    let names = (0..<9000).map { "t\($0)" }
    let tags = names.map { "{\"$entity\":\"Tag\",\"label\":\"\($0)\"}\n" }.joined()
    _ = try imported(tags, to: "Library.sqlite", of: library, keys: ["Tag:label"])
    let list = names.map { "\"\"\($0)\"\"" }.joined(separator: ",")
    _ = try imported(
      "isbn,title,tags\nmany,x,\"[\(list)]\"\n",
      as: "Book.csv",
      to: "Library.sqlite",
      of: library,
      keys: ["Tag:label"]
    )
    #expect(
      try library.rows(
        "SELECT COUNT(*) FROM Z_1TAGS AS p JOIN ZBOOK AS b ON b.Z_PK = p.Z_1BOOKS "
          + "WHERE b.ZISBN = 'many'"
      ) == [[.integer(9000)]]
    )
  }

  @Test func valuesThatDifferByLessThanAMillisecondAreDifferent() throws {
    let library = try Library()
    defer { library.remove() }
    let text = #"{"$entity":"Author","name":"Ann","born":0.0004}"#
    for updated in [1, 0] {
      let report = try imported(text, to: "Library.sqlite", of: library)
      #expect(report.updated == updated)
    }
    #expect(
      try library.rows("SELECT ZBORN FROM ZPERSON WHERE ZNAME = 'Ann'") == [[.double(0.0004)]]
    )
    let keys = ["Author:born"]
    let keyed = """
      {"$entity":"Author","name":"Ann 2","born":0.0004}
      {"$entity":"Author","name":"Cid","born":0.0002}
      """
    for inserted in [1, 0] {
      let report = try imported(keyed, to: "Library.sqlite", of: library, keys: keys)
      #expect(report.inserted == inserted)
    }
  }

  @Test func aDecimalThatIsNotANumberIsImportedAsItIsExported() throws {
    let library = try Library()
    defer { library.remove() }
    let text = #"{"$entity":"Book","isbn":"Ann-1","price":"NaN"}"#
    for updated in [1, 0] {
      let report = try imported(text, to: "Library.sqlite", of: library)
      #expect(report.updated == updated)
    }
    #expect(
      try library.rows("SELECT ZPRICE FROM ZBOOK WHERE ZISBN = 'Ann-1'") == [[.text("NaN")]]
    )
    #expect(try exported(opened(library, "Library.sqlite")).contains(#""price":"NaN""#))
  }

  @Test func tablesOfSpreadsheetsAndNumbersForIDsAreRead() throws {
    let library = try Library()
    defer { library.remove() }
    let mark = "\u{FEFF}label\r\nred\r\n"
    var report = try imported(mark, as: "Tag.csv", to: "Library.sqlite", of: library)
    #expect(report.inserted == 1)
    report = try imported("label\rgreen\r\rblue", as: "Tag.csv", to: "Library.sqlite", of: library)
    #expect(report.inserted == 2)
    report = try imported(
      """
      {"$entity":"Profile","$id":7,"text":"of 7"}
      {"$entity":"Author","name":"Seven","profile":{"$id":7}}
      """,
      to: "Library.sqlite",
      of: library
    )
    #expect(report.inserted == 2)
    #expect(
      try library.rows(
        "SELECT f.ZTEXT FROM ZPROFILE AS f JOIN ZPERSON AS p ON p.ZPROFILE = f.Z_PK "
          + "WHERE p.ZNAME = 'Seven'"
      ) == [[.text("of 7")]]
    )
  }
}
