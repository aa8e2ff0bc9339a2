// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

struct HistoryExecution {
  private typealias Source = (store: NSPersistentStore, rows: any HistoryStore)
  private let request: NSPersistentHistoryChangeRequest
  private let model: FrozenModel
  private let sources: [Source]

  /// Selects the coordinator's stores that have a history, limited to the request's `affectedStores` unless
  /// this property is nil.
  ///
  /// Stops the program if `context` has no coordinator.
  ///
  /// - Throws: 134091 if there is no such store.
  init(_ request: NSPersistentHistoryChangeRequest, _ context: NSManagedObjectContext) throws {
    guard let coordinator = context.coordinator else { Misuse.contextHasNoCoordinator(context) }
    self.request = request
    model = coordinator.frozen
    let all = coordinator.persistentStores
    let stores = all.filter { store in
      request.affectedStores.map { $0.contains { $0 === store } } ?? true
    }
    sources = stores.compactMap { store in
      guard let rows = store.rows as? any HistoryStore, rows.hasHistory else { return nil }
      return (store, rows)
    }
    if sources.isEmpty {
      throw coreDataError(
        NSPersistentStoreUnsupportedRequestTypeError,
        "The history request cannot be executed.",
        Self.causeOfNoHistory(all, affected: stores)
      )
    }
  }

  private static func causeOfNoHistory(
    _ all: [NSPersistentStore],
    affected: [NSPersistentStore]
  ) -> String {
    if all.isEmpty {
      return
        "The coordinator has no stores. Add one with the option NSPersistentHistoryTrackingKey."
    }
    guard let first = affected.first(where: { $0.rows is any HistoryStore }) ?? affected.first
    else {
      return
        "affectedStores contains no store of the context's coordinator. Add such a store to affectedStores, "
        + "or set affectedStores to nil for all stores."
    }
    if !(first.rows is any HistoryStore) {
      return
        "The store \(first.locationInText) is of type \(first.type), but only SQLite stores have a "
        + "history. Add the store as \(NSSQLiteStoreType) with the option NSPersistentHistoryTrackingKey."
    }
    return "The store \(first.locationInText) has no history"
      + (affected.count > 1 ? ", nor has any other store of the request" : "")
      + ". Add the store with the option NSPersistentHistoryTrackingKey."
  }

  func result() throws -> Any { try request.isDeletion ? deleted() : fetched() }

  // MARK: Ranges

  /// Returns the range of transactions that the request covers in each of `sources`; nil for a store in which
  /// it covers no transaction.
  ///
  /// - Throws: 134301 for a token that names no store in `sources`. A fetch also throws 134301 for a
  ///   transaction number that was never assigned, except 0, and for a number after which transactions were
  ///   deleted. Also throws the store's errors.
  private func ranges() throws -> [HistoryRange?] {
    switch request.bound {
    case .none: return sources.map { _ in request.isDeletion ? nil : .all }
    case .date(let date):
      let seconds = date.timeIntervalSinceReferenceDate
      return sources.map { _ in request.isDeletion ? .until(seconds) : .since(seconds) }
    case .token(let token):
      if !sources.contains(where: { token.numbers[$0.rows.identifier] != nil }) {
        throw foreign(token)
      }
      return try sources.map { source in
        guard let number = token.numbers[source.rows.identifier] else {
          return request.isDeletion ? nil : .all
        }
        if request.isDeletion { return .before(number) }
        if let extent = try source.rows.historyExtent(), !extent.reaches(number) {
          throw expired(source.store, number, extent)
        }
        return .after(number)
      }
    }
  }

