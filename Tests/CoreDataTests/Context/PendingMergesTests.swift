// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataModel

@Suite("Saves that wait to be merged")
struct PendingMergesTests {
  private let pending = PendingMerges()
  private func key(_ number: Int64) -> ObjectKey { .temporary(entity: 0, number: number) }

  @Test("Only the first save that waits asks for a merge")
  func firstSave() {
    #expect(pending.add(SavedKeys(updated: [key(1)])))
    #expect(!pending.add(SavedKeys(updated: [key(2)])))
    _ = pending.removeAll()
    #expect(pending.add(SavedKeys(updated: [key(3)])))
  }

  @Test("Waiting saves become one, with each key once in each list")
  func oneMerge() {
    _ = pending.add(SavedKeys(inserted: [key(1)], updated: [key(2)]))
    _ = pending.add(SavedKeys(updated: [key(2), key(3)], deleted: [key(4)]))
    _ = pending.add(SavedKeys(deleted: [key(4)]))
    let merged = pending.removeAll()
    #expect(merged == SavedKeys(inserted: [key(1)], updated: [key(2), key(3)], deleted: [key(4)]))
    #expect(pending.removeAll().isEmpty)
  }

  @Test("An object that was inserted and then updated counts as inserted")
  func insertedThenUpdated() {
    _ = pending.add(SavedKeys(inserted: [key(1)]))
    _ = pending.add(SavedKeys(updated: [key(1)]))
    #expect(pending.removeAll() == SavedKeys(inserted: [key(1)]))
  }

  @Test("A deletion stays beside an insertion of the same key, for the store to decide")
  func deletedAndInserted() {
    _ = pending.add(SavedKeys(deleted: [key(1)]))
    _ = pending.add(SavedKeys(inserted: [key(1)]))
    #expect(pending.removeAll() == SavedKeys(inserted: [key(1)], deleted: [key(1)]))
  }
}
