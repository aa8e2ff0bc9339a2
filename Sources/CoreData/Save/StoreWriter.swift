// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// Writes one save to its stores together: every transaction is open and complete before the first is
/// committed, so that only a failing commit can leave the save in parts.
struct StoreWriter {
  struct Part {
    let store: any RowStore
    let batch: SaveBatch
  }
  /// A store that could not take its part, and those that had kept theirs before.
  struct Failure: Error {
    let store: any RowStore
    let cause: any Error
    var committed: [Int] = []
  }

  private let parts: [Part]
  private(set) var keys: [Int: [ObjectKey]] = [:]
  /// What has reached the stores' files.
  private(set) var writes: [StoreWrite] = []
  /// Rows whose derived attributes have new values.
  private(set) var derived: [ObjectKey] = []
  /// Store index → `SaveOutcome.folded`.
  private(set) var folded: [Int: [Int: ObjectKey?]] = [:]

  /// The order of the parts is that of the stores' UUIDs, the same in every coordinator and process, so
  /// that two saves never wait for each other.
  init(_ parts: [Part]) {
    self.parts = parts.sorted { $0.store.identifier < $1.store.identifier }
  }

  /// - Throws: `Failure`; `keys` then has those of the stores that keep their part.
  mutating func write() throws {
    do {
      try write(from: 0)
    } catch var failure as Failure {
      failure.committed = keys.keys.sorted()
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
      derived += outcome.derivedKeys
      folded[part.store.index] = outcome.folded
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(store: part.store, cause: error)
    }
  }
}
