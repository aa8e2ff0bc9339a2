// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import Synchronization
import _CoreDataModel
import _CoreDataSQL

/// The resources that the opening and the migration of one store share: a connection, the version of the
/// store that the connection has read, and the decoded copy of the store's model.
///
/// A store is read when it is opened, when the source model is searched for, in the transaction of the
/// migration, and when the migrated store is opened. With shared resources, the store is opened once, and is
/// read again in the transaction only if another connection has written to the file in the meantime.
///
/// The last connection to close a file moves the log into the file and waits for the disk. If a connection
/// stays open until the migrated store is open, a short log is left to the store's next checkpoint instead.
/// The migration is as durable as a save of the same store.
package final class MigrationResources: Sendable {
  private struct KnownCopy: Sendable {
    let content: Data
    let copy: ModelCopy
  }
  private struct Opened: Sendable {
    let connection: Connection
    var version: KnownVersion?
  }
  struct KnownVersion: Sendable {
    let version: StoreVersion
    /// The content number of the file (`Connection.contentNumber()`) before the version was read.
    let contentNumber: Int64
  }
  private let known = Mutex<KnownCopy?>(nil)
  private let opened = Mutex<Opened?>(nil)
  /// The maximum size in bytes of a log that is left to the next checkpoint; SQLite's automatic checkpoints
  /// use the same limit.
  private static let logLimit = 1_000 * 4_096

  package init() {}

  /// Returns the decoded copy of the model with the bytes `content`; calls `read` only if the last copy had
  /// other bytes.
  func copy(of content: Data, _ read: () throws -> ModelCopy) rethrows -> ModelCopy {
    if let known = known.withLock({ $0 }), known.content == content { return known.copy }
    let copy = try read()
    known.withLock { $0 = KnownCopy(content: content, copy: copy) }
    return copy
  }

  // MARK: Connection

  /// The kept connection, which is configured for writing; nil if no connection is kept.
  var connection: Connection? { opened.withLock { $0?.connection } }

  /// The version of the store when the kept connection opened the file; nil if no connection is kept, or if
  /// the store has been migrated since.
  package var version: StoreVersion? { opened.withLock { $0?.version?.version } }

  /// Returns the known version if `connection` is the kept connection and no other connection has written to
  /// the file since the version was read; otherwise nil.
  func currentVersion(_ connection: Connection) throws -> StoreVersion? {
    guard let opened = opened.withLock({ $0 }), opened.connection === connection,
      let known = opened.version, try connection.contentNumber() == known.contentNumber
    else { return nil }
    return known.version
  }

  /// Keeps a connection that has opened a store of another model, and the version of the store.
  func keep(_ connection: Connection, _ version: KnownVersion) {
    opened.withLock { $0 = Opened(connection: connection, version: version) }
  }

  /// Keeps the connection of a migration, unless its log is long.
  func keepMigrated(_ connection: Connection) {
    let hasLongLog = Self.size(of: connection.path + "-wal") > Self.logLimit
    opened.withLock { $0 = hasLongLog ? nil : Opened(connection: connection) }
  }

  /// Returns the size of a file in bytes; 0 if the file cannot be read, for example because there is no log.
  private static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Releases the copy of the model and the kept connection; the connection is closed unless a store uses it.
  package func close() {
    known.withLock { $0 = nil }
    opened.withLock { $0 = nil }
  }
}

extension Connection {
  /// Returns a number that changes when another connection changes the file.
  ///
  /// Source: SQLite, “PRAGMA data_version”.
  func contentNumber() throws -> Int64 {
    try cached("PRAGMA data_version").integer() ?? 0
  }
}

/// A store's copy of its model.
struct ModelCopy: Sendable {
  let draft: ModelDraft
  let definition: ModelDefinition
}
