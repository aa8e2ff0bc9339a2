// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataSQL
import _CoreDataStore

/// The statements for rows by their keys and for members of to-manys, whose values are bound later.
@Suite("Statements for keys and owners")
struct KeyStatementTests {
  let library: Library
  init() throws { library = try Library() }

  @Test("One row is stepped to, the rows of a list go to the aggregate")
  func rows() throws {
    let author = try library.index("Author")
    let one = library.collectingPlanner.rows(root: author, .one)
    #expect(
      one.statement.text
        == "SELECT t0.Z_PK, t0.Z_OPT, t0.ZBORN, t0.ZNAME FROM ZAUTHOR AS t0 WHERE t0.Z_PK = ?"
    )
    #expect(one.entity == author && one.statement.bindings.isEmpty)
    #expect(!one.statement.traits.contains(.collectsRows))
    let list = library.collectingPlanner.rows(root: author, .list)
    #expect(
      list.statement.text
        == "SELECT CDRow(t0.Z_PK, t0.Z_OPT, t0.ZBORN, t0.ZNAME) FROM ZAUTHOR AS t0 "
        + "WHERE t0.Z_PK IN (SELECT value FROM json_each(?))"
    )
    #expect(list.statement.traits.contains(.collectsRows))
  }

  @Test("The rows of a range of keys or owners go to the aggregate")
  func ranges() throws {
    let (author, books) = (try library.index("Author"), try library.slot("Author", "books"))
    let rows = library.collectingPlanner.rows(root: author, .range)
    #expect(rows.statement.text.hasSuffix(" FROM ZAUTHOR AS t0 WHERE t0.Z_PK BETWEEN ? AND ?"))
    #expect(rows.statement.traits.contains(.collectsRows))
    let members = library.collectingPlanner.memberRows(entity: author, slot: books, of: .range)
    let end = " FROM ZBOOK AS t0 WHERE t0.ZAUTHOR BETWEEN ? AND ?"
    #expect(members?.statement.text.hasSuffix(end) == true)
    let pairs = try library.planner.pairs(entity: author, slot: books, of: .range)
    #expect(pairs.statement.text.hasSuffix(" FROM ZBOOK AS m WHERE m.ZAUTHOR BETWEEN ? AND ?"))
  }

  @Test("Members are found by their column for the owner")
  func members() throws {
    let (author, books) = (try library.index("Author"), try library.slot("Author", "books"))
    let query = try #require(
      library.collectingPlanner.memberRows(entity: author, slot: books, of: .one)
    )
    #expect(query.statement.text.hasPrefix("SELECT CDRow(t0.Z_PK, t0.Z_OPT, t0.Z_ENT, "))
    #expect(query.statement.text.hasSuffix(" FROM ZBOOK AS t0 WHERE t0.ZAUTHOR = ?"))
    #expect(query.statement.traits.contains(.collectsRows))
    #expect(try query.entity == library.index("Book"))
  }

  @Test("Ordered members come in their order, one row after the other")
  func ordered() throws {
    let (book, chapters) = (try library.index("Book"), try library.slot("Book", "chapters"))
    let query = try #require(
      library.collectingPlanner.memberRows(entity: book, slot: chapters, of: .list)
    )
    #expect(
      query.statement.text.hasSuffix(
        " WHERE t0.ZBOOK IN (SELECT value FROM json_each(?)) ORDER BY t0.Z_FOK_BOOK"
      )
    )
    #expect(!query.statement.traits.contains(.collectsRows))
  }

  @Test("The rows of a many-to-many have no statement of their own: a join table has the pairs")
  func joined() throws {
    let (tag, books) = (try library.index("Tag"), try library.slot("Tag", "books"))
    #expect(library.planner.memberRows(entity: tag, slot: books, of: .one) == nil)
    let pairs = try library.planner.pairs(entity: tag, slot: books, of: .list)
    let join = try #require(library.layout.joins.first)
    let (own, other) = (join.columns[1], join.columns[0])
    let members = try #require(library.layout.entities[tag].members[books])
    #expect(Set([members.ownerColumn, members.memberColumn]) == Set([own, other]))
    #expect(
      pairs.statement.text
        == "SELECT m.\(members.ownerColumn), m.\(members.memberColumn), d.Z_ENT "
        + "FROM \(join.name) AS m JOIN ZBOOK AS d ON d.Z_PK = m.\(members.memberColumn) "
        + "WHERE m.\(members.ownerColumn) IN (SELECT value FROM json_each(?))"
    )
    #expect(pairs.hasEntityColumn)
    #expect(try pairs.destination == library.index("Book"))
  }

  @Test("Pairs of a one-to-many come from the members' own table")
  func pairs() throws {
    let (author, books) = (try library.index("Author"), try library.slot("Author", "books"))
    let pairs = try library.planner.pairs(entity: author, slot: books, of: .one)
    #expect(
      pairs.statement.text
        == "SELECT m.ZAUTHOR, m.Z_PK, m.Z_ENT FROM ZBOOK AS m WHERE m.ZAUTHOR = ?"
    )
    let (book, chapters) = (try library.index("Book"), try library.slot("Book", "chapters"))
    let ordered = try library.planner.pairs(entity: book, slot: chapters, of: .one)
    #expect(
      ordered.statement.text
        == "SELECT m.ZBOOK, m.Z_PK FROM ZCHAPTER AS m WHERE m.ZBOOK = ? ORDER BY m.Z_FOK_BOOK"
    )
    #expect(!ordered.hasEntityColumn)
  }

  @Test("Pairs of a property that is not a to-many are refused by name")
  func refused() throws {
    let (author, name) = (try library.index("Author"), try library.slot("Author", "name"))
    let error = #expect(throws: StoreError.self) {
      try library.planner.pairs(entity: author, slot: name, of: .one)
    }
    #expect(error?.code == .invalidRequest)
    #expect(error?.message.contains("Author.name") == true)
  }
}
