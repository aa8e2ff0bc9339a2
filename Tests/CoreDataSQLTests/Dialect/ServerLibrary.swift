// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

/// A model with an attribute of every type, and its layout in a PostgreSQL database.
struct ServerLibrary {
  let model: ModelDefinition
  let layout: Layout

  init() throws {
    var draft = ModelDraft()
    draft.entities = [Self.item, Self.kit, Self.part]
    model = try ModelDefinition(draft)
    layout = try Layout(server: model)
  }

  var planner: FetchPlanner { FetchPlanner(layout: layout, storeIndex: 0) }

  func fetch(_ entity: String, where format: String? = nil) throws -> FetchDescription {
    guard let index = model.indexByName[entity] else { throw Library.Missing(name: entity) }
    var description = FetchDescription(entity: index)
    description.condition = try format.map { try Condition(format: $0) }
    return description
  }

  /// The statement of a fetch after `change`.
  func statement(
    _ entity: String,
    where format: String? = nil,
    _ change: (inout FetchDescription) throws -> Void = { _ in }
  ) throws -> Statement {
    var description = try fetch(entity, where: format)
    try change(&description)
    return try planner.plan(description).statement
  }

  /// The condition of a count of objects, with its values.
  func condition(_ entity: String, _ format: String) throws -> Statement {
    let statement = try statement(entity, where: format) { $0.shape = .count }
    let parts = statement.text.split(separator: " WHERE ", maxSplits: 1)
    return Statement(text: String(parts.last ?? ""), bindings: statement.bindings)
  }

  /// The condition that the store evaluates before memory evaluates `format`; empty if it evaluates none.
  func prefilter(_ entity: String, _ format: String) throws -> Statement {
    var parts = try planner.divided(fetch(entity, where: format))
    parts.stored.shape = .count
    let statement = try planner.plan(parts.stored).statement
    let texts = statement.text.split(separator: " WHERE ", maxSplits: 1)
    return Statement(
      text: texts.count == 2 ? String(texts[1]) : "",
      bindings: statement.bindings
    )
  }

  // MARK: Entities

  private static func attribute(_ name: String, _ type: AttributeType) -> PropertyDraft {
    PropertyDraft(name: name, kind: .attribute(AttributeDefinition(type: type)))
  }

  private static func relationship(
    _ name: String,
    _ entity: String,
    _ inverse: String,
    isToMany: Bool
  ) -> PropertyDraft {
    var relationship = RelationshipDraft(destination: entity, inverse: inverse)
    if isToMany { relationship.maxCount = 0 }
    return PropertyDraft(name: name, kind: .relationship(relationship))
  }

  private static var item: EntityDraft {
    var item = EntityDraft(name: "Item")
    item.properties = [
      attribute("count", .integer64), attribute("weight", .double), attribute("price", .decimal),
      attribute("isDone", .boolean), attribute("day", .date), attribute("name", .string),
      attribute("link", .uri), attribute("code", .uuid), attribute("data", .binaryData),
      attribute("other", .integer64), attribute("height", .double),
      relationship("parts", "Part", "item", isToMany: true),
    ]
    return item
  }

  private static var kit: EntityDraft {
    var kit = EntityDraft(name: "Kit")
    kit.parent = "Item"
    return kit
  }

  private static var part: EntityDraft {
    var part = EntityDraft(name: "Part")
    part.properties = [
      attribute("size", .integer64), attribute("note", .string), attribute("isSpare", .boolean),
      attribute("cost", .decimal), relationship("item", "Item", "parts", isToMany: false),
    ]
    return part
  }
}
#endif
