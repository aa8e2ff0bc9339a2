// SPDX-License-Identifier: Apache-2.0

import StoreConformance
import Testing
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

@Suite("The in-memory store")
struct MemoryStoreTests {
  @Test("does what every store must", arguments: StoreConformance.checks)
  func conformance(_ check: StoreConformance.Check) throws {
    try check.run { MemoryStore(model: $0, index: 3) }
  }

  @Test("a key path that a store cannot read is refused with what it leads to")
  func unreadable() throws {
    func attribute(_ name: String, _ type: AttributeType) -> PropertyDraft {
      PropertyDraft(name: name, kind: .attribute(AttributeDefinition(type: type)))
    }
    var team = EntityDraft(name: "Team")
    team.properties = [attribute("mood", .string), attribute("badge", .transformable)]
    team.properties[0].isTransient = true
    var draft = ModelDraft()
    draft.entities = [team]
    let store = MemoryStore(model: try ModelDefinition(draft), index: 0)
    let texts = [
      "mood": "leads to the transient property Team.mood, whose values are not stored",
      "badge": "leads to the transformable attribute Team.badge, whose content a store cannot read",
      "isDeleted": "leads to the key isDeleted, which only objects in memory have",
      "entity.attributesByName": "leads to an entity description, of which a store can read only",
    ]
    for (path, text) in texts {
      var description = FetchDescription(entity: 0)
      description.condition = .comparison(
        Comparison(.keyPath(path), .notEqual, .constant(Constant(.null)))
      )
      let error = #expect(throws: StoreError.self) { try store.fetch(description) }
      #expect(error?.code == .inexpressible)
      #expect(error?.message.contains(text) == true)
    }
    store.close()
    let closed = #expect(throws: StoreError.self) { try store.fetch(FetchDescription(entity: 0)) }
    #expect(closed?.code == .closed && closed?.message.contains(store.identifier) == true)
  }

  @Test("values that must be unique are refused, exchanged ones are not")
  func constraints() throws {
    var team = EntityDraft(name: "Team")
    team.properties = [
      PropertyDraft(name: "name", kind: .attribute(AttributeDefinition(type: .string)))
    ]
    team.uniquenessConstraints = [["name"]]
    var draft = ModelDraft()
    draft.entities = [team]
    let model = try ModelDefinition(draft)
    let store = MemoryStore(model: model, index: 0)
    let chunk = RowChunk(layout: model.entities[0].rowLayout, capacity: 3)
    for name in ["a", "b", "a"] { chunk.setText(chunk.appendRow(), 0, name) }
    var first = SaveBatch()
    first.inserts = (0..<2).map { row in
      .init(key: .temporary(entity: 0, number: Int64(row) + 1), chunk: chunk, row: row)
    }
    let keys = try store.save(first).insertedKeys
    var second = SaveBatch()
    second.inserts = [.init(key: .temporary(entity: 0, number: 3), chunk: chunk, row: 2)]
    let error = #expect(throws: StoreError.self) { try store.save(second) }
    #expect(error?.code == .constraint)
    #expect(error?.keys == [.temporary(entity: 0, number: 3)])
    #expect(error?.message.hasPrefix("1 object (Team) of this save would not be unique") == true)
    #expect(error?.message.contains("the same values for Team.name; ") == true)
    var exchange = SaveBatch()
    exchange.updates = .init(
      (0..<2).map { row in
        .init(key: keys[row], chunk: chunk, row: 1 - row, slots: SlotSet([0]), expectedVersion: 1)
      }
    )
    _ = try store.save(exchange)
    var last = SaveBatch()
    last.deletes = [.init(key: keys[0], expectedVersion: 2)]
    last.inserts = [.init(key: .temporary(entity: 0, number: 4), chunk: chunk, row: 1)]
    _ = try store.save(last)
    #expect(throws: StoreError.self) { try store.save(last) }
  }
}
