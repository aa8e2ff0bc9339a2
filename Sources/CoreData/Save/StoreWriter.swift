// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// Writes the parts of one save to their stores together.
///
/// Every store has written its part before the first store commits, so only a failing commit can leave the
/// save partly committed.
struct StoreWriter {
  struct Part {
    let store: any RowStore
    let batch: SaveBatch
    /// Whether the store writes and commits in one step, as a custom store does.
    var commitsWhileWriting = false
  }
  /// A store that could not write or commit its part, and the indexes of the stores that have committed.
  struct Failure: Error {
    let store: any RowStore
    let cause: any Error
    var committed: [Int] = []
  }

  private let parts: [Part]
  private(set) var keys = ValuesByStore<[ObjectKey]>()
  private(set) var writes: [StoreWrite] = []
  /// The keys of rows whose derived attributes have new values.
  private(set) var derived: [ObjectKey] = []
  /// Store index → the inserts that were folded into stored rows; see `SaveOutcome.folded`.
  ///
  /// Contains only stores in which at least one insert was folded.
  private(set) var folded = ValuesByStore<[Int: ObjectKey?]>()

  /// Creates a writer that writes the parts in the order of their stores' UUIDs.
  ///
  /// All coordinators and processes thus lock the stores in the same order, so two saves cannot deadlock.
  /// Stores that commit while they write come last: if the first such store fails, no store has committed.
  init(_ parts: [Part]) {
    self.parts =
      parts.count < 2
      ? parts
      : parts.sorted { left, right in
        left.commitsWhileWriting == right.commitsWhileWriting
          ? left.store.identifier < right.store.identifier : !left.commitsWhileWriting
      }
  }

  /// Writes the parts, store by store, and commits all stores.
  ///
  /// - Throws: `Failure` if a store cannot write or commit its part. Afterwards `keys` contains the new keys
  ///   of the stores that have committed.
  mutating func write() throws {
    do {
      try write(from: 0)
    } catch var failure as Failure {
      failure.committed = keys.stores
      throw failure
    }
  }

  private mutating func write(from position: Int) throws {
    guard position < parts.count else { return }
    let part = parts[position]
    do {
      let outcome = try part.store.save(part.batch) { try write(from: position + 1) }
      keys[part.store.index] = outcome.insertedKeys
      if !part.batch.isEmpty {
        writes.append(StoreWrite(store: part.store.index, transaction: outcome.transaction))
      }
      if !outcome.derivedKeys.isEmpty { derived += outcome.derivedKeys }
      if !outcome.folded.isEmpty { folded[part.store.index] = outcome.folded }
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(store: part.store, cause: error)
    }
  }
}
