// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

/// The changes that one save or batch request made to one store, as recorded in the store's history.
///
/// History requests return transactions; programs do not create transactions.
///
/// Source: documented, “NSPersistentHistoryTransaction”.
open class NSPersistentHistoryTransaction: NSObject, NSCopying {
  let content: HistoryTransaction
  /// The UUID of the store that the transaction changed.
  public let storeID: String
  /// The position after this transaction and after all earlier transactions in the request's range, including
  /// those that the request's fetch request leaves out.
  ///
  /// If the request was created with a token or a transaction, the position includes all stores of that token
  /// or of the transaction's token, so that the next request can continue in all of these stores.
  public let token: NSPersistentHistoryToken
  /// The changes of the transaction that match the request; nil unless the result type of the request is
  /// `transactionsAndChanges`.
  ///
  /// Sorted by `changeID`, unless the request sorts changes.
  public internal(set) var changes: [NSPersistentHistoryChange]?

  init(_ content: HistoryTransaction, storeID: String, token: NSPersistentHistoryToken) {
    self.content = content
    self.storeID = storeID
    self.token = token
    super.init()
  }

  /// The time at which the transaction was written.
  open var timestamp: Date { Date(timeIntervalSinceReferenceDate: content.timestamp) }
  /// The number of the transaction; later transactions of the store have greater numbers.
  open var transactionNumber: Int64 { content.number }
  /// The `transactionAuthor` of the context that saved, or that executed the batch request; nil if the
  /// context had no author.
  open var author: String? { content.author }
  /// The name of the context that saved, or that executed the batch request; nil if the context had no name.
  open var contextName: String? { content.contextName }
  /// The bundle identifier of the program that wrote the transaction, or the program's name if there is no
  /// bundle identifier.
  open var bundleID: String { content.bundleID }
  /// The name, not the number, of the process that wrote the transaction, as in files that Apple's framework
  /// writes.
  open var processID: String { content.processID }

  /// Returns a notification with the IDs of the changed objects, for `mergeChanges(fromContextDidSave:)`.
  ///
  /// The notification has the name and the keys of `NSManagedObjectContextDidSaveObjectIDs`. If `changes` is
  /// nil or empty, the notification names no objects.
  open func objectIDNotification() -> Notification {
    var ids: [NSPersistentHistoryChangeType: Set<NSManagedObjectID>] = [:]
    for change in changes ?? [] {
      ids[change.changeType, default: []].insert(change.changedObjectID)
    }
    var info: [AnyHashable: Any] = [:]
    info[NSInsertedObjectIDsKey] = ids[.insert]
    info[NSUpdatedObjectIDsKey] = ids[.update]
    info[NSDeletedObjectIDsKey] = ids[.delete]
    return Notification(
      name: ContextNotification.didSaveObjectIDs.nameWithoutObserving,
      object: nil,
      userInfo: info
    )
  }

  /// All properties of the transaction except `token`.
  open override var description: String {
    "\(addressedName) transactionNumber: \(transactionNumber) timestamp: \(timestamp) author: "
      + "\(author ?? "(null)") contextName: \(contextName ?? "(null)") bundleID: \(bundleID) processID: "
      + "\(processID) storeID: \(storeID) changes: \(DescribedValues.array(changes))"
  }

  /// Returns the transaction itself, because a program cannot modify it.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: Requests

  /// The entity for fetch requests that select transactions; never nil.
  ///
  /// The attributes are `author`, `bundleID`, `contextName`, `processID`, `timestamp`, `token` and
  /// `transactionNumber`. Predicates and sort descriptors can also use `storeID`.
  open class var entityDescription: NSEntityDescription? { HistoryEntity.transaction.description }
  /// Returns `entityDescription`; `context` is ignored.
  open class func entityDescription(
    with context: NSManagedObjectContext
  ) -> NSEntityDescription? { entityDescription }
  /// A new request for transactions, to which a predicate can be added; never nil.
  open class var fetchRequest: NSFetchRequest<NSFetchRequestResult>? {
    HistoryEntity.transaction.fetchRequest
  }
}

extension NSPersistentHistoryTransaction: KeyValueReadable {
  /// Returns the value of an attribute for predicates and sort descriptors.
  ///
  /// - Throws: `UndefinedKey` for a key that is neither an attribute of `entityDescription` nor `storeID`.
  public func value(forKey key: String) throws -> Any? {
    switch key {
    case "author": author
    case "bundleID": bundleID
    case "contextName": contextName
    case "processID": processID
    case "storeID": storeID
    case "timestamp": timestamp
    case "token": token
    case "transactionNumber": transactionNumber
    default: throw UndefinedKey(key)
    }
  }
}
