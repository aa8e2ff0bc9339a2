// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

@Suite("Statements of a new file")
struct SchemaStatementTests {
  private func texts(_ library: Library, _ start: String) -> [String] {
    library.layout.schema.map(\.text).filter { $0.hasPrefix(start) }
  }

  private func index(
    _ name: String,
    _ property: String,
    isExpression: Bool = false,
    where condition: String? = nil
  ) -> FetchIndexDefinition {
    var element = FetchIndexDefinition.Element(property: property)
    element.isExpression = isExpression
    return FetchIndexDefinition(name: name, elements: [element], partialPredicate: condition)
  }

  @Test("Each hierarchy has a table, and each many-to-many")
  func tables() throws {
    let library = try Library()
    let created = texts(library, "CREATE TABLE ")
    #expect(created.filter { $0.hasPrefix("CREATE TABLE Z_") }.count == 4)
    #expect(
      created.first
        == "CREATE TABLE ZAUTHOR ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
        + "ZBORN TIMESTAMP, ZNAME VARCHAR )"
    )
    #expect(!created.contains { $0.hasPrefix("CREATE TABLE ZNOVEL") })
  }

  @Test("Every entity has a row with its number, its parent and no key given")
  func entities() throws {
    let library = try Library()
    let rows = library.layout.schema.filter { $0.text.hasPrefix("INSERT INTO Z_PRIMARYKEY") }
    let (book, novel) = (try library.index("Book"), try library.index("Novel"))
    let numbers = library.layout.entities.map(\.number)
    #expect(rows.count == library.model.entities.count)
    #expect(
      rows[novel]
        == SQL(
          """
          INSERT INTO Z_PRIMARYKEY(Z_ENT, Z_NAME, Z_SUPER, Z_MAX) \
          VALUES(\(bind: .integer(numbers[novel])), \(bind: .text("Novel")), \
          \(bind: .integer(numbers[book])), 0)
          """
        ).statement
    )
    #expect(rows[book].bindings.last == .integer(0))
  }

  @Test("To-ones, shared tables and constraints have indexes")
  func indexes() throws {
    let library = try Library()
    let created = texts(library, "CREATE INDEX ") + texts(library, "CREATE UNIQUE INDEX ")
    for expected in [
      "CREATE INDEX ZBOOK_ZAUTHOR_INDEX ON ZBOOK (ZAUTHOR)",
      "CREATE INDEX ZBOOK_Z_ENT_INDEX ON ZBOOK (Z_ENT)",
      "CREATE INDEX ZCHAPTER_ZBOOK_INDEX ON ZCHAPTER (ZBOOK)",
      "CREATE UNIQUE INDEX Z_Tag_UNIQUE_label ON ZTAG (ZLABEL COLLATE BINARY ASC)",
    ] {
      #expect(created.contains(expected), "\(created)")
    }
  }

  @Test("A fetch index names columns without their table, and its values are written out")
  func fetchIndexes() throws {
    let library = try Library(indexes: [
      index("plain", "title"), index("partial", "pages", where: "title > 't0.x' AND pages != 3"),
      index("sum", "pages + 1", isExpression: true),
    ])
    let created = texts(library, "CREATE INDEX Z_Book_")
    #expect(
      created == [
        "CREATE INDEX Z_Book_plain ON ZBOOK (ZTITLE COLLATE BINARY ASC)",
        "CREATE INDEX Z_Book_partial ON ZBOOK (ZPAGES COLLATE BINARY ASC) "
          + "WHERE (ZTITLE > 't0.x' AND ZPAGES IS NOT 3)",
        "CREATE INDEX Z_Book_sum ON ZBOOK ((ZPAGES + 1) COLLATE BINARY ASC)",
      ]
    )
  }

  @Test(
    "An index that other programs could not keep up to date is left out",
    arguments: [
      "title CONTAINS 'a'", "uppercase(title) == 'A'", "author.name == 'A'", "tags.@count > 1",
      "title IN {'1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '13', '14', "
        + "'15', '16', '17'}", "pages == now()",
    ]
  )
  func leftOut(format: String) throws {
    let library = try Library(indexes: [index("partial", "pages", where: format)])
    #expect(texts(library, "CREATE INDEX Z_Book_").isEmpty)
  }

  @Test("An index that a model has twice is made once")
  func twice() throws {
    let library = try Library(indexes: [index("plain", "title"), index("plain", "title")])
    #expect(texts(library, "CREATE INDEX Z_Book_").count == 1)
  }

  @Test("A trigger computes no attribute of an entity whose name is the end of its own")
  func derivedAttributes() throws {
    let entities = ["B", "A_B"].map { name in
      var derived = AttributeDefinition(type: .string)
      derived.derivation = "unknown:(text)"
      var entity = EntityDraft(name: name)
      entity.properties = [
        PropertyDraft(name: "text", kind: .attribute(AttributeDefinition(type: .string))),
        PropertyDraft(name: "c", kind: .attribute(derived)),
      ]
      return entity
    }
    var draft = ModelDraft()
    draft.entities = entities
    let layout = try Layout(model: ModelDefinition(draft))
    func uncomputed(_ trigger: String) -> [String] {
      layout.uncomputedAttributes(besides: [trigger]).map(\.name)
    }
    #expect(uncomputed("Z_DA_ZA_B_A_B_c_SOURCE_INSERT") == ["B.c"])
    #expect(uncomputed("Z_DA_ZB_B_c_SOURCE_INSERT") == ["A_B.c"])
  }
}
