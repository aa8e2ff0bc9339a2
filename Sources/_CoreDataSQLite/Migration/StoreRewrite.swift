// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// Replaces the content of a store by that of a working file, in one transaction.
///
/// The transaction begins before the working file is made. Meanwhile, other connections can read the store,
/// but cannot write to it. No save is lost: a save either commits before the working file is made, or waits
/// until the store has the new content. If the process ends at any moment, the store has either the old or
/// the new content. `docs/decisions/0014` compares the alternatives.
///
///     let rewrite = StoreRewrite(options)
///     try rewrite.run { version in
///       …
///       return StoreRewrite.Work(path: path, source: old, destination: new)
///     }
package struct StoreRewrite {
  /// A finished working file, which no connection has open.
  package struct Work {
    let path: String
    /// The model of the store.
    let source: ModelDefinition
    /// The model of the working file.
    let destination: ModelDefinition
    /// Whether the working file is a copy of the store, including the store's history, to which objects were
    /// added.
    let isCopy: Bool

    package init(
      path: String,
      source: ModelDefinition,
      destination: ModelDefinition,
      isCopy: Bool = false
    ) {
      self.path = path
      self.source = source
      self.destination = destination
      self.isCopy = isCopy
    }
  }

  private let options: SQLiteStoreOptions

  package init(_ options: SQLiteStoreOptions) { self.options = options }

  /// Runs `body`, and replaces the content of the store by that of the working file that `body` returns.
  ///
  /// `body` receives the version of the store. If `body` returns nil, the store does not change.
  /// - Throws: `StoreError.busy` if another connection keeps its lock until the timeout; `.corrupt` if the
  ///   file is not a store; `.cannotWrite`; the errors of `body`. If an error is thrown, the store is
  ///   unchanged.
  /// - Complexity: O(rows); tables and indexes are copied without decoding their rows.
  package func run(_ body: (StoreVersion) throws -> Work?) throws {
    let connection = try Connection(options, isReader: false)
    try StoreCatalogue(connection).requireStore()
    try connection.configureWriter(options)
    try connection.checkWritable()
    var values: ReplacedValues?
    do {
      try connection.transaction {
        let version = try StoreVersion(connection, path: options.path)
        guard let work = try body(version) else { return }
        try ContentCopy(connection, options, of: work, replacing: version).run()
        let replaced = try ReplacedValues(options, by: work.path)
        values = replaced
        try replaced.add()
      }
      values?.committed()
    } catch {
      values?.rolledBack()
      throw error
    }
  }
}

/// The large values of a store whose content is replaced.
private struct ReplacedValues {
  private let options: SQLiteStoreOptions
  private let folder: ValueFolder
  private let new: ValueFolder
  /// The names of the values that only the working file has.
  private let added: Set<String>
  /// The names of the values that only the store has.
  private let obsolete: Set<String>

  init(_ options: SQLiteStoreOptions, by work: String) throws {
    self.options = options
    folder = ValueFolder(store: options.path)
    new = ValueFolder(store: work)
    let (old, new) = (try folder.names(), try new.names())
    added = new.subtracting(old)
    obsolete = old.subtracting(new)
  }

  /// Adds the large values of the working file to the store's folder; synchronizes the folder to disk if the
  /// store's settings require this.
  func add() throws {
    if added.isEmpty { return }
    try folder.addFiles(of: new)
    if options.keepsOrderOnDisk { try folder.synchronize() }
  }

  /// Removes the large values to which no row refers after the commit.
  ///
  /// The values are kept if the commit may not have reached the disk, because a power failure could then
  /// restore rows that refer to the values. They are also kept if another store may use the folder.
  func committed() {
    if obsolete.isEmpty || folder.isShared { return }
    if options.keepsOrderOnDisk {
      let paths = CommitFiles.paths(ofStore: options.path)
      guard paths.allSatisfy({ POSIXError.syncing($0) == nil }) else { return }
    }
    folder.remove(obsolete)
  }

  func rolledBack() { folder.remove(added) }
}
