// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataSQL
import CoreDataStore
import Foundation

/// The files of a store as a whole, whether it is open or not: the database with its log, and the folder
/// of large values.
package struct StoreFiles {
  private let path: String
  private let timeout: Double

  /// - Parameters:
  ///   - path: of the database.
  ///   - timeout: seconds to wait for the locks of others.
  package init(path: String, timeout: Double) {
    self.path = path
    self.timeout = timeout
  }

  private var exists: Bool { FileManager.default.fileExists(atPath: path) }
  private var folder: URL { ExternalData.folder(ofStore: path) }

  private func connection(reads: Bool = false) throws -> Connection {
    var options = SQLiteStoreOptions(path: path)
    options.timeout = timeout
    options.isReadOnly = reads
    options.leavesNoTrace = reads
    return try Connection(options, isReader: reads)
  }

  // MARK: Destroying

  /// Empties the store under its locks; the file stays, without a table.
  ///
  /// A file that is no store or is damaged is emptied too; where there is none nothing happens.
  /// - Throws: `StoreError.busy` after the timeout.
  package func destroy() throws {
    guard exists else { return }
    let connection = try connection()
    // Has an effect where the file is a database of no table; a damaged one refuses it.
    try? connection.configureNewFile()
    try connection.reset()
    // Others who hold the log open keep it; it has nothing but the empty database.
    try? connection.set("wal_checkpoint(TRUNCATE)")
    try? FileManager.default.removeItem(at: folder.deletingLastPathComponent())
  }

  // MARK: Replacing

  /// Puts a copy of the store at `source` in this one's place, its log and large values included.
  ///
  /// What is here is overwritten under its locks, whether it is a store, damaged, or missing.
  /// - Throws: `StoreError.cannotOpen` where there is no file at `source`, `.corrupt` where it is no
  ///   store, `.busy` after the timeout, `.cannotWrite`.
  package func replace(by source: StoreFiles) throws {
    let original = URL(fileURLWithPath: source.path).resolvingSymlinksInPath().path
    if original == URL(fileURLWithPath: path).resolvingSymlinksInPath().path { return }
    guard source.exists else {
      throw StoreError(.cannotOpen, "the file does not exist", path: source.path)
    }
    let from = try source.connection(reads: true)
    _ = try MetadataTable(from).read(path: source.path)
    try replace(by: from, valuesIn: source.folder)
  }

  /// Puts a copy of an open store in this one's place, with a UUID of its own and without its history.
  ///
  /// - Throws: as `replace(by:)`.
  package func saveAs(_ store: SQLiteStore) throws {
    try store.pool.read { from in
      try replace(by: from, valuesIn: ExternalData.folder(ofStore: store.options.path))
    }
    let copy = try connection()
    try copy.transaction {
      let table = MetadataTable(copy)
      try table.write(try table.read(path: path).metadata, identifier: UUID().uuidString)
      for name in [HistorySchema.changes, HistorySchema.transactions, HistorySchema.strings] {
        try copy.execute("DROP TABLE IF EXISTS \(name)")
      }
      try copy.execute(
        "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT >= \(HistorySchema.changeNumber)"
      )
    }
  }

  private func replace(by from: Connection, valuesIn source: URL) throws {
    let kept = try copyValues(from: source)
    let to = try connection()
    do {
      try to.adoptPageSize(of: from)
      try to.replaceAll(by: from)
    } catch let error as StoreError where error.code == .corrupt {
      try to.reset()
      try to.replaceAll(by: from)
    }
    removeValues(except: kept)
  }

  // MARK: Large values

  /// Copies the files that are not here yet before any row names them; gives the names of all.
  private func copyValues(from source: URL) throws -> Set<String> {
    let names = Self.files(in: source)
    if names.isEmpty { return [] }
    do {
      if ExternalData.leadsAway(folder) { throw POSIXError(.ELOOP) }
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for name in names.subtracting(Self.files(in: folder)) {
        try FileManager.default.copyItem(
          at: source.appendingPathComponent(name),
          to: folder.appendingPathComponent(name)
        )
      }
    } catch {
      throw StoreError(
        .cannotWrite,
        "the files of large values cannot be copied: \(error)",
        path: folder.path
      )
    }
    return names
  }

  private func removeValues(except kept: Set<String>) {
    if ExternalData.leadsAway(folder) { return }
    for name in Self.files(in: folder).subtracting(kept) {
      try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }
  }

  private static func files(in folder: URL) -> Set<String> {
    if ExternalData.leadsAway(folder) { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return Set(names.filter { UUID(uuidString: $0) != nil })
  }

  // MARK: Metadata

  /// The store's metadata, with its UUID and type; nothing in the file changes.
  ///
  /// - Throws: `StoreError.cannotOpen` for a missing file, `.corrupt` where it is no store.
  package func metadata() throws -> StoreMetadata {
    try StoreFile(path: path, access: .untouched).metadata()
  }

  /// Replaces the metadata that belong to the application.
  ///
  /// - Throws: as `metadata()`; `.busy` after the timeout.
  package func setMetadata(_ metadata: StoreMetadata) throws {
    _ = try self.metadata()
    let connection = try connection()
    try connection.transaction {
      try MetadataTable(connection).replaceOwn(by: metadata, path: path)
    }
  }
}

extension Connection {
  /// A copy of a database has its pages' size, which cannot change in write-ahead mode.
  func adoptPageSize(of other: Connection) throws {
    let size = try other.texts("PRAGMA page_size")
    if try texts("PRAGMA page_size") == size { return }
    try set("journal_mode = DELETE")
  }
}
