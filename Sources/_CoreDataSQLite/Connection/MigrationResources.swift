// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel

/// What the steps of adding and migrating one store share: the decoded copy of its model, and a connection.
///
/// The copy of the model is read when the store is opened, when the source model is searched for, and again
/// in the transaction of the migration.
///
/// The last connection that closes a file moves the log into the file and waits for the disk. A connection
/// that stays open until the migrated store is open leaves a short log to the store's next checkpoint. The
/// migration is as durable as a save of the same store.
package final class MigrationResources: Sendable {
  private struct KnownCopy: Sendable {
    let content: Data
    let copy: ModelCopy
  }
  private let known = Mutex<KnownCopy?>(nil)
  private let connection = Mutex<Connection?>(nil)
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

  /// Keeps the connection of a migration until `close()`, unless its log is long.
  func keep(_ connection: Connection) {
    var log = stat()
    // A connection without a log has nothing to move when it is closed. Foundation's attributes of a file
    // include the names of its owner and group, which take a look-up each.
    guard stat(connection.path + "-wal", &log) == 0, log.st_size <= Self.logLimit else { return }
    self.connection.withLock { $0 = connection }
  }

  /// Releases the kept connection, which closes it, and the copy of the model.
  package func close() {
    known.withLock { $0 = nil }
    connection.withLock { $0 = nil }
  }
}

/// A store's copy of its model.
struct ModelCopy: Sendable {
  let draft: ModelDraft
  let definition: ModelDefinition
}
