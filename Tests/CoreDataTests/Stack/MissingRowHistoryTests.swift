// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// The history of a save that removes members whose rows are gone.
@Suite struct MissingRowHistoryTests {
  @Test("A member that another context deleted has no update after its deletion in the history")
  func removedMember() throws {
    let stack = try LibraryStack(options: [NSPersistentHistoryTrackingKey: true as NSNumber])
    let book = stack.make("Book", ["title": "Momo"])
    let tag = stack.make("Tag", ["name": "a"])
    tag.setValue(Set([book]), forKey: "books")
    try stack.context.save()
    let mine = stack.container.newBackgroundContext()
    let seen = try mine.existingObject(with: tag.objectID)
    #expect((seen.value(forKey: "books") as? Set<NSManagedObject>)?.count == 1)
    let id = book.objectID
    stack.context.delete(book)
    try stack.context.save()
    mine.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    seen.setValue(Set<NSManagedObject>(), forKey: "books")
    seen.setValue("b", forKey: "name")
    try mine.save()
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
    let result = try mine.execute(request) as? NSPersistentHistoryResult
    let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
    let changes = transactions.flatMap { $0.changes ?? [] }.filter { $0.changedObjectID == id }
    #expect(changes.map(\.changeType) == [.insert, .delete])
    #expect(transactions.count == 3)
  }
}
