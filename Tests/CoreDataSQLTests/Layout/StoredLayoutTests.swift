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
      (renamed, StoredSchema(numbers: ["A": 1], columns: [:])),
      (twice, StoredSchema(numbers: ["A": 1, "B": 1], columns: [:])),
    ]
    for (model, schema) in cases {
      let error = #expect(throws: StoreError.self) { try Layout(model: model, stored: schema) }
      #expect(error?.code == .incompatibleModel)
    }
  }
}
