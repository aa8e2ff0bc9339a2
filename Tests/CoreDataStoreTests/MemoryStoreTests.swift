// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataStore
import StoreConformance
import Testing

@Suite("The in-memory store")
struct MemoryStoreTests {
  @Test("does what every store must", arguments: StoreConformance.checks)
  func conformance(_ check: StoreConformance.Check) throws {
    try check.run { try MemoryStore(model: $0, index: 3) }
  }

  @Test("refuses a model with uniqueness constraints, naming the entity")
  func constraints() throws {
    var team = EntityDraft(name: "Team")
    team.properties = [
      PropertyDraft(name: "name", kind: .attribute(AttributeDefinition(type: .string)))
    ]
    team.uniquenessConstraints = [["name"]]
    var draft = ModelDraft()
    draft.entities = [team]
    let model = try ModelDefinition(draft)
    let error = #expect(throws: StoreError.self) { try MemoryStore(model: model, index: 0) }
    #expect(error?.code == .invalidRequest)
    #expect(error?.message.contains("Team") == true)
  }
}
