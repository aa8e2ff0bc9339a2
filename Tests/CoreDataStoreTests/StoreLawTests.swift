// SPDX-License-Identifier: Apache-2.0

import Foundation
import PredicateLaw
import Testing
import _CoreDataModel
import _CoreDataStore

/// The law of `DifferentialTests`, for stores without SQL.
///
/// `COREDATA_LAW_ROUNDS` sets the number of conditions.
@Suite("Fetches of stores without SQL agree with the evaluation in memory")
struct StoreLawTests {
  /// The number of conditions: that of `COREDATA_LAW_ROUNDS`, or a sample.
  private static func rounds(_ standard: Int) -> Int {
    ProcessInfo.processInfo.environment["COREDATA_LAW_ROUNDS"].flatMap(Int.init) ?? standard
  }

  private static func check(
    _ rounds: Int,
    _ make: (ModelDraft) throws -> LawStore
  ) throws {
    var tally = LawRun.Tally()
    for seed in 1...max(1, UInt64(rounds) / 100) {
      var run = try LawRun(seed: seed, make)
      do {
        try run.check(100)
      } catch let failure as LawRun.Failure {
        Issue.record("\(failure)")
        return
      }
      tally = tally + run.tally
    }
    #expect(tally.compared > rounds / 2 && tally.found > 0 && tally.ordered > 0, "\(tally)")
  }

  @Test("XML and binary stores, opened again after they were filled", arguments: [0, 1])
  func files(_ format: Int) throws {
    try Self.check(Self.rounds(600)) { draft in
      let folder = try LawFolder()
      let store = try ReopeningStore(
        FileStoreConformanceTests.formats[format],
        folder.path,
        ModelDefinition(draft)
      )
      return LawStore(store, owner: folder)
    }
  }

  @Test("Stores in memory")
  func memory() throws {
    try Self.check(Self.rounds(600)) { draft in
      LawStore(MemoryStore(model: try ModelDefinition(draft), index: 0))
    }
  }
}

/// A folder that is removed with the last reference.
private final class LawFolder {
  let path: String
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("law-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.appendingPathComponent("Store").path
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}

/// A store whose reads after a save are those of a store that has read the file again.
private final class ReopeningStore: RowStore, @unchecked Sendable {
  // Unchecked: the law uses the store on one thread.
  private let format: any StoreFileFormat
  private let options: FileStoreOptions
  private var store: FileStore

  init(_ format: any StoreFileFormat, _ path: String, _ model: ModelDefinition) throws {
    self.format = format
    options = FileStoreOptions(path: path)
    store = try FileStore(model: model, index: 0, format: format, options: options)
  }

  var identifier: String { store.identifier }
  var type: String { store.type }
  var model: ModelDefinition { store.model }
  var index: Int { store.index }
  var isReadOnly: Bool { store.isReadOnly }
  func close() { store.close() }

  func fetch(_ description: FetchDescription) throws -> FetchResult { try store.fetch(description) }
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
    let outcome = try store.save(batch, beforeCommit: body)
    let model = store.model
    store.close()
    store = try FileStore(model: model, index: 0, format: format, options: options)
    return outcome
  }
}
