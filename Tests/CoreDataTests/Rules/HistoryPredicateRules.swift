// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// `reference/behaviour.md` §18: predicates on tokens, the token of a save, the author of a batch.
@Suite struct HistoryPredicateRules {
  /// Three transactions of a tag each.
  private static func threeTags() throws -> HistoryStack {
    let history = try HistoryStack()
    for name in ["a", "b", "c"] {
      _ = history.stack.make("Tag", ["name": name])
      try history.context.save()
    }
    return history
  }

  private static func numbers(
    _ history: HistoryStack,
    _ format: String,
    _ token: NSPersistentHistoryToken
  ) throws -> [Int64] {
    let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
    fetch.predicate = NSPredicate(format: format, token)
    let found = try history.execute(.fetchHistory(withFetch: fetch), .transactionsOnly)
    return (found as? [NSPersistentHistoryTransaction] ?? []).map(\.transactionNumber)
  }

  @Test("PH-6: tokens are compared by the places of their transactions")
  func tokens() throws {
    let history = try Self.threeTags()
    let all = try history.transactions()
    #expect(try Self.numbers(history, "token > %@", all[0].token) == [2, 3])
    #expect(try Self.numbers(history, "token >= %@", all[1].token) == [2, 3])
    #expect(try Self.numbers(history, "token < %@", all[1].token) == [1])
    #expect(try Self.numbers(history, "token = %@", all[1].token) == [2])
    #expect(try Self.numbers(history, "token != %@", all[1].token) == [1, 3])
    let fetch = try #require(NSPersistentHistoryChange.fetchRequest)
    fetch.predicate = NSPredicate(format: "transaction.token > %@", all[1].token)
    let changes = try history.execute(.fetchHistory(withFetch: fetch), .changesOnly)
    #expect((changes as? [NSPersistentHistoryChange])?.map(\.changeID) == [3])
    let ordered = try #require(NSPersistentHistoryTransaction.fetchRequest)
    ordered.sortDescriptors = [NSSortDescriptor(key: "token", ascending: false)]
    let last = try history.execute(.fetchHistory(withFetch: ordered), .transactionsOnly)
    #expect((last as? [NSPersistentHistoryTransaction])?.map(\.transactionNumber) == [3, 2, 1])
  }

  @Test("PH-5, PH-6: a token in a predicate whose transaction is not there is 134301")
  func expiredTokens() throws {
    let empty = try HistoryStack()
    let initial = try #require(empty.coordinator.currentPersistentHistoryToken(fromStores: nil))
    _ = empty.stack.make("Tag", ["name": "a"])
    try empty.context.save()
    let error = #expect(throws: NSError.self) {
      try Self.numbers(empty, "token > %@", initial)
    }
    #expect(error?.code == NSPersistentHistoryTokenExpiredError)
    #expect(error?.localizedDescription == "The history token is not valid for the request.")
    #expect(try empty.transactions(after: initial).count == 1)
    let other = try Self.threeTags().transactions()[0].token
    let foreign = #expect(throws: NSError.self) { try Self.numbers(empty, "token = %@", other) }
    #expect(foreign?.code == NSPersistentHistoryTokenExpiredError)
    let reason = try #require(foreign?.localizedFailureReason)
    #expect(reason.hasPrefix("The token refers to the store with the UUID "))
  }

  @Test("NOT-5: what a save posts has the token under Apple's key and under the public one")
  func savedToken() throws {
    let history = try HistoryStack()
    let name = NSManagedObjectContext.didSaveObjectsNotification
    let seen = Seen()
    let observer = NotificationCenter.default.addObserver(
      forName: name,
      object: history.context,
      queue: nil
    ) { seen.add($0.userInfo) }
    defer { NotificationCenter.default.removeObserver(observer) }
    _ = history.stack.make("Tag", ["name": "a"])
    try history.context.save()
    let current = history.coordinator.currentPersistentHistoryToken(fromStores: nil)
    #expect(seen.tokens("newChangeToken") == [current])
    #expect(seen.tokens(NSPersistentHistoryTokenKey) == [current])
  }

  private final class Seen: @unchecked Sendable {
    // Unchecked: the observer runs inside the save, on the test's thread.
    private var infos: [[AnyHashable: Any]] = []
    func add(_ info: [AnyHashable: Any]?) { infos.append(info ?? [:]) }
    func tokens(_ key: String) -> [NSPersistentHistoryToken?] {
      infos.map { $0[key] as? NSPersistentHistoryToken }
    }
  }

  @Test("PH-1: a batch that a child context asks for is its outermost parent's")
  func childBatch() throws {
    let history = try HistoryStack()
    _ = history.stack.make("Tag", ["name": "a"])
    try history.context.save()
    history.context.transactionAuthor = "Parent"
    history.context.name = "parent's"
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = history.context
    child.transactionAuthor = "Child"
    let update = NSBatchUpdateRequest(entityName: "Tag")
    update.propertiesToUpdate = ["name": "b"]
    try child.performAndWait { _ = try child.execute(update) }
    let last = try #require(try history.transactions().last)
    #expect(last.author == "Parent")
    #expect(last.contextName == "parent's")
  }
}
