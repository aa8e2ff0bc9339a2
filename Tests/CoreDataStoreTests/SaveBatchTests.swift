// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel
import _CoreDataStore

@Suite("Save batches")
struct SaveBatchTests {
  @Test("Updates come back as they were added, whatever they have in common")
  func updates() throws {
    var entity = EntityDraft(name: "Thing")
    entity.properties = [
      PropertyDraft(name: "a", kind: .attribute(AttributeDefinition(type: .integer64)))
    ]
    var draft = ModelDraft()
    draft.entities = [entity]
    let model = try ModelDefinition(draft)
    let chunk = RowChunk(layout: model.entities[0].rowLayout, capacity: 1)
    _ = chunk.appendRow()
    let all: [SaveBatch.Update] = (0..<60).map { number in
      SaveBatch.Update(
        key: ObjectKey(raw: UInt64(number)),
        chunk: chunk,
        row: number,
        slots: number % 4 == 0 ? SlotSet([number % 3, 70]) : SlotSet([number % 3]),
        toManys: SlotSet(number % 5 == 0 ? [9] : []),
        expectedVersion: number % 7 == 0 ? nil : Int64(number % 2) << 33,
        needsRow: number % 11 > 0
      )
    }
    var updates = SaveBatch.Updates()
    for update in all[..<20] { updates.append(update) }
    updates.append(contentsOf: SaveBatch.Updates(all[20...]))
    #expect(updates.count == 60)
    for (update, expected) in zip(updates, all) {
      #expect(update.key == expected.key && update.chunk === chunk && update.row == expected.row)
      #expect(update.slots == expected.slots && update.toManys == expected.toManys)
      #expect(update.expectedVersion == expected.expectedVersion)
      #expect(update.needsRow == expected.needsRow)
    }
  }
}
