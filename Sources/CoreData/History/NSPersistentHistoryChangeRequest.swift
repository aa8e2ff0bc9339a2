// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A request that fetches the history of stores, or deletes a part of the history.
///
/// ```swift
/// let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
/// let result = try context.execute(request) as? NSPersistentHistoryResult
/// for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
///   context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
/// }
/// ```
/// A store records history from the time when it is added with `NSPersistentHistoryTrackingKey`.
///
/// Source: documented, “NSPersistentHistoryChangeRequest”; behaviour.md PH-3 to PH-6.
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
  /// The start of the transactions to fetch, or the end of the transactions to delete.
  enum Bound {
    case none
    case date(Date)
    case token(NSPersistentHistoryToken)
  }
  private(set) var bound = Bound.none
  private(set) var isDeletion = false

  /// Creates a request for the whole history.
  public required override init() { super.init() }

  /// The form of the result; transactions and changes by default.
  open var resultType = NSPersistentHistoryResultType.transactionsAndChanges
  /// A fetch request that filters, sorts and limits the transactions or changes; nil to return all.
  ///
  /// A deletion ignores this property.
  ///
  /// The entity of the fetch request is `NSPersistentHistoryTransaction.entityDescription` or
  /// `NSPersistentHistoryChange.entityDescription`; executing a request with any other entity, or with none,
  /// throws 134060. If the fetch request selects changes and the result consists of transactions,
  /// transactions without a matching change are left out.
  open var fetchRequest: NSFetchRequest<NSFetchRequestResult>?
  /// The token with which the request was created; nil if it was created without a token or transaction.
  ///
  /// For a request that was created with a transaction, this is the token of the transaction.
  open var token: NSPersistentHistoryToken? {
    if case .token(let token) = bound { token } else { nil }
  }

  private static func make(_ bound: Bound, isDeletion: Bool = false) -> Self {
    let request = Self()
    request.bound = bound
    request.isDeletion = isDeletion
    return request
  }

  /// Returns a request for the transactions after a date.
  open class func fetchHistory(after date: Date) -> Self { make(.date(date)) }
  /// Returns a request for the transactions after the position of `token`; a nil token selects all
  /// transactions.
  ///
  /// All transactions of stores that the token does not name are included. Executing the request throws
  /// 134301 if the token names no store of the request, if a store's history ends before the token's
  /// position, if transactions after the position were deleted, or if the token is damaged.
  open class func fetchHistory(after token: NSPersistentHistoryToken?) -> Self {
    make(token.map(Bound.token) ?? .none)
  }
  /// Returns the same request as `fetchHistory(after:)` with the token of `transaction`; if `transaction` is
  /// nil, a request for all transactions.
  open class func fetchHistory(after transaction: NSPersistentHistoryTransaction?) -> Self {
    fetchHistory(after: transaction?.token)
  }
  /// Returns a request for the transactions or changes that a fetch request selects; see `fetchRequest`.
  open class func fetchHistory(
    withFetch fetchRequest: NSFetchRequest<NSFetchRequestResult>
  ) -> Self {
    let request = make(.none)
    request.fetchRequest = fetchRequest
    return request
  }

  /// Returns a request that deletes the transactions before a date.
  open class func deleteHistory(before date: Date) -> Self { make(.date(date), isDeletion: true) }
  /// Returns a request that deletes the transactions before the token's transaction, in each store that the
  /// token names.
  ///
  /// The token's transaction itself is kept. If `token` is nil, the request deletes nothing. Executing the
  /// request throws 134301 if the token names no store of the request.
  open class func deleteHistory(before token: NSPersistentHistoryToken?) -> Self {
    make(token.map(Bound.token) ?? .none, isDeletion: true)
  }
  /// Returns the same request as `deleteHistory(before:)` with the token of `transaction`; if `transaction`
  /// is nil, a request that deletes nothing.
  open class func deleteHistory(before transaction: NSPersistentHistoryTransaction?) -> Self {
    deleteHistory(before: transaction?.token)
  }

  /// `batchDeleteRequestType` for a request that deletes history, otherwise `fetchRequestType`.
  open override var requestType: NSPersistentStoreRequestType {
    isDeletion ? .batchDeleteRequestType : .fetchRequestType
  }

  /// Returns a request with the same settings.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = Self.make(bound, isDeletion: isDeletion)
    copy.resultType = resultType
    copy.fetchRequest = fetchRequest
    copy.affectedStores = affectedStores
    return copy
  }

  override func result(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    let execution = try HistoryExecution(self, context)
    return NSPersistentHistoryResult(try execution.result(), resultType)
  }
}
