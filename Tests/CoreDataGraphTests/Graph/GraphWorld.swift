// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// A graph of shelves, books and cards above rows in a dictionary, and what the graph asked of its host.
///
/// A shelf has books (cascade), a book has one shelf and one card (nullify).
final class GraphWorld: GraphHost {
  let model: ModelDefinition
  private(set) lazy var registry = ObjectRegistry(model: model, modelObject: model, owner: self)
  private(set) lazy var graph = ObjectGraph(
    registry: registry,
    detached: ObjectRegistry(model: model, modelObject: model, owner: nil),
    host: self
  )
  private var stored: [ObjectKey: ChunkRow] = [:]
  private var lastNumber: Int64 = 0
  /// Calls that a store answers with a statement.
  private(set) var statements = 0
  private(set) var vanished = 0
  private(set) var preparedForDeletion: [ObjectKey] = []

  struct Failure: Error {}

  init() throws {
    func relationship(
      _ name: String,
      _ to: String,
      _ inverse: String,
      _ rule: DeleteRule,
      max: Int
    )
      -> PropertyDraft
    {
      var draft = RelationshipDraft(destination: to, inverse: inverse)
      draft.deleteRule = rule
      draft.maxCount = max
      return PropertyDraft(name: name, kind: .relationship(draft))
    }
    func text(_ name: String) -> PropertyDraft {
      PropertyDraft(name: name, kind: .attribute(AttributeDefinition(type: .string)))
    }
    var shelf = EntityDraft(name: "Shelf")
    shelf.properties = [text("name"), relationship("books", "Book", "shelf", .cascade, max: 0)]
    var book = EntityDraft(name: "Book")
    book.properties = [
      text("name"), relationship("shelf", "Shelf", "books", .nullify, max: 1),
      relationship("card", "Card", "book", .nullify, max: 1),
    ]
    var card = EntityDraft(name: "Card")
    card.properties = [text("name"), relationship("book", "Book", "card", .nullify, max: 1)]
    var draft = ModelDraft()
    draft.entities = [shelf, book, card]
    model = try ModelDefinition(draft)
  }

  // MARK: Objects

  func entity(_ name: String) throws -> EntityDefinition {
    guard let entity = model.entity(named: name) else { throw Failure() }
    return entity
  }

  func slot(_ name: String, of object: GraphObject) throws -> Int {
    guard let slot = object.entityDefinition.slotByName[name] else { throw Failure() }
    return slot
  }

  /// A new object of the graph.
  func insert(_ name: String) throws -> GraphObject {
    lastNumber += 1
    let key = ObjectKey.temporary(entity: try entity(name).index, number: lastNumber)
    let object = makeObject(for: key)
    object.flags.remove(.fault)
    graph.insert(object)
    return object
  }

  func set(_ object: GraphObject, name: String) throws {
    let slot = try slot("name", of: object)
    let place = graph.willWrite(object, slot: slot)
    _ = place.chunk.setValue(place.row, slot, .text(name))
  }

  func name(of object: GraphObject) throws -> String? {
    graph.realize(object)
    return object.presentText(try slot("name", of: object))
  }

  func link(_ object: GraphObject, _ relationship: String, to other: GraphObject?) throws {
    graph.setReference(object, slot: try slot(relationship, of: object), to: other)
  }

  func destination(of object: GraphObject, _ relationship: String) throws -> ObjectKey? {
    graph.reference(object, slot: try slot(relationship, of: object))
  }

  func members(of object: GraphObject, _ relationship: String) throws -> Set<ObjectKey> {
    Set(graph.memberKeys(object, slot: try slot(relationship, of: object)))
  }

  // MARK: Rows

  var storedKeys: Set<ObjectKey> { Set(stored.keys) }

