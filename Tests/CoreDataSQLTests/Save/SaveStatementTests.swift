// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

@Suite("Statements of saves")
struct SaveStatementTests {
  let library: Library
  init() throws { library = try Library() }

  private func layout(_ entity: String) throws -> EntityLayout {
    library.layout.entities[try library.index(entity)]
  }

  private func members(_ entity: String, _ property: String) throws -> MemberLayout {
    try #require(layout(entity).members[library.slot(entity, property)])
  }

  @Test("An insert binds the key and then the columns; the version is 1")
  func inserts() throws {
    let layout = try layout("Author")
    let insert = RowStatement.insert(layout)
    #expect(
      insert.statement.text
        == "INSERT INTO ZAUTHOR(Z_PK, Z_ENT, Z_OPT, ZBORN, ZNAME) VALUES(?, \(layout.number), 1, ?, ?)"
    )
    #expect(insert.parameters.count == 2)
    #expect(
      insert.folding(layout, nil).statement.text
        == insert.statement.text + " ON CONFLICT DO NOTHING RETURNING Z_PK"
    )
  }

  @Test("An update raises the version and checks the expected one")
  func updates() throws {
    let layout = try layout("Author")
    let slots = SlotSet([try library.slot("Author", "name")])
    func text(checks: Bool) -> String {
      RowStatement.update(layout, slots: slots, checksVersion: checks).statement.text
    }
    let version = "(IFNULL(Z_OPT, 0) & 4294967295)"
    #expect(
      text(checks: false) == "UPDATE ZAUTHOR SET Z_OPT = \(version) + 1, ZNAME = ? WHERE Z_PK = ?"
    )
    #expect(text(checks: true) == text(checks: false) + " AND \(version) = ?")
    #expect(
      RowStatement.delete(layout, checksVersion: true).text
        == "DELETE FROM ZAUTHOR WHERE Z_PK = ? AND \(version) = ?"
    )
  }

  @Test("A pair of a many-to-many is a row, any other pair a column of the member")
  func pairs() throws {
    let books = try members("Author", "books")
    #expect(books.insertPair.text == "UPDATE ZBOOK SET ZAUTHOR = ? WHERE Z_PK = ?")
    #expect(
      books.deletePair.text == "UPDATE ZBOOK SET ZAUTHOR = NULL WHERE ZAUTHOR = ? AND Z_PK = ?"
    )
    #expect(books.selectPositions == nil && books.updatePosition == nil)
    let tags = try members("Book", "tags")
    let (owner, member) = (tags.ownerColumn, tags.memberColumn)
    #expect(
      tags.insertPair.text
        == "INSERT OR IGNORE INTO \(tags.table)(\(owner), \(member)) VALUES(?, ?)"
    )
    #expect(tags.deletePairsOfOwner.text == "DELETE FROM \(tags.table) WHERE \(owner) = ?")
  }

  @Test("A member that leaves an ordered to-many loses its place")
  func places() throws {
    let chapters = try members("Book", "chapters")
    #expect(
      chapters.deletePairsOfOwner.text
        == "UPDATE ZCHAPTER SET ZBOOK = NULL, Z_FOK_BOOK = NULL WHERE ZBOOK = ?"
    )
    #expect(
      chapters.selectPositions?.text == "SELECT Z_PK, Z_FOK_BOOK FROM ZCHAPTER WHERE ZBOOK = ?"
    )
    #expect(
      chapters.updatePosition?.text
        == "UPDATE ZCHAPTER SET Z_FOK_BOOK = ? WHERE ZBOOK = ? AND Z_PK = ?"
    )
  }

  @Test("Keys are given after the highest that the table or Z_MAX names")
  func keys() {
    let highest = "max(IFNULL(CAST(Z_MAX AS INTEGER), 0), (SELECT IFNULL(max(Z_PK), 0) FROM ZTAG))"
    let reserve = PrimaryKeys.Reservation(for: 7, in: "ZTAG").reserve(5)
    #expect(reserve.text == "UPDATE Z_PRIMARYKEY SET Z_MAX = \(highest) + ? WHERE Z_ENT = ?")
    #expect(reserve.bindings == [.integer(5), .integer(7)])
    #expect(
      PrimaryKeys.selectHighestKey(of: 7, in: "ZTAG").text
        == "SELECT \(highest) FROM Z_PRIMARYKEY WHERE Z_ENT = ?"
    )
    #expect(PrimaryKeys.setLastKey(9, of: 7).bindings == [.integer(9), .integer(7)])
  }
}
