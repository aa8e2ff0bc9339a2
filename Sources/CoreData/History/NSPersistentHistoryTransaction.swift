// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

/// One save or batch request, as the history of its store tells it.
///
/// History requests give transactions; programs make none.
/// Source: documented, “NSPersistentHistoryTransaction”.
open class NSPersistentHistoryTransaction: NSObject, NSCopying {
  let content: HistoryTransaction
  /// UUID of the store.
  public let storeID: String
  /// The place behind this transaction, and behind those of other stores that the result has before it.
  public let token: NSPersistentHistoryToken
  /// What was changed, in the order of the changes' IDs; nil where the request asks for none.
  public internal(set) var changes: [NSPersistentHistoryChange]?

  init(_ content: HistoryTransaction, storeID: String, token: NSPersistentHistoryToken) {
    self.content = content
    self.storeID = storeID
    self.token = token
    super.init()
  }

  /// When the transaction was written.
  open var timestamp: Date { Date(timeIntervalSinceReferenceDate: content.timestamp) }
  /// Its number, which grows with each transaction of the store.
  open var transactionNumber: Int64 { content.number }
  /// The `transactionAuthor` of the context that saved.
  open var author: String? { content.author }
  /// The name of the context that saved.
  open var contextName: String? { content.contextName }
  /// The bundle identifier of the program that wrote it; the name of a program without one.
  open var bundleID: String { content.bundleID }
  /// The name of the process that wrote it, as in Apple's files.
  open var processID: String { content.processID }

  /// The IDs of what was changed, as a context posts them after a save, for
  /// `mergeChanges(fromContextDidSave:)`.
  ///
  /// Of a transaction without changes it names none.
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
      name: ContextNotification.didSaveObjectIDs.unaskedName,
      object: nil,
      userInfo: info
    )
  }

  /// Number, time, who wrote it, and its changes.
  open override var description: String {
    "\(addressedName) transactionNumber: \(transactionNumber) timestamp: \(timestamp) author: "
      + "\(author ?? "(null)") contextName: \(contextName ?? "(null)") bundleID: \(bundleID) processID: "
      + "\(processID) storeID: \(storeID) changes: \(DescribedValues.array(changes))"
  }

  /// The same transaction: transactions do not change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: Requests

  /// What can be asked of transactions: `author`, `bundleID`, `contextName`, `processID`, `timestamp`,
  /// `token`, `transactionNumber`.
  open class var entityDescription: NSEntityDescription? { HistoryEntity.transaction.description }
  /// The same; the context does not matter.
  open class func entityDescription(
    with context: NSManagedObjectContext
  ) -> NSEntityDescription? { entityDescription }
  /// A new request for transactions, to give a predicate to.
  open class var fetchRequest: NSFetchRequest<NSFetchRequestResult>? {
    HistoryEntity.transaction.fetchRequest
  }
}

extension NSPersistentHistoryTransaction: KeyValueReadable {
  /// What predicates and orders ask for.
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
