// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel

/// Serializes the saves of a store in memory.
///
/// A save calls code of other stores and of the program. This code may read the store, but a save of the same
/// store from this code is an error, because it would change rows that the outer save has checked.
final class MemoryWriting: @unchecked Sendable {
  // Unchecked: the lock guards the flag.
  private let lock = NSRecursiveLock()
  private var isWriting = false

  /// Runs `body` while no other thread writes to the store.
  ///
  /// - Throws: `.invalidRequest` if the `body` of another call calls this method; errors of `body`.
  func exclusively<T>(_ body: () throws -> T) throws -> T {
    lock.lock()
    defer { lock.unlock() }
    if isWriting {
      throw StoreError(
        .invalidRequest,
        "a save of the store is running, and code called by this save writes to the same store; write to the "
          + "store after the save has ended"
      )
    }
    isWriting = true
    defer { isWriting = false }
    return try body()
  }

  /// Waits until no other thread writes to the store, and runs `body`.
  func afterOthers(_ body: () -> Void) {
    lock.lock()
    defer { lock.unlock() }
    body()
  }
}

extension MemoryStore {
  package func setMetadata(_ metadata: StoreMetadata) throws {
    try setMetadata(metadata) { _, _ in }
  }

  /// Calls `write` with the new metadata, and then replaces the application's metadata in memory.
  ///
  /// If `write` throws an error, the metadata in memory stay unchanged.
  package func setMetadata(
    _ metadata: StoreMetadata,
    writing write: (StoreContent, StoreMetadata) throws -> Void
  ) throws {
    try withContent { content, old in
      let new = old.replacingOwn(by: metadata)
      try write(content, new)
      self.content.withLock { $0.metadata = new }
    }
  }

  /// Calls `body` with the content and the metadata of the store, while no save can change them.
  ///
  /// - Throws: `.closed` if the store was removed; errors of `body`.
  package func withContent<T>(_ body: (StoreContent, StoreMetadata) throws -> T) throws -> T {
    try writing.exclusively {
      let (stored, metadata) = try content.withLock { content in
        try checkOpen(content)
        return (storeContent(content.state, content.numbers), content.metadata)
      }
      return try body(stored, metadata)
    }
  }

  /// Runs `body` with the content of the store while no save can change it, and closes the store.
  ///
  /// - Throws: errors of `body`, after which the store stays open.
  package func endingWrites<T>(_ body: (StoreContent) throws -> T) throws -> T {
    let result = try withContent { content, _ in try body(content) }
    close()
    return result
  }

  private func storeContent(_ state: MemoryState, _ numbers: [Int64]) -> StoreContent {
    StoreContent(
      MemorySnapshot(state: state, schema: schema),
      lastNumber: numbers.max() ?? 0
    )
  }

  package func save(
    _ batch: SaveBatch,
    beforeCommit body: () throws -> Void
  ) throws -> SaveOutcome {
    try writing.exclusively {
      var writer = MemoryWriter(schema: schema, batch: batch)
      try content.withLock { content in
        try checkOpen(content)
        try check(&writer, content)
      }
      try body()
      return try content.withLock { content in
        try checkOpen(content)
        return SaveOutcome(
          insertedKeys: writer.write(&content.state, numbers: &content.numbers)
        )
      }
    }
  }

  /// Saves as `save(_:beforeCommit:)` does, and also writes the store's new content.
  ///
  /// `keys` maps the temporary keys of new objects to permanent keys; the store assigns the keys that are
  /// missing. `prepare` receives the content and the metadata that the store will have after the save, and
  /// returns a closure. After `body`, this closure is called with true to commit the save, or with false if
  /// `body` has thrown an error.
  /// - Throws: as `save(_:beforeCommit:)`, and errors of `prepare` and of the closure. The store is then
  ///   unchanged, but the assigned keys are not assigned again.
  /// - Complexity: O(objects), because the tables are copied.
  package func save(
    _ batch: SaveBatch,
    keys: [ObjectKey: ObjectKey] = [:],
    preparing prepare: (StoreContent, StoreMetadata) throws -> (_ isCommitted: Bool) throws -> Void,
    beforeCommit body: () throws -> Void
  ) throws -> SaveOutcome {
    try writing.exclusively {
      var writer = MemoryWriter(schema: schema, batch: batch, keys: keys)
      var (state, numbers, metadata) = try content.withLock { content in
        try checkOpen(content)
        try check(&writer, content)
        writer.assignKeys(&content.numbers, store: index)
        return (content.state, content.numbers, content.metadata)
      }
      let keys = writer.write(&state, numbers: &numbers)
      let commit = try prepare(storeContent(state, numbers), metadata)
      do {
        try body()
      } catch {
        try commit(false)
        throw error
      }
      try commit(true)
      content.withLock { $0.state = state }
      return SaveOutcome(insertedKeys: keys)
    }
  }

  private func check(_ writer: inout MemoryWriter, _ content: borrowing Content) throws {
    try writer.check(content.state)
    try writer.checkConstraints(content.state)
    try writer.checkNumbers(content.numbers, store: index)
  }

  package func close() {
    writing.afterOthers {
      content.withLock { content in
        content.isClosed = true
        content.state = MemoryState(schema: schema, index: index)
      }
    }
  }
}