  /// Writes the unsaved changes into the dictionary and commits them.
  func save() throws {
    _ = graph.processPendingChanges()
    let plan = graph.planSave { _ in 0 }
    var permanent: [ObjectKey: ObjectKey] = [:]
    let batch = plan.batches[0] ?? SaveBatch()
    for insert in batch.inserts {
      lastNumber += 1
      permanent[insert.key] = ObjectKey(store: 0, entity: insert.key.entity, number: lastNumber)
    }
    for insert in batch.inserts {
      write(permanent[insert.key] ?? insert.key, from: (insert.chunk, insert.row), 1, permanent)
    }
    for object in plan.versioned {
      guard let chunk = object.chunk else { continue }
      let version = (graph.expectedVersion(object) ?? 0) + 1
      write(object.key, from: (chunk, object.rowIndex), version, permanent)
    }
    for object in plan.deleted { stored[object.key] = nil }
    graph.commit(plan, keys: [0: batch.inserts.map { permanent[$0.key] ?? $0.key }])
  }

  private func write(
    _ key: ObjectKey,
    from source: ChunkRow,
    _ version: Int64,
    _ permanent: [ObjectKey: ObjectKey]
  ) {
    let entity = model.entities[key.entity]
    let chunk = RowChunk(layout: entity.rowLayout, capacity: 1)
    let row = chunk.appendCopy(of: source.chunk, row: source.row)
    chunk.setVersion(row, version)
    for slot in entity.toOneSlots where !chunk.isNull(row, slot) {
      let old = chunk.key(row, slot)
      chunk.setKey(row, slot, permanent[old] ?? old)
    }
    stored[key] = (chunk, row)
  }

  /// Changes a stored row as another context's save does.
  func editRow(_ key: ObjectKey, _ edit: (RowChunk, Int) -> Void) throws -> ChunkRow {
    guard let old = stored[key] else { throw Failure() }
    write(key, from: old, old.chunk.version(old.row) + 1, [:])
    guard let new = stored[key] else { throw Failure() }
    edit(new.chunk, new.row)
    return new
  }

  func deleteRow(_ key: ObjectKey) { stored[key] = nil }

  // MARK: GraphHost

  func makeObject(for key: ObjectKey) -> GraphObject {
    GraphObject(registry: registry, key: key, flags: .fault)
  }

  func loadRows(_ keys: [ObjectKey]) throws -> FetchedRows {
    statements += 1
    var rows = FetchedRows()
    for key in keys {
      guard let place = stored[key] else { continue }
      rows.keys.append(key)
      rows.runs.append(FetchedRows.Run(chunk: place.chunk, first: place.row, count: 1))
    }
    return rows
  }

  func loadRow(_ key: ObjectKey, into open: RowChunk?) throws -> LoadedRow? {
    statements += 1
    return stored[key].map { LoadedRow(key: key, chunk: $0.chunk, row: $0.row) }
  }

  func loadMembers(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]] {
    statements += 1
    return owners.map { owner in
      let relationship = model.entities[owner.entity].properties[slot].relationship
      guard let relationship, let inverse = relationship.inverse else { return [] }
      return stored.filter { key, place in
        key.entity == relationship.destination && !place.chunk.isNull(place.row, inverse)
          && place.chunk.key(place.row, inverse) == owner
      }.keys.sorted { $0.raw < $1.raw }
    }
  }

  func loadRelated(of owners: [ObjectKey], slot: Int) throws -> RelatedRows {
    let members = try loadMembers(of: owners, slot: slot)
    return RelatedRows(members: members, rows: try loadRows(Array(Set(members.joined()))))
  }

  func objects(of rows: FetchedRows) -> [GraphObject] {
    var objects: [GraphObject] = []
    rows.forEach { key, chunk, row in
      let object = graph.object(for: key)
      if object.chunk == nil { graph.fill(object, from: chunk, row: row) }
      objects.append(object)
    }
    return objects
  }

  func rowVanished(_ object: GraphObject, slot: Int?) { vanished += 1 }
  func setTransientObjects(of object: GraphObject) {}
  func didRealize(_ object: GraphObject) {}
  func willDelete(_ object: GraphObject) { preparedForDeletion.append(object.key) }
  func changesBegan() {}
  func willChange(_ object: GraphObject, slot: Int) {}
  func didChange(_ object: GraphObject, slot: Int) {}
  func willReplaceValues(of object: GraphObject) {}
  func didReplaceValues(of object: GraphObject) {}
  func faultFailed(_ object: GraphObject, _ error: any Error) -> Never {
    preconditionFailure("a row of a dictionary cannot be read: \(error)")
  }
}
