// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Everything that one save writes to one store in one transaction.
///
/// A new object without a reserved permanent key has a temporary key, by which rows refer to the object. The
/// store replaces each temporary key with a permanent key.
package struct SaveBatch: Sendable {
  package struct Insert: Sendable {
    /// The key of the new row: a temporary key, a reserved permanent key, or the key of a deleted row that
    /// this save inserts again.
    package let key: ObjectKey
    package let chunk: RowChunk
    package let row: Int
    package init(key: ObjectKey, chunk: RowChunk, row: Int) {
      self.key = key
      self.chunk = chunk
      self.row = row
    }
  }
  package struct Update: Sendable {
    package let key: ObjectKey
    package let chunk: RowChunk
    package let row: Int
    /// The slots to write; empty if the save only increases the row's version, for example after a change of
    /// a to-many.
    package let slots: SlotSet
    /// The slots of the changed to-manys; the history records them as changed properties.
    package let toManys: SlotSet
    /// The version of the row when the object was read; nil if any version may be overwritten.
    package let expectedVersion: Int64?
    /// Whether a missing row is a conflict; false if the save only removes members of an object that was
    /// never read.
    package let needsRow: Bool
    package init(
      key: ObjectKey,
      chunk: RowChunk,
      row: Int,
      slots: SlotSet,
      toManys: SlotSet = SlotSet(),
      expectedVersion: Int64?,
      needsRow: Bool = true
    ) {
      self.key = key
      self.chunk = chunk
      self.row = row
      self.slots = slots
      self.toManys = toManys
      self.expectedVersion = expectedVersion
      self.needsRow = needsRow
    }
  }
  package struct Delete: Sendable {
    package let key: ObjectKey
    package let expectedVersion: Int64?
    package init(key: ObjectKey, expectedVersion: Int64?) {
      self.key = key
      self.expectedVersion = expectedVersion
    }
  }
  /// A row that the save does not write, but that must exist.
  ///
  /// If `expectedVersion` is not nil, the row must also have this version.
  package struct Check: Sendable {
    package let key: ObjectKey
    /// The version of the row when the object was read; nil for the destination of a link without an inverse.
    package let expectedVersion: Int64?
    package init(key: ObjectKey, expectedVersion: Int64?) {
      self.key = key
      self.expectedVersion = expectedVersion
    }
  }
  /// The members added to and removed from one owner's to-many, whose inverse is a to-many or does not exist.
  package struct LinkChange: Sendable {
    package let owner: ObjectKey
    package let slot: Int
    package let added: [ObjectKey]
    package let removed: [ObjectKey]
    package init(owner: ObjectKey, slot: Int, added: [ObjectKey], removed: [ObjectKey]) {
      self.owner = owner
      self.slot = slot
      self.added = added
      self.removed = removed
    }
  }
  /// The members of one owner's ordered to-many after the save, in order.
  package struct OrderChange: Sendable {
    package let owner: ObjectKey
    package let slot: Int
    package let members: [ObjectKey]
    package init(owner: ObjectKey, slot: Int, members: [ObjectKey]) {
      self.owner = owner
      self.slot = slot
      self.members = members
    }
  }

  /// How an insert is combined with a stored row that has the same unique values.
  package enum Fold: Sendable, Hashable {
    /// The values of these slots are written to the stored row.
    case write(SlotSet)
    /// The stored row is not changed.
    case keep
  }

  /// The contents of a batch, which its copies share until one of them is changed.
  ///
  /// A save passes the batch through several closures, and copying eleven references each time would take
  /// longer than planning a small batch.
  // Unchecked: a `Content` is changed only while a single batch refers to it.
  private final class Content: @unchecked Sendable {
    @exclusivity(unchecked) var inserts: [Insert] = []
    @exclusivity(unchecked) var folds: [Int: Fold] = [:]
    @exclusivity(unchecked) var updates = Updates()
    @exclusivity(unchecked) var deletes: [Delete] = []
    @exclusivity(unchecked) var checks: [Check] = []
    @exclusivity(unchecked) var links: [LinkChange] = []
    @exclusivity(unchecked) var orders: [OrderChange] = []
    @exclusivity(unchecked) var author = HistoryAuthor()

    init() {}

    init(copying other: Content) {
      inserts = other.inserts
      folds = other.folds
      updates = other.updates
      deletes = other.deletes
      checks = other.checks
      links = other.links
      orders = other.orders
      author = other.author
    }
  }
  private var content = Content()

  /// The contents, for a change.
  private var own: Content {
    mutating get {
      if !isKnownUniquelyReferenced(&content) { content = Content(copying: content) }
      return content
    }
  }

  package var inserts: [Insert] {
    get { content.inserts }
    _modify { yield &own.inserts }
  }
  /// Index in `inserts` → how to combine the insert with a stored row that has the same unique values.
  ///
  /// A store may ignore `folds` and throw `StoreError.constraint` for such an insert.
  package var folds: [Int: Fold] {
    get { content.folds }
    _modify { yield &own.folds }
  }
  package var updates: Updates {
    get { content.updates }
    _modify { yield &own.updates }
  }
  package var deletes: [Delete] {
    get { content.deletes }
    _modify { yield &own.deletes }
  }
  package var checks: [Check] {
    get { content.checks }
    _modify { yield &own.checks }
  }
  /// The members added to and removed from to-manys whose inverse is a to-many or does not exist.
  ///
  /// A change of a many-to-many relationship is listed for one side only, unless the relationship is its own
  /// inverse.
  package var links: [LinkChange] {
    get { content.links }
    _modify { yield &own.links }
  }
  package var orders: [OrderChange] {
    get { content.orders }
    _modify { yield &own.orders }
  }
  /// The author and context name of the history transaction.
  package var author: HistoryAuthor {
    get { content.author }
    _modify { yield &own.author }
  }

  package init() {}
  /// The number of rows to insert, update or delete.
  package var rowCount: Int {
    content.inserts.count + content.updates.count + content.deletes.count
  }
  package var isEmpty: Bool {
    content.inserts.isEmpty && content.updates.isEmpty && content.deletes.isEmpty
      && content.checks.isEmpty && content.links.isEmpty && content.orders.isEmpty
  }
}

/// The result of a save.
package struct SaveOutcome: Sendable {
  /// The permanent keys of `SaveBatch.inserts`, in the same order.
  package var insertedKeys: [ObjectKey] = []
  /// The keys of the rows whose derived attributes the store computed; the order is unspecified.
  package var derivedKeys: [ObjectKey] = []
  /// Index in `SaveBatch.inserts` → the key of the stored row with which the insert was combined.
  ///
  /// The key is nil if the stored row was not changed.
  package var folded: [Int: ObjectKey?] = [:]
  /// The keys of updates that changed no row, because the row is gone and the update did not need the row.
  package var missing: Set<ObjectKey> = []
  /// The number of the history transaction; nil if the store has no history or recorded no changes.
  package var transaction: Int64?
  package init(insertedKeys: [ObjectKey] = []) { self.insertedKeys = insertedKeys }
}

/// The author and context name that the history records for a transaction.
package struct HistoryAuthor: Sendable, Hashable {
  /// The context's `transactionAuthor`; nil if it is not set.
  package var author: String?
  /// The context's `name`; nil if it is not set.
  package var contextName: String?

  package init(author: String? = nil, contextName: String? = nil) {
    self.author = author
    self.contextName = contextName
  }
}
