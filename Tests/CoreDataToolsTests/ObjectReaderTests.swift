// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import Testing
import _CoreDataModel
import _CoreDataTools

struct ObjectReaderTests {
  /// The rows of some columns, and how many statements were started for them.
  private func read(
    _ entity: String,
    _ columns: [String],
    in library: Library
  ) throws -> (rows: [String], statements: Int) {
    let opened = try OpenedStore(
      URL(fileURLWithPath: library.path),
      loaded: library.loaded,
      isWritable: false
    )
    let definition = try opened.entity(named: entity)
    let context = opened.newContext()
    return try context.performAndWait {
      var query = ObjectQuery(entity: entity)
      query.sort = [entity == "Book" ? "isbn" : "name"]
      let ids = try query.ids(in: context, of: opened)
      let before = opened.store.statements.counts.started
      var rows: [String] = []
      let shown = try ObjectColumns(keyPaths: columns, of: definition, in: opened.model)
      try ObjectReader(opened, context, shown).forEach(ids) { row in
        rows.append(row.map(CellText.line).joined(separator: "|"))
      }
      return (rows, opened.store.statements.counts.started - before)
    }
  }

  @Test func pathsReadWhatTheyLeadThroughForAllObjectsTogether() throws {
    let library = try Library()
    defer { library.remove() }
    let few = try read("Book", ["isbn", "author.profile.text", "tags.label"], in: library)
    #expect(few.rows.first?.hasPrefix("Ann-1|of Ann|") == true && few.rows.count == 4)
    try library.plant(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) "
        + "INSERT INTO ZBOOK(Z_ENT, Z_OPT, ZISBN, ZTITLE, ZAUTHOR, Z_FOK_AUTHOR) "
        + "SELECT (SELECT Z_ENT FROM ZBOOK LIMIT 1), 1, 'X' || i, 't', "
        + "(SELECT ZAUTHOR FROM ZBOOK LIMIT 1), 1000000 + i FROM n"
    )
    let many = try read("Book", ["isbn", "author.profile.text", "tags.label"], in: library)
    #expect(many.rows.count == 404 && many.statements == few.statements)
    #expect(many.rows.last == "X99|of Ann|[]")
  }

  @Test(arguments: [
    ("tags.@sum.labels", "Tag has no property “labels”"),
    ("tags.@distinctUnionOfObjects.x", "Tag has"),
    ("author.books.@max.isbm", "Book has no property “isbm”"), ("tag.@count", "Book has"),
  ])
  func aNameBehindAnOperatorIsChecked(_ path: String, _ expected: String) throws {
    let library = try Library()
    defer { library.remove() }
    let error = #expect(throws: ToolError.self) { try read("Book", [path], in: library) }
    #expect(error?.message.hasPrefix(expected) == true, "\(error?.message ?? "")")
    #expect(
      try read("Book", ["tags.@count", "author.books.@max.isbn"], in: library).rows.count == 4
    )
  }
}