  /// Checks that the histories are complete after the position of every token in the predicate's
  /// `Condition.historyTokens`.
  ///
  /// - Throws: 134301 for a token that names no store in `sources`, for a transaction number that was never
  ///   assigned, and for a number after which transactions were deleted; the store's errors.
  private func checkTokens(of fetch: NSFetchRequest<NSFetchRequestResult>) throws {
    for token in fetch.predicate?.condition.historyTokens ?? [] {
      let named = sources.compactMap { source in
        token.numbers[source.rows.identifier].map { (source, $0) }
      }
      if named.isEmpty { throw foreign(token) }
      for (source, number) in named {
        if number == 0 {
          throw unusable(
            "The token in the predicate is the position before the first transaction of the store "
              + "\(source.store.locationInText), so it refers to no transaction. Leave out the comparison "
              + "with the token."
          )
        }
        if let extent = try source.rows.historyExtent(), !extent.reaches(number) {
          throw expired(source.store, number, extent)
        }
      }
    }
  }

  private func foreign(_ token: NSPersistentHistoryToken) -> NSError {
    let uuids = token.numbers.keys.sorted()
    let list = uuids.joined(separator: ", ")
    return unusable(
      (uuids.isEmpty
        ? "The token refers to no store."
        : uuids.count == 1
          ? "The token refers to the store with the UUID \(list), which is not among the request's stores "
            + "with a history."
          : "The token refers to the stores with the UUIDs \(list), which are not among the request's stores "
            + "with a history.")
        + " Use a token of the context's coordinator, for example from "
        + "currentPersistentHistoryToken(fromStores:)."
    )
  }

  /// Returns the error for a token whose position is not in the store's history, or after which transactions
  /// were deleted.
  private func expired(
    _ store: NSPersistentStore,
    _ number: Int64,
    _ extent: HistoryExtent
  ) -> NSError {
    let remedy =
      " Get a new token from currentPersistentHistoryToken(fromStores:), then fetch the objects again, and "
      + "continue from that token."
    if number < 0 {
      return unusable(
        "The token is damaged: it refers to transaction \(number) of the store \(store.locationInText)."
          + remedy
      )
    }
    return coreDataError(
      NSPersistentHistoryTokenExpiredError,
      "The history token has expired.",
      (number > extent.last
        ? "The history of the store \(store.locationInText) ends with transaction \(extent.last), but the "
          + "token refers to transaction \(number); the store's file is probably an older copy."
        : "Transactions after the token's transaction \(number) were deleted from the history of the store "
          + "\(store.locationInText).") + remedy
    )
  }

  /// Returns the error for a token that is not valid for a reason other than expiry.
  private func unusable(_ reason: String) -> NSError {
    coreDataError(
      NSPersistentHistoryTokenExpiredError,
      "The history token is not valid for the request.",
      reason
    )
  }

  // MARK: Deleting

  private func deleted() throws -> Any {
    var count = 0
    for (source, range) in zip(sources, try ranges()) {
      if let range { count += try source.rows.deleteHistory(range) }
    }
    return request.resultType == .count ? count : true
  }

  // MARK: Fetching

  private func fetched() throws -> Any {
    let kind = try request.fetchRequest.map(HistoryEntity.init(of:))
    var transactions = try transactions()
    if kind == .transaction, let fetch = request.fetchRequest {
      try checkTokens(of: fetch)
      transactions = try Selection(fetch).apply(to: transactions) { $0.transaction }
    }
    if kind != .change {
      switch request.resultType {
      case .statusOnly: return true
      case .transactionsOnly: return transactions.map(\.transaction)
      default: break
      }
    }
    var changes = try changes(of: transactions)
    if kind == .change, let fetch = request.fetchRequest {
      try checkTokens(of: fetch)
      changes = try Selection(fetch).apply(to: changes) { $0 }
    }
    switch request.resultType {
    case .statusOnly: return true
    case .count: return changes.count
    case .objectIDs: return changes.map(\.changedObjectID)
    case .changesOnly: return changes
    case .transactionsOnly, .transactionsAndChanges:
      return attach(changes, into: transactions, dropsEmpty: kind == .change)
    }
  }

  /// A transaction, and the index in `sources` of the store to which it belongs.
  private struct Found {
    let transaction: NSPersistentHistoryTransaction
    let source: Int
  }

