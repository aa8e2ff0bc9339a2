// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataSQLite
import _CoreDataStore

/// A store in a folder of its own, which goes with the fixture.
final class StoreFixture {
  let folder: URL
  let model: ModelDefinition
  let observer = StatementObserver()
  let store: SQLiteStore

  var path: String { folder.appendingPathComponent("Store.sqlite").path }

  init(_ draft: ModelDraft) throws {
    folder = try Self.makeFolder()
    model = try ModelDefinition(draft)
    var options = SQLiteStoreOptions(path: folder.appendingPathComponent("Store.sqlite").path)
    options.observer = observer
    store = try SQLiteStore(model: model, index: 0, options: options)
  }

  deinit {
    store.close()
    try? FileManager.default.removeItem(at: folder)
  }

  static func makeFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("coredata-sqlite-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Another store on the same file.
  func reopened(readOnly: Bool = false, readers: Int = 4) throws -> SQLiteStore {
    var options = SQLiteStoreOptions(path: path)
    options.isReadOnly = readOnly
    options.readers = readers
    return try SQLiteStore(model: model, index: 0, options: options)
  }

  // MARK: Writing

  private var serial: Int64 = 0

  func temporaryKey(_ entity: String) throws -> ObjectKey {
    serial += 1
    return .temporary(entity: try index(entity), number: serial)
  }

  func index(_ entity: String) throws -> Int {
    guard let index = model.indexByName[entity] else {
      throw UnknownKey(key: entity, owner: "model")
    }
    return index
  }

  func slot(_ entity: String, _ property: String) throws -> Int {
    guard let slot = model.entity(named: entity)?.slotByName[property] else {
      throw UnknownKey(key: property, owner: entity)
    }
    return slot
  }

  /// A chunk of one row with these values.
  func row(_ entity: String, _ values: [String: Value]) throws -> RowChunk {
    let definition = model.entities[try index(entity)]
    let chunk = RowChunk(layout: definition.rowLayout, capacity: 1)
    let row = chunk.appendRow()
    for (name, value) in values {
      guard let slot = definition.slotByName[name], chunk.setValue(row, slot, value) else {
        throw UnknownKey(key: name, owner: entity)
      }
    }
    return chunk
  }

  func insertion(_ entity: String, _ values: [String: Value]) throws -> SaveBatch.Insert {
    SaveBatch.Insert(key: try temporaryKey(entity), chunk: try row(entity, values), row: 0)
  }

  @discardableResult
  func insert(_ entity: String, _ values: [String: Value]) throws -> ObjectKey {
    var batch = SaveBatch()
    batch.inserts = [try insertion(entity, values)]
    return try store.save(batch).insertedKeys[0]
  }

  func update(
    _ key: ObjectKey,
    _ entity: String,
    _ values: [String: Value],
    version: Int64?
  ) throws -> SaveBatch.Update {
    SaveBatch.Update(
      key: key,
      chunk: try row(entity, values),
      row: 0,
      slots: SlotSet(try values.keys.map { try slot(entity, $0) }),
      expectedVersion: version
    )
  }

  // MARK: Reading

  /// The statement of a fetch, for the report of a failure.
  func lastStatement(_ description: FetchDescription) -> String? {
    let planner = FetchPlanner(layout: store.layout, storeIndex: store.index)
    return (try? planner.plan(description)).map { "\($0.statement.text) \($0.statement.bindings)" }
  }

  func description(_ entity: String, _ condition: Condition? = nil) throws -> FetchDescription {
    var description = FetchDescription(entity: try index(entity))
    description.condition = condition
    return description
  }

  func rows(_ description: FetchDescription) throws -> [(key: ObjectKey, values: [String: Value])] {
    guard case .rows(let rows) = try store.fetch(description) else { return [] }
    return contents(rows)
  }

  func contents(_ rows: FetchedRows) -> [(key: ObjectKey, values: [String: Value])] {
    var result: [(key: ObjectKey, values: [String: Value])] = []
    rows.forEach { key, chunk, row in
      var values: [String: Value] = [:]
      for property in model.entities[key.entity].properties where property.isStored {
        let value = chunk.value(row, property.slot)
        if !value.isNull { values[property.name] = value }
      }
      result.append((key, values))
    }
    return result
  }

  func keys(_ entity: String, _ condition: Condition? = nil) throws -> [Int64] {
    var description = try description(entity, condition)
    description.shape = .keys
    guard case .keys(let keys) = try store.fetch(description) else { return [] }
    return keys.map(\.number)
  }
}

/// Models that the tests share.
enum Models {
  static func attribute(
    _ name: String,
    _ type: AttributeType,
    tagged: Bool = false
  ) -> PropertyDraft {
    PropertyDraft(
      name: name,
      kind: .attribute(AttributeDefinition(type: type, allowsExternalStorage: tagged))
    )
  }

  static func toOne(_ name: String, _ destination: String, inverse: String?) -> PropertyDraft {
    PropertyDraft(
      name: name,
      kind: .relationship(RelationshipDraft(destination: destination, inverse: inverse))
    )
  }

  static func toMany(
    _ name: String,
    _ destination: String,
    inverse: String?,
    ordered: Bool = false
  ) -> PropertyDraft {
    var draft = RelationshipDraft(destination: destination, inverse: inverse)
    draft.maxCount = 0
    draft.isOrdered = ordered
    return PropertyDraft(name: name, kind: .relationship(draft))
  }

  static func entity(
    _ name: String,
    parent: String? = nil,
    abstract: Bool = false,
    unique: [[String]] = [],
    _ properties: [PropertyDraft]
  ) -> EntityDraft {
    var entity = EntityDraft(name: name)
    entity.parent = parent
    entity.isAbstract = abstract
    entity.properties = properties
    entity.uniquenessConstraints = unique
    return entity
  }

  /// Every attribute type, twice where the file tags the values.
  static var types: ModelDraft {
    var model = ModelDraft()
    model.entities = [
      entity(
        "Thing",
        [
          attribute("int16", .integer16), attribute("int32", .integer32),
          attribute("int64", .integer64), attribute("decimal", .decimal),
          attribute("double", .double), attribute("float", .float), attribute("string", .string),
          attribute("flag", .boolean), attribute("date", .date), attribute("data", .binaryData),
          attribute("tagged", .binaryData, tagged: true), attribute("uuid", .uuid),
          attribute("url", .uri), attribute("object", .transformable),
        ]
      )
    ]
    return model
  }

  /// Teams with players (ordered), tags (many-to-many), inheritance and an odd relationship.
  static var league: ModelDraft {
    var model = ModelDraft()
    model.entities = [
      entity(
        "Team",
        unique: [["name"]],
        [
          attribute("name", .string), attribute("wins", .integer32), attribute("founded", .date),
          toMany("players", "Person", inverse: "team", ordered: true),
          toMany("tags", "Tag", inverse: "teams"),
          toMany("rivals", "Team", inverse: nil),
        ]
      ),
      entity("Tag", [attribute("label", .string), toMany("teams", "Team", inverse: "tags")]),
      entity(
        "Person",
        abstract: true,
        [
          attribute("name", .string), attribute("age", .integer16),
          toOne("team", "Team", inverse: "players"),
          toOne("mentor", "Person", inverse: "pupils"),
          toMany("pupils", "Person", inverse: "mentor"),
        ]
      ),
      entity("Player", parent: "Person", [attribute("number", .integer16)]),
      entity("Coach", parent: "Person", [attribute("salary", .double)]),
    ]
    return model
  }
}
