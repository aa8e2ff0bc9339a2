// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Asks for the history of the stores, or forgets a part of it.
///
/// ```swift
/// let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
/// let result = try context.execute(request) as? NSPersistentHistoryResult
/// for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
///   context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
/// }
/// ```
/// Stores have a history from the moment they are added with `NSPersistentHistoryTrackingKey`.
/// Source: documented, “NSPersistentHistoryChangeRequest”; behaviour.md PH-3 to PH-6.
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
  /// Where the transactions of the request begin or end.
  enum Bound {
    case none
    case date(Date)
    case token(NSPersistentHistoryToken)
  }
  private(set) var bound = Bound.none
  private(set) var isDeletion = false

  /// A request for the whole history.
  public required override init() { super.init() }

  /// The form of the result; transactions and changes at first.
  open var resultType = NSPersistentHistoryResultType.transactionsAndChanges
  /// Which transactions or changes, in which order and how many; nil for all.
  ///
  /// About `NSPersistentHistoryTransaction.entityDescription` or that of `NSPersistentHistoryChange`.
  /// Of transactions whose changes are asked for, those without a fitting one are left out.
  open var fetchRequest: NSFetchRequest<NSFetchRequestResult>?
  /// The token that the request was made with; nil for others.
  open var token: NSPersistentHistoryToken? {
    if case .token(let token) = bound { token } else { nil }
  }

  private static func make(_ bound: Bound, isDeletion: Bool = false) -> Self {
    let request = Self()
    request.bound = bound
    request.isDeletion = isDeletion
    return request
  }

  /// A request for what was written after a date.
  open class func fetchHistory(after date: Date) -> Self { make(.date(date)) }
  /// A request for what was written after the token's transactions; nil for everything.
  ///
  /// Executing it throws 134301 where the history does not go back that far, or is another store's.
  open class func fetchHistory(after token: NSPersistentHistoryToken?) -> Self {
    make(token.map(Bound.token) ?? .none)
  }
  /// A request for what was written after a transaction; nil for everything.
  open class func fetchHistory(after transaction: NSPersistentHistoryTransaction?) -> Self {
    fetchHistory(after: transaction?.token)
  }
  /// A request for the transactions or changes that a fetch request describes.
  open class func fetchHistory(
    withFetch fetchRequest: NSFetchRequest<NSFetchRequestResult>
  ) -> Self {
    let request = make(.none)
    request.fetchRequest = fetchRequest
    return request
  }

  /// A request that forgets what was written before a date.
  open class func deleteHistory(before date: Date) -> Self { make(.date(date), isDeletion: true) }
  /// A request that forgets what was written before the token's transactions, which stay; nil forgets
  /// nothing.
  open class func deleteHistory(before token: NSPersistentHistoryToken?) -> Self {
    make(token.map(Bound.token) ?? .none, isDeletion: true)
  }
  /// A request that forgets what was written before a transaction, which stays; nil forgets nothing.
  open class func deleteHistory(before transaction: NSPersistentHistoryTransaction?) -> Self {
    deleteHistory(before: transaction?.token)
  }

  /// To read, or to delete.
  open override var requestType: NSPersistentStoreRequestType {
    isDeletion ? .batchDeleteRequestType : .fetchRequestType
  }

  /// A request with the same settings.
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