  /// Returns the transactions in `ranges()`, sorted by number if `sources` has one store, otherwise by time.
  ///
  /// The token of each transaction is the position after the transaction, after all transactions before it in
  /// the array, and after the request's own token.
  private func transactions() throws -> [Found] {
    var all: [(content: HistoryTransaction, source: Int)] = []
    for (index, range) in try ranges().enumerated() {
      guard let range else { continue }
      all += try sources[index].rows.historyTransactions(range).map { ($0, index) }
    }
    if sources.count > 1 {
      all.sort { ($0.content.timestamp, $0.source) < ($1.content.timestamp, $1.source) }
    }
    var numbers = request.token?.numbers ?? [:]
    return all.map { content, source in
      let uuid = sources[source].rows.identifier
      numbers[uuid] = max(content.number, numbers[uuid] ?? 0)
      let token = NSPersistentHistoryToken(numbers)
      return Found(
        transaction: NSPersistentHistoryTransaction(content, storeID: uuid, token: token),
        source: source
      )
    }
  }

  private func changes(of transactions: [Found]) throws -> [NSPersistentHistoryChange] {
    var byNumber = sources.map { _ in [Int64: [NSPersistentHistoryChange]]() }
    for (index, source) in sources.enumerated() {
      let own = transactions.filter { $0.source == index }
      let owners = Dictionary(
        own.map { ($0.transaction.transactionNumber, $0.transaction) },
        uniquingKeysWith: { first, _ in first }
      )
      for change in try source.rows.historyChanges(of: owners.keys.sorted()) {
        guard let owner = owners[change.transaction] else { continue }
        byNumber[index][change.transaction, default: []].append(
          NSPersistentHistoryChange(
            change,
            of: source.store,
            in: model,
            owner: owner,
            includesTransaction: request.resultType != .changesOnly
          )
        )
      }
    }
    return transactions.flatMap { byNumber[$0.source][$0.transaction.transactionNumber] ?? [] }
  }

  private func attach(
    _ changes: [NSPersistentHistoryChange],
    into transactions: [Found],
    dropsEmpty: Bool
  ) -> [NSPersistentHistoryTransaction] {
    var byOwner: [ObjectIdentifier: [NSPersistentHistoryChange]] = [:]
    for change in changes {
      guard let owner = change.transaction else { continue }
      byOwner[ObjectIdentifier(owner), default: []].append(change)
    }
    return transactions.compactMap { found in
      let own = byOwner[ObjectIdentifier(found.transaction)] ?? []
      if dropsEmpty, own.isEmpty { return nil }
      if request.resultType == .transactionsAndChanges { found.transaction.changes = own }
      return found.transaction
    }
  }
}

/// Applies the predicate, order, offset and limit of a fetch request in memory.
private struct Selection {
  private let request: NSFetchRequest<NSFetchRequestResult>
  init(_ request: NSFetchRequest<NSFetchRequestResult>) { self.request = request }

  /// Returns the matching items in the requested order, limited by the request's offset and limit; a limit of
  /// 0 or less means no limit.
  ///
  /// - Throws: `UnknownKey` for a key that the transactions or changes do not have; other errors of the
  ///   predicate and the sort descriptors.
  func apply<Item, Subject: KeyValueReadable>(
    to items: [Item],
    _ subject: (Item) -> Subject
  ) throws -> [Item] {
    var chosen = items
    if let condition = request.predicate?.preparedCondition {
      chosen = try chosen.filter { item in
        try condition.holds(for: .object(HistorySubject(subject(item))), variables: [:])
      }
    }
    let keys = try (request.sortDescriptors ?? []).map { try $0.checkedSortKey() }
    if !keys.isEmpty {
      chosen = try SortOrder(keys).sorted(chosen) { .object(HistorySubject(subject($0))) }
    }
    let rest = chosen.dropFirst(max(0, request.fetchOffset))
    return Array(request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest)
  }
}
