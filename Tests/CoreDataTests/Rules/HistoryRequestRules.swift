// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// `docs/reference/behaviour.md` §18: what is asked.
@Suite struct HistoryRequestRules {
  /// Three transactions: two tags by Erna, a tag by Otto, a tag of the first renamed.
  private func threeTransactions() throws -> (HistoryStack, [NSManagedObject]) {
    let history = try HistoryStack()
    history.context.transactionAuthor = "Erna"
    let tags = ["a", "b"].map { history.stack.make("Tag", ["name": $0]) }
    try history.context.save()
    history.context.transactionAuthor = "Otto"
    let third = history.stack.make("Tag", ["name": "c"])
    try history.context.save()
    tags[0].setValue("A", forKey: "name")
    try history.context.save()
    return (history, tags + [third])
  }

  @Test("PH-3: every result type says what it says")
  func resultTypes() throws {
    let (history, tags) = try threeTransactions()
    func result(_ type: NSPersistentHistoryResultType) throws -> Any? {
      try history.execute(.fetchHistory(after: Date.distantPast), type)
    }
    #expect(NSPersistentHistoryChangeRequest().resultType == .transactionsAndChanges)
    #expect(try result(.statusOnly) as? Bool == true)
    let ids = try result(.objectIDs) as? [NSManagedObjectID]
    #expect(Set(ids ?? []) == Set(tags.map(\.objectID)) && ids?.count == 4)
    #expect(try result(.count) as? Int == 4)
    let bare = try #require(try result(.transactionsOnly) as? [NSPersistentHistoryTransaction])
    #expect(bare.map(\.transactionNumber) == [1, 2, 3] && bare.allSatisfy { $0.changes == nil })
    let changes = try #require(try result(.changesOnly) as? [NSPersistentHistoryChange])
    #expect(changes.map(\.changeID) == [1, 2, 3, 4])
    #expect(changes.allSatisfy { $0.transaction == nil })
    let both = try history.transactions()
    #expect(both.map { $0.changes?.count } == [2, 1, 1])
    #expect(
      NSPersistentHistoryResultType(rawValue: 5) == .transactionsAndChanges
        && NSPersistentHistoryChangeType(rawValue: 2) == .delete
    )
  }

  @Test("PH-3, PH-4: after a date, a token, a transaction; a nil token is the beginning")
  func after() throws {
    let (history, _) = try threeTransactions()
    let all = try history.transactions()
    func numbers(_ request: NSPersistentHistoryChangeRequest) throws -> [Int64] {
      let found = try history.execute(request, .transactionsOnly)
      return (found as? [NSPersistentHistoryTransaction] ?? []).map(\.transactionNumber)
    }
    #expect(try numbers(.fetchHistory(after: all[0].token)) == [2, 3])
    #expect(try numbers(.fetchHistory(after: all[2].token)) == [])
    #expect(try numbers(.fetchHistory(after: all[1])) == [3])
    #expect(try numbers(.fetchHistory(after: all[0].timestamp)).contains(3))
    #expect(try numbers(.fetchHistory(after: all[2].timestamp)) == [])
    #expect(try numbers(.fetchHistory(after: nil as NSPersistentHistoryToken?)) == [1, 2, 3])
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: all[0].token)
    #expect(request.token == all[0].token)
    #expect(NSPersistentHistoryChangeRequest.fetchHistory(after: Date()).token == nil)
    let copy = request.copy() as? NSPersistentHistoryChangeRequest
    #expect(copy?.token == all[0].token)
  }

  @Test("PH-4, PH-8: deleting keeps the token's own transaction, and is no history itself")
  func deletion() throws {
    let (history, _) = try threeTransactions()
    let all = try history.transactions()
    #expect(try history.execute(.deleteHistory(before: all[1].token), .count) as? Int == 1)
    #expect(try history.transactions().map(\.transactionNumber) == [2, 3])
    #expect(try history.count("SELECT COUNT(*) FROM ACHANGE") == 2)
    #expect(
      try history.execute(
        .deleteHistory(before: nil as NSPersistentHistoryToken?),
        .count
      ) as? Int == 0
    )
    #expect(
      try history.execute(.deleteHistory(before: all[2]), .statusOnly) as? Bool == true
    )
    #expect(try history.transactions().map(\.transactionNumber) == [3])
    _ = try history.execute(.deleteHistory(before: Date.distantFuture), .statusOnly)
    #expect(try history.transactions().isEmpty)
    #expect(try history.count("SELECT COUNT(*) FROM ATRANSACTIONSTRING") == 0)
    // Numbers are never given again.
    _ = history.stack.make("Tag")
    try history.context.save()
    let next = try history.transactions()
    #expect(next.map(\.transactionNumber) == [4])
    #expect(next.first?.changes?.map(\.changeID) == [5])
  }

  @Test("PH-5: a token whose successors are gone, of another store, or not given yet has expired")
  func expiry() throws {
    let (history, _) = try threeTransactions()
    let all = try history.transactions()
    _ = try history.execute(.deleteHistory(before: all[2].token))
    func code(_ token: NSPersistentHistoryToken) -> Int? {
      do {
        _ = try history.transactions(after: token)
        return nil
      } catch {
        return (error as NSError).code
      }
    }
    #expect(code(all[0].token) == NSPersistentHistoryTokenExpiredError)
    // What follows the second is all there.
    #expect(code(all[1].token) == nil)
    #expect(code(all[2].token) == nil)
    let other = try HistoryStack()
    _ = other.stack.make("Tag")
    try other.context.save()
    let foreign = try #require(try other.transactions().first?.token)
    #expect(code(foreign) == NSPersistentHistoryTokenExpiredError)
    _ = try history.execute(.deleteHistory(before: Date.distantFuture))
    #expect(code(all[1].token) == NSPersistentHistoryTokenExpiredError)
    #expect(code(all[2].token) == nil)
  }

  @Test("PH-5: an expired token names the store and the cause")
  func causesOfExpiry() throws {
    let (history, _) = try threeTransactions()
    let path = try #require(try history.stack.store.url?.path)
    let identifier = try #require(try history.stack.store.identifier)
    func reason(_ numbers: [String: Int64]) -> String {
      let error = #expect(throws: NSError.self) {
        try history.transactions(after: try token(numbers))
      }
      #expect(error?.code == NSPersistentHistoryTokenExpiredError)
      return error?.localizedFailureReason ?? ""
    }
    func token(_ numbers: [String: Int64]) throws -> NSPersistentHistoryToken {
      let archiver = NSKeyedArchiver(requiringSecureCoding: true)
      let dictionary = NSMutableDictionary()
      for (uuid, number) in numbers {
        dictionary.setObject(NSNumber(value: number), forKey: NSString(string: uuid))
      }
      archiver.encode(dictionary, forKey: "NSPersistentHistoryTokenDictionary")
      let coder = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
      return try #require(NSPersistentHistoryToken(coder: coder))
    }
    let later = reason([identifier: 9])
    #expect(later.contains(path) && later.contains("ends with transaction 3"), "\(later)")
    #expect(reason([identifier: -1]).hasPrefix("The token is damaged"))
    #expect(reason([:]).hasPrefix("The token refers to no store."))
    #expect(reason(["OTHER": 1]).contains("the store with the UUID OTHER"))
    _ = try history.execute(.deleteHistory(before: Date.distantFuture))
    let deleted = reason([identifier: 1])
    #expect(deleted.hasPrefix("Transactions after the token's transaction 1"), "\(deleted)")
    let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
    fetch.predicate = NSPredicate(format: "token > %@", try token([identifier: 0]))
    let error = #expect(throws: NSError.self) {
      try history.execute(.fetchHistory(withFetch: fetch))
    }
    #expect(
      error?.localizedFailureReason?.contains("the position before the first transaction") == true
    )
  }

  @Test("PH-5: a token survives a secure archive")
  func archive() throws {
    let (history, _) = try threeTransactions()
    let token = try history.transactions()[1].token
    let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
    let read = try NSKeyedUnarchiver.unarchivedObject(
      ofClass: NSPersistentHistoryToken.self,
      from: data
    )
    #expect(read == token)
    #expect(try history.transactions(after: read).map(\.transactionNumber) == [3])
  }

  @Test("PH-6: transactions and changes are chosen, ordered and limited by fetch requests")
  func fetchRequests() throws {
    let (history, tags) = try threeTransactions()
    func transactions(
      _ format: String,
      _ arguments: [Any] = [],
      _ change: (NSFetchRequest<NSFetchRequestResult>) -> Void = { _ in }
    ) throws -> [Int64] {
      let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
      fetch.predicate = NSPredicate(format: format, argumentArray: arguments)
      change(fetch)
      let found = try history.execute(.fetchHistory(withFetch: fetch))
      return (found as? [NSPersistentHistoryTransaction] ?? []).map(\.transactionNumber)
    }
    func changes(_ format: String, _ arguments: [Any] = []) throws -> [Int64] {
      let fetch = try #require(NSPersistentHistoryChange.fetchRequest)
      fetch.predicate = NSPredicate(format: format, argumentArray: arguments)
      let found = try history.execute(.fetchHistory(withFetch: fetch), .changesOnly)
      return (found as? [NSPersistentHistoryChange] ?? []).map(\.changeID)
    }
    let all = try history.transactions()
    #expect(try transactions("author = 'Otto'") == [2, 3])
    #expect(try transactions("author != %@ AND contextName = nil", ["Otto"]) == [1])
    #expect(try transactions("processID = %@", [ProcessInfo.processInfo.processName]) == [1, 2, 3])
    #expect(try transactions("timestamp > %@", [all[2].timestamp]) == [])
    #expect(try transactions("token = %@", [all[1].token]) == [2])
    #expect(
      try transactions("TRUEPREDICATE") {
        $0.sortDescriptors = [NSSortDescriptor(key: "transactionNumber", ascending: false)]
        $0.fetchLimit = 2
      } == [3, 2]
    )
    #expect(try changes("changeType = %d", [NSPersistentHistoryChangeType.update.rawValue]) == [4])
    #expect(try changes("changedObjectID = %@", [tags[0].objectID]) == [1, 4])
    #expect(try changes("changedEntity.name = 'Tag' AND transaction.author = 'Otto'") == [3, 4])
    #expect(try changes("changedEntity = %@", [tags[0].entity]) == [1, 2, 3, 4])
    #expect(try changes("ANY updatedProperties.name = 'name'") == [4])
    // Only transactions that have such a change, with it alone.
    let fetch = try #require(NSPersistentHistoryChange.fetchRequest)
    fetch.predicate = NSPredicate(format: "changedObjectID = %@", tags[0].objectID)
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
    request.fetchRequest = fetch
    let found = try history.execute(request) as? [NSPersistentHistoryTransaction]
    #expect(found?.map { $0.changes?.map(\.changeID) } == [[1], [4]])
    let names = NSPersistentHistoryTransaction.entityDescription(with: history.context)?
      .propertiesByName.keys.sorted()
    #expect(names?.contains("author") == true)
  }

  @Test("PH-6: a name that the history does not have, or another entity, is an error")
  func badRequests() throws {
    let (history, _) = try threeTransactions()
    let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
    fetch.predicate = NSPredicate(format: "writer = 'Otto'")
    #expect(throws: NSError.self) { try history.execute(.fetchHistory(withFetch: fetch)) }
    let tags = NSFetchRequest<NSFetchRequestResult>(entityName: "Tag")
    #expect(throws: NSError.self) { try history.execute(.fetchHistory(withFetch: tags)) }
    let nameless = #expect(throws: NSError.self) {
      try history.execute(.fetchHistory(withFetch: NSFetchRequest<NSFetchRequestResult>()))
    }
    #expect(nameless?.localizedFailureReason?.contains("has no entity") == true)
    func reason(_ stack: LibraryStack, _ stores: [NSPersistentStore]? = nil) -> String {
      let request = NSPersistentHistoryChangeRequest()
      request.affectedStores = stores
      let error = #expect(throws: NSError.self) { try stack.context.execute(request) }
      #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
      return error?.localizedFailureReason ?? ""
    }
    let plain = try LibraryStack()
    let path = try #require(try plain.store.url?.path)
    #expect(reason(plain).hasPrefix("The store at \(path) has no history"))
    #expect(reason(plain, []).hasPrefix("affectedStores contains no store"))
    #expect(reason(try LibraryStack(NSInMemoryStoreType)).contains("is of type InMemory"))
    try plain.container.persistentStoreCoordinator.remove(try plain.store)
    #expect(reason(plain).hasPrefix("The coordinator has no stores"))
  }

  @Test("PH-7: a transaction's IDs merge into another context")
  func merging() throws {
    let history = try HistoryStack()
    let kept = history.stack.make("Tag", ["name": "a"])
    let doomed = history.stack.make("Tag", ["name": "b"])
    try history.context.save()
    let token = history.coordinator.currentPersistentHistoryToken(fromStores: nil)
    let reader = history.stack.container.newBackgroundContext()
    let read = try history.stack.reread("Tag", in: reader)
    let copy = try #require(read.first { $0.text("name") == "a" })
    let gone = try #require(read.first { $0.text("name") == "b" })
    kept.setValue("A", forKey: "name")
    history.context.delete(doomed)
    let fresh = history.stack.make("Tag", ["name": "c"])
    try history.context.save()
    let notification = try #require(try history.transactions(after: token).first)
      .objectIDNotification()
    #expect(notification.name == NSManagedObjectContext.didSaveObjectIDsNotification)
    let info = notification.userInfo
    #expect(info?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID> == [fresh.objectID])
    #expect(info?[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID> == [copy.objectID])
    #expect(info?[NSDeletedObjectIDsKey] as? Set<NSManagedObjectID> == [gone.objectID])
    reader.mergeChanges(fromContextDidSave: notification)
    #expect(copy.text("name") == "A" && gone.isDeleted || gone.managedObjectContext == nil)
  }

  @Test("PH-10: the current token is that of all stores, of those named, or nil")
  func currentToken() throws {
    let (history, _) = try threeTransactions()
    let second = try history.coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: history.stack.folder.appendingPathComponent("Second.sqlite"),
      options: HistoryStack.option
    )
    let first = try history.stack.store
    let all = try #require(history.coordinator.currentPersistentHistoryToken(fromStores: nil))
    let one = try #require(history.coordinator.currentPersistentHistoryToken(fromStores: [first]))
    #expect(all != one)
    #expect(try history.transactions(after: all).isEmpty)
    #expect(one == (try history.transactions().last?.token))
    history.context.assign(history.stack.make("Tag"), to: second)
    try history.context.save()
    #expect(try history.transactions(after: all).map(\.storeID) == [second.identifier])
    let plain = try LibraryStack()
    let coordinator = plain.container.persistentStoreCoordinator
    #expect(coordinator.currentPersistentHistoryToken(fromStores: nil) == nil)
  }

  @Test("Saves, remote changes and their messages carry the token of their transaction")
  func tokens() async throws {
    let history = try HistoryStack([
      NSPersistentStoreRemoteChangeNotificationPostOptionKey: NSNumber(value: true)
    ])
    let saved = Posts(history.context, NSManagedObjectContext.didSaveObjectsNotification)
    let (received, feed) = AsyncStream<NSPersistentHistoryToken?>.makeStream()
    let token = NotificationCenter.default.addObserver(
      of: history.coordinator,
      for: .remoteChange
    ) { message in
      feed.yield(message.historyToken)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let changed = Posts(history.coordinator, .NSPersistentStoreRemoteChange)
    _ = history.stack.make("Tag")
    try history.context.save()
    let current = history.coordinator.currentPersistentHistoryToken(fromStores: nil)
    #expect(current != nil)
    #expect(saved.infos.first?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken == current)
    #expect(await received.first { _ in true } == current)
    try history.stack.store.waitForRemoteChanges()
    let info = changed.infos.first
    #expect(info?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken == current)
  }
}
