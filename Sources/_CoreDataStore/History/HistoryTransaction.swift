// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// One transaction of a store's history, without its changes.
package struct HistoryTransaction: Sendable, Hashable {
  /// The number of the transaction; numbers increase within a store and are never reused.
  package var number: Int64
  /// The time of the transaction, in seconds since 2001.
  package var timestamp: Double
  package var author: String?
  package var contextName: String?
  package var bundleID: String
  /// The name, not the number, of the process that wrote the transaction, as in Apple's files.
  package var processID: String

  package init(
    number: Int64,
    timestamp: Double,
    author: String?,
    contextName: String?,
    bundleID: String,
    processID: String
  ) {
    self.number = number
    self.timestamp = timestamp
    self.author = author
    self.contextName = contextName
    self.bundleID = bundleID
    self.processID = processID
  }
}

/// The change of one object in a transaction.
package struct HistoryChange: Sendable {
  /// The kind of a change; the raw values are those in Apple's files.
  package enum Kind: Int64, Sendable { case insert = 0, update, delete }

  /// The number of the change; numbers increase within a store.
  package let id: Int64
  package let kind: Kind
  package let key: ObjectKey
  /// The number of the transaction that contains the change.
  package let transaction: Int64
  /// The slots that an update changed, including to-manys; empty for an insertion or deletion.
  package let updated: SlotSet
  /// The preserved attribute values of a deleted object, by slot; empty for an insertion or update.
  package let tombstone: [(slot: Int, value: Value)]

  package init(
    id: Int64,
    kind: Kind,
    key: ObjectKey,
    transaction: Int64,
    updated: SlotSet = SlotSet(),
    tombstone: [(slot: Int, value: Value)] = []
  ) {
    self.id = id
    self.kind = kind
    self.key = key
    self.transaction = transaction
    self.updated = updated
    self.tombstone = tombstone
  }
}
