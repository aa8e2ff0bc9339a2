// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel
import _CoreDataSQL
import _CoreDataSQLite
import _CoreDataTools

struct DoctorReferenceTests {
  @Test func ofTwoClaimsToOneInverseTheAnsweredOneStays() throws {
    let library = try Library()
    defer { library.remove() }
    try library.plant(
      "UPDATE ZPERSON SET ZPROFILE = (SELECT ZPROFILE FROM ZPERSON WHERE ZNAME = 'Ben') "
        + "WHERE ZNAME = 'Ann'"
    )
    #expect(try library.examine().map(\.check) == [.inverse, .inverse])
    _ = try Treatment(path: library.path, model: library.loaded.definition).repair(backup: nil)
    #expect(try library.examine().map(\.text) == [])
    #expect(
      try library.rows(
        "SELECT p.ZNAME, f.ZTEXT FROM ZPERSON AS p JOIN ZPROFILE AS f ON f.Z_PK = p.ZPROFILE "
          + "WHERE f.ZAUTHOR = p.Z_PK ORDER BY 1"
      ).contains([.text("Ben"), .text("of Ben")])
    )
  }

  @Test("Of two claims to a nil inverse that of the lowest key is completed, the other gives way")
  func twoClaimsToNil() throws {
    let library = try Library()
    defer { library.remove() }
    try library.plant(
      "UPDATE ZPERSON SET ZPROFILE = (SELECT Z_PK FROM ZPROFILE WHERE ZTEXT = 'of Ann') "
        + "WHERE ZPROFILE IS NOT NULL",
      "UPDATE ZPROFILE SET ZAUTHOR = NULL"
    )
    #expect(try library.examine().map(\.severity) == [.error])
    _ = try Treatment(path: library.path, model: library.loaded.definition).repair(backup: nil)
    #expect(try library.examine().map(\.text) == [])
    #expect(
      try library.rows(
        "SELECT COUNT(*) FROM ZPROFILE AS f JOIN ZPERSON AS p ON p.Z_PK = f.ZAUTHOR "
          + "AND p.ZPROFILE = f.Z_PK WHERE p.Z_PK = (SELECT MIN(Z_PK) FROM ZPERSON WHERE ZNAME IN "
          + "('Ann', 'Ben'))"
      ) == [[.integer(1)]]
    )
    #expect(
      try library.rows("SELECT COUNT(*) FROM ZPERSON WHERE ZPROFILE IS NOT NULL")
        == [[.integer(1)]]
    )
  }

  @Test("An inverse that is nil on one side alone is a hint, and a repair leaves it")
  func oneSidedInverse() throws {
    let library = try Library()
    defer { library.remove() }
    try library.plant("UPDATE ZPROFILE SET ZAUTHOR = NULL WHERE ZTEXT = 'of Ann'")
    let findings = try library.examine()
    #expect(findings.map(\.severity) == [.hint] && findings.map(\.check) == [.inverse])
    #expect(findings.first?.location == "Author.profile" && findings.first?.repair == nil)
    #expect(
      try Treatment(path: library.path, model: library.loaded.definition).repair(backup: nil)
        .isEmpty
    )
    #expect(
      try library.rows("SELECT COUNT(*) FROM ZPROFILE WHERE ZAUTHOR IS NULL") == [[.integer(1)]]
    )
  }

  @Test(
    "References to rows whose keys or entities damage may have changed are left as they are",
    arguments: [
      ("UPDATE ZTAG SET Z_PK = -Z_PK WHERE Z_PK = 1", ["key Tag", "dangling Tag.books"]),
      (
        "UPDATE ZPROFILE SET Z_PK = -Z_PK WHERE ZTEXT = 'of Ann'",
        ["key Profile", "dangling Author.profile", "inverse Profile.author"]
      ),
      (
        "UPDATE ZPERSON SET Z_ENT = 55 WHERE ZNAME = 'Ann'",
        ["entity ZPERSON", "dangling Book.author", "dangling Profile.author"]
      ),
    ]
  )
  func doubtfulReferences(_ plant: String, _ expected: [String]) throws {
    let library = try Library()
    defer { library.remove() }
    try library.plant(plant)
    let tables = ["ZBOOK", "ZPERSON", "ZPROFILE", "ZTAG", "Z_1TAGS"]
    let before = try tables.map { try library.rows("SELECT * FROM \($0) ORDER BY rowid") }
    let findings = try library.examine()
    #expect(findings.map { "\($0.check.rawValue) \($0.location)" } == expected)
    for finding in findings.dropFirst() {
      #expect(finding.repair == nil && finding.message.contains("not repaired while"))
    }
    _ = try Treatment(path: library.path, model: library.loaded.definition).repair(backup: nil)
    #expect(try tables.map { try library.rows("SELECT * FROM \($0) ORDER BY rowid") } == before)
  }

  @Test("What leads back to an object that is gone does not cost the other side its claim")
  func claimOfTheOtherSide() throws {
    let library = try Library()
    defer { library.remove() }
    try library.plant("UPDATE ZPROFILE SET ZAUTHOR = 99 WHERE ZTEXT = 'of Ann'")
    _ = try Treatment(path: library.path, model: library.loaded.definition).repair(backup: nil)
    #expect(try library.examine().map(\.text) == [])
    #expect(
      try library.rows(
        "SELECT p.ZNAME FROM ZPERSON AS p JOIN ZPROFILE AS f ON f.Z_PK = p.ZPROFILE "
          + "WHERE f.ZAUTHOR = p.Z_PK AND f.ZTEXT = 'of Ann'"
      ) == [[.text("Ann")]]
    )
  }
}
