// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// What a transaction did to one object.
package struct HistoryChange: Sendable {
  /// Raw values are those of Apple's files.
  package enum Kind: Int64, Sendable { case insert = 0, update, delete }

  /// Grows with each change of the store.
  package let id: Int64
  package let kind: Kind
  package let key: ObjectKey
  /// Number of the transaction.
  package let transaction: Int64
  /// Of an update: the slots that changed, to-manys included.
  package let updated: SlotSet
  /// Of a deletion: what is kept of the object, by slot.
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
