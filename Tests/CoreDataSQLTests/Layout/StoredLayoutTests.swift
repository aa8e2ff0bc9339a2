// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

@Suite("The layout of files that do not have all of a model")
struct StoredLayoutTests {
  private func model(_ entities: [(name: String, old: String?)]) throws -> ModelDefinition {
    var draft = ModelDraft()
    draft.entities = entities.map { entity in
      var made = EntityDraft(name: entity.name)
      made.renamingIdentifier = entity.old
      made.properties = [
        PropertyDraft(name: "text", kind: .attribute(AttributeDefinition(type: .string)))
      ]
      return made
    }
    return try ModelDefinition(draft)
  }

  @Test("An entity that need not be there has a number of its own and no columns")
  func absent() throws {
    let model = try model([("A", nil), ("B", nil)])
    let schema = StoredSchema(numbers: ["B": 7], columns: ["ZB": ["Z_PK", "Z_ENT", "ZTEXT"]])
    let layout = try Layout(model: model, stored: schema, entities: ["B"])
    #expect(layout.entities.map(\.number) == [8, 7])
    #expect(layout.entities.map { $0.columns.map(\.name) } == [[], ["ZTEXT"]])
    for needed in [nil, ["A", "B"]] as [Set<String>?] {
      let error = #expect(throws: StoreError.self) {
        try Layout(model: model, stored: schema, entities: needed)
      }
      #expect(error?.code == .incompatibleModel)
    }
  }

  @Test("Two entities with one number are an error")
  func shared() throws {
    let renamed = try model([("A", nil), ("B", "A")])
    let twice = try model([("A", nil), ("B", nil)])
    let cases = [
      (renamed, StoredSchema(numbers: ["A": 1], columns: [:]), "the store's entity A"),
      (twice, StoredSchema(numbers: ["A": 1, "B": 1], columns: [:]), "the same number (Z_ENT 1)"),
    ]
    for (model, schema, cause) in cases {
      let error = #expect(throws: StoreError.self) { try Layout(model: model, stored: schema) }
      #expect(error?.code == .incompatibleModel)
      #expect(error?.message.contains(cause) == true)
    }
  }

  @Test("An entity that the store lacks is named together with its renaming identifier")
  func missing() throws {
    let schema = StoredSchema(numbers: ["A": 1], columns: [:])
    for old in [nil, "Former"] {
      let model = try model([("A", nil), ("B", old)])
      let error = #expect(throws: StoreError.self) { try Layout(model: model, stored: schema) }
      #expect(error?.message.contains("no entity B") == true)
      #expect(error?.message.contains("Former") == (old != nil))
    }
  }

  @Test("An attribute that a file cannot hold is named with its type or its element")
  func unstorable() throws {
    let type = AttributeType.objectID.traits.modelFileName
    let cases: [(AttributeType, String?, String)] = [
      (.objectID, nil, "its type is \(type)"),
      (.composite, nil, "it is a composite without elements"),
      (.composite, "Pair", "the type of its element one is \(type)"),
    ]
    for (type, composite, cause) in cases {
      var attribute = AttributeDefinition(type: type)
      attribute.compositeName = composite
      var entity = EntityDraft(name: "A")
      entity.properties = [PropertyDraft(name: "odd", kind: .attribute(attribute))]
      var draft = ModelDraft()
      draft.entities = [entity]
      let one = AttributeDefinition(type: .objectID)
      draft.composites = ["Pair": [PropertyDraft(name: "one", kind: .attribute(one))]]
      let model = try ModelDefinition(draft)
      let error = #expect(throws: StoreError.self) { try Layout(model: model) }
      #expect(error?.code == .invalidRequest)
      #expect(error?.message.contains("A.odd") == true && error?.message.contains(cause) == true)
    }
  }
}
