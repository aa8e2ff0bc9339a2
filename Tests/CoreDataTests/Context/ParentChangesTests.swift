// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataModel

@Suite("What followed from a parent's merges")
struct ParentChangesTests {
  private let changes = ParentChanges()
  private func key(_ number: Int64) -> ObjectKey { .temporary(entity: 0, number: number) }

  @Test("Changes of several merges are given once, each key once in each list")
  func severalMerges() {
    changes.add(SavedKeys(updated: [key(2), key(1)]))
    changes.add(SavedKeys(updated: [key(2)], deleted: [key(3)]))
    changes.add(SavedKeys(deleted: [key(3)]))
    #expect(changes.removeAll() == SavedKeys(updated: [key(1), key(2)], deleted: [key(3)]))
    #expect(changes.removeAll().isEmpty)
  }

  @Test(
    "An object that was changed and then deleted is in both lists, for the parent's rows to decide"
  )
  func changedThenDeleted() {
    changes.add(SavedKeys(updated: [key(1)]))
    changes.add(SavedKeys(deleted: [key(1)]))
    #expect(changes.removeAll() == SavedKeys(updated: [key(1)], deleted: [key(1)]))
  }
}
