// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import Synchronization
import _CoreDataModel
import _CoreDataSQL

/// What the steps of adding and migrating one store share: a connection, the version of the store that the
/// connection has read, and the decoded copy of its model.
///
/// A store is read when it is opened, when the source model is searched for, in the transaction of the
/// migration, and when the migrated store is opened. With shared resources it is opened once, and read again in
/// the transaction only if another connection has written to it since.
///
/// The last connection that closes a file moves the log into the file and waits for the disk. A connection
/// that stays open until the migrated store is open leaves a short log to the store's next checkpoint. The
/// migration is as durable as a save of the same store.
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
    /// The number of the file's content before the version was read (`Connection.contentNumber()`).
    let contentNumber: Int64
  }
  private let known = Mutex<KnownCopy?>(nil)
  private let opened = Mutex<Opened?>(nil)
  /// The size in bytes up to which a log is left; SQLite's automatic checkpoints use the same limit.
  private static let logLimit = 1_000 * 4_096

  package init() {}

  /// Returns the model's copy with this content; calls `read` unless the last copy read has the same content.
  func copy(of content: Data, _ read: () throws -> ModelCopy) rethrows -> ModelCopy {
    if let known = known.withLock({ $0 }), known.content == content { return known.copy }
    let copy = try read()
    known.withLock { $0 = KnownCopy(content: content, copy: copy) }
    return copy
  }

  // MARK: Connection

  /// The kept connection, which can write to the store and is configured; nil if there is none.
  var connection: Connection? { opened.withLock { $0?.connection } }

  /// The store's version when the kept connection opened it; nil if there is no such connection, or if the
  /// store was migrated since.
  package var version: StoreVersion? { opened.withLock { $0?.version?.version } }

  /// Returns the store's version in the current transaction of `connection` if it was read before, and no
  /// other connection has written to the file since; otherwise nil.
  func currentVersion(_ connection: Connection) throws -> StoreVersion? {
    guard let opened = opened.withLock({ $0 }), opened.connection === connection,
      let known = opened.version, try connection.contentNumber() == known.contentNumber
    else { return nil }
    return known.version
  }

  /// Keeps the connection that has opened a store of another model.
  func keep(_ connection: Connection, _ version: KnownVersion) {
    opened.withLock { $0 = Opened(connection: connection, version: version) }
  }

  /// Keeps the connection of a migration, unless its log is long.
  func keepMigrated(_ connection: Connection) {
    let hasLongLog = Self.size(of: connection.path + "-wal") > Self.logLimit
    opened.withLock { $0 = hasLongLog ? nil : Opened(connection: connection) }
  }

  /// Returns the size of a file in bytes; 0 if it cannot be read, because a connection without a log has
  /// nothing to move when it is closed.
  private static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Releases the kept connection, which closes it unless a store uses it, and the copy of the model.
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
