// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataSQL

@Suite("Pieces of SQL")
struct SQLTests {
  @Test("Bound values become question marks in the order of the text")
  func values() {
    let piece: SQL = "a = \(bind: .integer(1)) AND \(name: "b") = \(bind: .text("x"))"
    #expect(piece.statement.text == "a = ? AND b = ?")
    #expect(piece.statement.bindings == [.integer(1), .text("x")])
    let whole: SQL = "SELECT \(bind: .null) WHERE \(piece)"
    #expect(whole.statement.text == "SELECT ? WHERE a = ? AND b = ?")
    #expect(whole.statement.bindings == [.null, .integer(1), .text("x")])
  }

  @Test("A column is rendered behind its table")
  func columns() {
    let piece: SQL = "\(column: "ZNAME", of: "t0") IS NULL"
    #expect(piece.statement.text == "t0.ZNAME IS NULL")
  }

  @Test("A piece passes on that it has a subselect or calls our functions, and nothing else")
  func inheritance() {
    let inner = SQL("x").with([
      .callsOwnFunctions, .hasSubselect, .isColumn, .isPrimaryKey, .collectsRows,
    ])
    let inherited: SQL.Traits = [.callsOwnFunctions, .hasSubselect]
    #expect(SQL("(\(inner))").traits == inherited)
    #expect([SQL("a"), inner].joined(separator: ", ").traits == inherited)
    var appended = SQL("a").with(.isColumn)
    appended.append(inner)
    #expect(appended.traits == inherited)
    #expect(SQL("\(function: "CDText")(a)").traits == .callsOwnFunctions)
    #expect(SQL("\(name: "SELECT CDRow(a)")").traits.isEmpty)
  }

  @Test("A statement keeps the traits of its piece")
  func statement() {
    #expect(SQL("SELECT 1").with(.collectsRows).statement.traits == .collectsRows)
  }

  @Test("Values are written as literals that the engine reads back")
  func literals() {
    let values: [(Binding, String)] = [
      (.null, "NULL"), (.integer(-5), "-5"), (.double(0.5), "0.5"), (.double(.infinity), "NULL"),
      (.text("it's"), "'it''s'"), (.text(""), "''"), (.blob(Data([1, 0xAB])), "x'01ab'"),
    ]
    for (value, literal) in values { #expect(value.literal == literal) }
  }
}
