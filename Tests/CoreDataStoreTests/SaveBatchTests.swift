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

  @Test("A change of a batch does not change its copies")
  func copies() throws {
    var batch = SaveBatch()
    let delete = SaveBatch.Delete(key: ObjectKey(raw: 1), expectedVersion: nil)
    batch.deletes.append(delete)
    batch.author = HistoryAuthor(author: "a")
    let copy = batch
    batch.deletes.append(delete)
    batch.checks.append(.init(key: ObjectKey(raw: 2), expectedVersion: 3))
    batch.folds[0] = .keep
    batch.author.author = "b"
    #expect(copy.deletes.count == 1 && copy.checks.isEmpty && copy.folds.isEmpty)
    #expect(copy.author.author == "a" && batch.author.author == "b")
    #expect(batch.deletes.count == 2 && batch.checks.count == 1 && batch.folds[0] == .keep)
    #expect(batch.rowCount == 2 && !batch.isEmpty && SaveBatch().isEmpty)
  }

  @Test("Values by store are found, replaced and removed, and the stores are in ascending order")
  func valuesByStore() {
    var values: ValuesByStore<[Int]> = [3: [3], 1: [1]]
    values[2, default: []].append(2)
    values[3, default: []].append(4)
    #expect(values.stores == [1, 2, 3] && values.count == 3)
    #expect(values[3] == [3, 4] && values[2] == [2] && values[4] == nil)
    #expect(values.map(\.store) == [3, 1, 2])
    values[1] = nil
    values[4] = nil
    values[2] = [5]
    #expect(values.stores == [2, 3] && values[1] == nil && values[2] == [5])
    #expect(values[9, default: [7]] == [7] && values.count == 2)
    #expect(ValuesByStore<Int>().isEmpty && ValuesByStore<Int>().stores.isEmpty)
  }
}
