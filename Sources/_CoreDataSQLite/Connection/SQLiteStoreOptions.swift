// SPDX-License-Identifier: Apache-2.0

/// The options for opening an SQLite store.
package struct SQLiteStoreOptions: Sendable {
  /// The value of `PRAGMA synchronous`, which determines the writes to disk that a commit waits for.
  package enum Synchronous: String, Sendable { case off = "OFF", normal = "NORMAL", full = "FULL" }

  /// The path that stands for a private database in memory.
  package static let memoryPath = "/dev/null"

  /// The path of the file; `memoryPath` or an empty path for a private database in memory.
  package var path: String
  package var isReadOnly = false
  /// Whether opening must neither change the file nor create files beside it; allowed only with `isReadOnly`.
  ///
  /// This is for inspecting a file, not for continued use, because the store does not notice writes of other
  /// processes.
  package var leavesNoTrace = false
  /// Whether new values of any size are stored in their rows instead of in separate files.
  package var keepsValuesInRows = false
  /// The pragmas of `NSSQLitePragmasOption`, by name.
  ///
  /// The journal mode is applied first. The other pragmas are applied after all settings of the store, in the
  /// order of their names.
  package var pragmas: [String: String] = [:]
  /// The seconds to wait for another connection's lock.
  ///
  /// Source: behaviour.md CNT-3.
  package var timeout = 240.0
  /// The `synchronous` setting of connections that write; without write-ahead mode, `full` replaces `normal`.
  package var synchronous = Synchronous.normal
  /// The maximum number of connections that read at the same time; values below 1 count as 1.
  package var readers = 4
  /// Whether a store whose version hashes differ from the model's is opened nevertheless.
  package var ignoresModelVersions = false
  /// Whether the error for a store of another model names the differences.
  ///
  /// Finding the differences takes about as long as opening the store, so a caller that migrates the store
  /// sets this property to false.
  package var namesDifferences = true
  /// Whether every write is recorded in the store's history.
  ///
  /// The history is created if the file has no history. Without this option, a store that has a history is
  /// read-only.
  /// Source: behaviour.md PSC-12.
  package var tracksHistory = false
  /// Whether opening the store runs `VACUUM`, which removes free pages; ignored if the store can only be
  /// read.
  ///
  /// Source: documented, “NSSQLiteManualVacuumOption”.
  package var vacuums = false
  /// Whether opening the store runs `ANALYZE`, so that the engine can choose indexes by their statistics;
  /// ignored if the store can only be read.
  ///
  /// Source: documented, “NSSQLiteAnalyzeOption”.
  package var analyzes = false
  /// The names of the entities that the file must contain and whose version hashes are compared with the
  /// model's.
  ///
  /// These can be the entities of a configuration; nil means all entities of the model. A new file
  /// always has tables for all entities of the model.
  package var entities: Set<String>?
  /// Whether a migration in place leaves unneeded tables and columns in the file, to be dropped later.
  ///
  /// Source: documented, “NSPersistentStoreDeferredLightweightMigrationOptionKey”.
  package var defersRemovals = false
  package var observer: StatementObserver?
  /// The log of all statements; nil for no log.
  package var log: StatementLog?

  package init(path: String) { self.path = path }

  /// Whether the store's settings can prevent other connections from using the file.
  var locksExclusively: Bool { pragmas.keys.contains { $0.lowercased() == "locking_mode" } }

  var isInMemory: Bool { path == Self.memoryPath || path.isEmpty }

  /// Whether the files of large values must be synchronized to disk before the commit that refers to them.
  ///
  /// False for a store in memory, and for a store whose setting of `synchronous` is `OFF`.
  var keepsOrderOnDisk: Bool {
    let set = pragmas.first { $0.key.lowercased() == "synchronous" }?.value.uppercased()
    return !isInMemory && !["OFF", "0"].contains(set ?? synchronous.rawValue)
  }
}
