// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel

/// The options of a store that is read and written as a whole.
package struct FileStoreOptions: Sendable {
  package let path: String
  package var isReadOnly = false
  /// Whether the store is opened without comparing its version hashes with the model's.
  package var ignoresModelVersions = false
  /// The names of the entities in the store's configuration; nil for all entities.
  package var entities: Set<String>?

  package init(path: String) { self.path = path }
}

/// A store in one file that is read when the store is opened, and written as a whole with each save.
///
/// A `MemoryStore` contains its objects. A save writes the new content beside the file and then replaces the
/// file, so the file always has the content of one save.
/// Source: documented, “Core Data Programming Guide: Persistent Store Types and Behaviors” (atomic stores).
package final class FileStore: RowStore {
  /// The maximum size of a file to open, in bytes.
  private static let sizeLimit = 2 << 30

  package let isReadOnly: Bool
  private let memory: MemoryStore
  private let format: any StoreFileFormat
  /// The file to which the next save writes.
  private let place: Mutex<Place>
  /// The objects whose numbers in the file differ from those in memory; nil if there are no such objects.
  package let numbers: FileNumbers?

  private struct Place {
    var file: AtomicFile
    /// The stamp of the file when this store last read or wrote it; nil if the file did not exist, or if the
    /// store has neither read nor written it.
    var stamp: AtomicFile.Stamp?
  }

  /// Opens the file, or creates it if it is missing or empty.
  ///
  /// - Throws: `StoreError.cannotOpen` if the file cannot be read or created, or if the store is to be opened
  ///   read-only and the file is missing or empty; `.corrupt` with the place if the file is damaged or has
  ///   another format; `.incompatibleModel` with the entities that differ from the model.
  /// - Complexity: O(size of the file).
  package init(
    model: ModelDefinition,
    index: Int,
    format: any StoreFileFormat,
    options: FileStoreOptions
  ) throws {
    self.format = format
    isReadOnly = options.isReadOnly
    numbers = nil
    let file = AtomicFile(path: options.path)
    // The stamp is read before the content, so that the next save detects a change between the two reads.
    let stamp = file.stamp
    let opening = FileStoreOpening(model: model, index: index, format: format, options: options)
    memory = try opening.open(file, limit: Self.sizeLimit)
    place = Mutex(Place(file: file, stamp: stamp))
    if stamp == nil || !opening.hasContent { try create(at: options.path) }
  }

  /// Creates a store with the objects of another store, which keep their keys; replaces an existing file.
  ///
  /// If objects of several hierarchies have the same number, only one of them has this number in the file.
  /// The others get new numbers in the file, which their keys contain after the store has been opened again.
  /// `identifier` is the UUID of the new store.
  /// - Throws: `StoreError.cannotWrite`; the file is then unchanged.
  package init(
    _ transfer: ContentTransfer,
    index: Int,
    format: any StoreFileFormat,
    options: FileStoreOptions,
    identifier: String = UUID().uuidString
  ) throws {
    self.format = format
    isReadOnly = options.isReadOnly
    place = Mutex(Place(file: AtomicFile(path: options.path)))
    let last = transfer.lastNumbers.values.max() ?? 0
    let numbers = FileNumbers(transfer.objects.inserts.lazy.map(\.key), transfer.model, above: last)
    self.numbers = numbers.isEmpty ? nil : numbers
    memory = try MemoryStore(
      transfer,
      index: index,
      type: format.type,
      identifier: identifier,
      numbers: numbers
    )
    try memory.withContent { content, metadata in try write(content, metadata) }
  }

  private func create(at path: String) throws {
    do {
      try memory.withContent { content, metadata in
        try write(content, metadata)
      }
    } catch let error as StoreError {
      throw StoreError(.cannotOpen, "the store could not be created: \(error.message)", path: path)
    }
  }

  package var identifier: String { memory.identifier }
  package var type: String { format.type }
  package var model: ModelDefinition { memory.model }
  package var index: Int { memory.index }

  // MARK: Reading

  package func fetch(_ description: FetchDescription) throws -> FetchResult {
    try memory.fetch(description)
  }
  package func divided(_ description: FetchDescription) throws -> DividedFetch {
    try memory.divided(description)
  }
  package func rows(for keys: [ObjectKey]) throws -> FetchedRows { try memory.rows(for: keys) }
  package func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]] {
    try memory.members(of: owners, slot: slot)
  }
  package func metadata() throws -> StoreMetadata { try memory.metadata() }

  // MARK: Writing

  package func setMetadata(_ metadata: StoreMetadata) throws {
    try checkWritable()
    try memory.setMetadata(metadata) { content, new in try write(content, new) }
  }

  package func reserveKeys(for entities: [Int]) throws -> [ObjectKey] {
    try memory.reserveKeys(for: entities)
  }

  package func save(
    _ batch: SaveBatch,
    beforeCommit body: () throws -> Void
  ) throws -> SaveOutcome {
    try checkWritable()
    return try memory.save(
      batch,
      preparing: { content, metadata in
        let prepared = try prepare(content, metadata)
        return { isCommitted in
          if isCommitted { try self.commit(prepared) } else { prepared.discard() }
        }
      },
      beforeCommit: body
    )
  }

  package func close() { memory.close() }

  /// Sets the path of the file to which later saves write, after a running save has ended.
  ///
  /// The next save replaces any file at `path`.
  /// Source: documented, “setURL(_:for:)” (PSC-8).
  package func move(to path: String) throws {
    try memory.withContent { _, _ in
      place.withLock { $0 = Place(file: AtomicFile(path: path)) }
    }
  }

  /// Runs `body` with the content of the store while no save can change the file, and closes the store.
  ///
  /// - Throws: errors of `body`, after which the store stays open.
  package func endingWrites<T>(_ body: (StoreContent) throws -> T) throws -> T {
    let result = try memory.withContent { content, _ in try body(content) }
    memory.close()
    return result
  }

  private func checkWritable() throws {
    if isReadOnly {
      throw StoreError(
        .readOnly,
        "the store was opened for reading only; open it without NSReadOnlyPersistentStoreOption to write to it",
        path: place.withLock(\.file.path)
      )
    }
  }

  private func write(_ content: StoreContent, _ metadata: StoreMetadata) throws {
    try commit(try prepare(content, metadata))
  }

  private func prepare(
    _ content: StoreContent,
    _ metadata: StoreMetadata
  ) throws -> AtomicFile.Prepared {
    let place = place.withLock { $0 }
    try checkUnchanged(place)
    var content = content
    content.numbers = numbers
    let data = try format.data(of: content, metadata: metadata, identifier: identifier)
    return try place.file.prepare(data)
  }

  private func commit(_ prepared: AtomicFile.Prepared) throws {
    try prepared.commit()
    place.withLock { $0.stamp = $0.file.stamp }
  }

  /// Checks that the file has not changed since this store last read or wrote it.
  ///
  /// A save would overwrite the changes of another program or coordinator.
  private func checkUnchanged(_ place: Place) throws {
    guard let known = place.stamp, let current = place.file.stamp, known != current else { return }
    throw StoreError(
      .changedElsewhere,
      "another program or coordinator has changed the file since this store last read or wrote it, and a save "
        + "would overwrite that content; remove the store, add it again, and make the changes once more",
      path: place.file.path
    )
  }
}
