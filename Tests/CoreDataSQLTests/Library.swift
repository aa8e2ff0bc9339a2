// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

/// A model with every kind of relationship, and what the tests ask of its layout.
struct Library {
  let model: ModelDefinition
  let layout: Layout

  /// `indexes` are added to `Book`.
  init(indexes: [FetchIndexDefinition] = []) throws {
    var draft = ModelDraft()
    draft.entities = [Self.author, Self.book(indexes), Self.novel, Self.chapter, Self.tag]
    model = try ModelDefinition(draft)
    layout = try Layout(model: model)
  }

  var planner: FetchPlanner { FetchPlanner(layout: layout, storeIndex: 0) }

  /// The planner of a store, whose unordered rows go to an aggregate.
  var collectingPlanner: FetchPlanner {
    FetchPlanner(layout: layout, storeIndex: 0, collects: true)
  }

  func index(_ entity: String) throws -> Int {
    guard let index = model.indexByName[entity] else { throw Missing(name: entity) }
    return index
  }

  func slot(_ entity: String, _ property: String) throws -> Int {
    guard let slot = model.entity(named: entity)?.slotByName[property] else {
      throw Missing(name: property)
    }
    return slot
  }

  func fetch(_ entity: String, where format: String? = nil) throws -> FetchDescription {
    var description = FetchDescription(entity: try index(entity))
    description.condition = try format.map { try Condition(format: $0) }
    return description
  }

  /// The condition of a count of objects, with its values.
  func condition(_ entity: String, _ format: String) throws -> Statement {
    var description = try fetch(entity, where: format)
    description.shape = .count
    let statement = try planner.plan(description).statement
    let parts = statement.text.split(separator: " WHERE ", maxSplits: 1)
    return Statement(text: String(parts.last ?? ""), bindings: statement.bindings)
  }

  struct Missing: Error { let name: String }

  // MARK: Entities

  private static func attribute(_ name: String, _ type: AttributeType) -> PropertyDraft {
    PropertyDraft(name: name, kind: .attribute(AttributeDefinition(type: type)))
  }

  private static func toOne(_ name: String, _ entity: String, _ inverse: String) -> PropertyDraft {
    PropertyDraft(
      name: name,
      kind: .relationship(RelationshipDraft(destination: entity, inverse: inverse))
    )
  }

  private static func toMany(
    _ name: String,
    _ entity: String,
    _ inverse: String,
    isOrdered: Bool = false,
    rule: DeleteRule = .nullify
  ) -> PropertyDraft {
    var relationship = RelationshipDraft(destination: entity, inverse: inverse)
    relationship.maxCount = 0
    relationship.isOrdered = isOrdered
    relationship.deleteRule = rule
    return PropertyDraft(name: name, kind: .relationship(relationship))
  }

  private static var author: EntityDraft {
    var author = EntityDraft(name: "Author")
    author.properties = [
      attribute("name", .string), attribute("born", .date),
      toMany("books", "Book", "author", rule: .deny),
    ]
    return author
  }

  private static func book(_ indexes: [FetchIndexDefinition]) -> EntityDraft {
    var book = EntityDraft(name: "Book")
    var cover = AttributeDefinition(type: .binaryData)
    cover.allowsExternalStorage = true
    book.properties = [
      attribute("title", .string), attribute("pages", .integer32),
      PropertyDraft(name: "cover", kind: .attribute(cover)), toOne("author", "Author", "books"),
      toMany("chapters", "Chapter", "book", isOrdered: true, rule: .cascade),
      toMany("tags", "Tag", "books"),
    ]
    book.fetchIndexes = indexes
    return book
  }

  private static var novel: EntityDraft {
    var novel = EntityDraft(name: "Novel")
    novel.parent = "Book"
    novel.properties = [attribute("genre", .string)]
    return novel
  }

  private static var chapter: EntityDraft {
    var chapter = EntityDraft(name: "Chapter")
    chapter.properties = [attribute("heading", .string), toOne("book", "Book", "chapters")]
    return chapter
  }

  private static var tag: EntityDraft {
    var tag = EntityDraft(name: "Tag")
    tag.properties = [attribute("label", .string), toMany("books", "Book", "tags")]
    tag.uniquenessConstraints = [["label"]]
    return tag
  }
}
