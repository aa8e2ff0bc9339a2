// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreConformance
import Synchronization
import Testing
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// A store whose file is read again after each save, and compared with the store.
final class ReopenedStore: RowStore, Sendable {
  private let store: FileStore
  private let format: any StoreFileFormat
  private let path: String
  private let saves = Mutex(Saves())

  private struct Saves {
    var begun = 0
    var ended = 0
  }

  init(
    _ format: any StoreFileFormat,
    _ path: String,
    _ model: ModelDefinition,
    index: Int
  ) throws {
    self.format = format
    self.path = path
    store = try FileStore(
      model: model,
      index: index,
      format: format,
      options: FileStoreOptions(path: path)
    )
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var identifier: String { store.identifier }
  var type: String { store.type }
  var model: ModelDefinition { store.model }
  var index: Int { store.index }
  var isReadOnly: Bool { store.isReadOnly }

  func fetch(_ description: FetchDescription) throws -> FetchResult {
    try store.fetch(description)
  }
  func divided(_ description: FetchDescription) throws -> DividedFetch {
    try store.divided(description)
  }
  func rows(for keys: [ObjectKey]) throws -> FetchedRows { try store.rows(for: keys) }
  func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]] {
    try store.members(of: owners, slot: slot)
  }
  func metadata() throws -> StoreMetadata { try store.metadata() }
  func setMetadata(_ metadata: StoreMetadata) throws { try store.setMetadata(metadata) }
  func reserveKeys(for entities: [Int]) throws -> [ObjectKey] {
    try store.reserveKeys(for: entities)
  }

  func save(_ batch: SaveBatch, beforeCommit body: () throws -> Void) throws -> SaveOutcome {
    saves.withLock { $0.begun += 1 }
    defer { saves.withLock { $0.ended += 1 } }
    let outcome = try store.save(batch, beforeCommit: body)
    let now = saves.withLock { $0 }
    // A file of thousands of objects is compared now and then.
    if now.begun.isMultiple(of: 40) || (batch.inserts.count < 100 && now.begun < 30) {
      try compare(since: now)
    }
    return outcome
  }

  func close() {
    store.close()
  }

  /// Compares the file with the store, unless other threads save meanwhile.
  private func compare(since start: Saves) throws {
    // This save has not ended yet.
    if start.begun != start.ended + 1 { return }
    let again = try FileStore(
      model: model,
      index: index,
      format: format,
      options: FileStoreOptions(path: path)
    )
    try #require(again.identifier == identifier)
    let isEqual = try StoreImage.isEqual(again, store)
    if saves.withLock({ $0.begun }) == start.begun { try #require(isEqual) }
  }
}

/// All values and members of a store.
struct StoreImage: Equatable {
  private var values: [ObjectKey: [Constant]] = [:]
  private var members: [ObjectKey: [[ObjectKey]]] = [:]

  static func isEqual(_ left: any RowStore, _ right: any RowStore) throws -> Bool {
    try StoreImage(left) == StoreImage(right)
  }

  init(_ store: any RowStore) throws {
    for entity in store.model.entities where entity.root == entity.index {
      guard case .rows(let rows) = try store.fetch(FetchDescription(entity: entity.index)) else {
        continue
      }
      rows.forEach { key, chunk, row in
        let own = store.model.entities[key.entity]
        values[key] = own.properties.map { Constant(chunk.value(row, $0.slot)) }
      }
      for key in rows.keys {
        let own = store.model.entities[key.entity]
        members[key] = try own.toManySlots.map { slot in
          let found = try store.members(of: [key], slot: slot)[0]
          let isOrdered = own.properties[slot].relationship?.isOrdered == true
          return isOrdered ? found : found.sorted { $0.raw < $1.raw }
        }
      }
    }
  }
}

@Suite("Stores in one file")
struct FileStoreConformanceTests {
  static let formats: [any StoreFileFormat] = [XMLStoreFormat(), BinaryStoreFormat()]

  @Test(
    "do what every store must, and their files have the content of each save",
    arguments: [0, 1],
    StoreConformance.checks
  )
  func conformance(_ format: Int, _ check: StoreConformance.Check) throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("conformance-\(UUID().uuidString)").path
    try check.run { try ReopenedStore(Self.formats[format], path, $0, index: 3) }
  }
}
