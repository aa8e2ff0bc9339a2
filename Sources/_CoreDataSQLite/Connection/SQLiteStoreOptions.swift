// SPDX-License-Identifier: Apache-2.0

/// How a SQLite store is opened.
package struct SQLiteStoreOptions: Sendable {
  /// `PRAGMA synchronous`: what a commit waits for.
  package enum Synchronous: String, Sendable { case off = "OFF", normal = "NORMAL", full = "FULL" }

  /// Path of the file; `/dev/null` gives a private database in memory.
  package var path: String
  package var isReadOnly = false
  /// Whether nothing may change in the file or appear beside it; only together with `isReadOnly`.
  ///
  /// For looking at a file, not for living with it: another process that starts to write is not noticed.
  package var leavesNoTrace = false
  /// Whether values of any size are written into their rows instead of files of their own.
  package var keepsValuesInRows = false
  /// Applied last, in the order of their names, as `NSSQLitePragmasOption` is; the journal's mode first.
  package var pragmas: [String: String] = [:]
  /// Seconds to wait for another connection's lock.
  ///
  /// Source: behaviour.md CNT-3.
  package var timeout = 240.0
  package var synchronous = Synchronous.normal
  /// Connections that read at the same time, at least 1.
  package var readers = 4
  /// Whether a store whose version hashes differ from the model's is opened all the same.
  package var ignoresModelVersions = false
  /// Whether every write is recorded in the store's history, which is created where the file has no history.
  ///
  /// A store that has a history is only read without it. Source: behaviour.md PSC-12.
  package var tracksHistory = false
  /// Whether opening writes the whole file anew, without free pages; not where it is only read.
  ///
  /// Source: documented, “NSSQLiteManualVacuumOption”.
  package var vacuums = false
  /// Whether opening counts what indexes hold, for the engine to choose among them; not where the file is only
  /// read.
  ///
  /// Source: documented, “NSSQLiteAnalyzeOption”.
  package var analyzes = false
  /// Names of the entities that the file must have and whose version hashes count, such as a
  /// configuration's; nil for all.
  ///
  /// The file has tables for all entities of the model all the same.
  package var entities: Set<String>?
  package var observer: StatementObserver?
  /// Where every statement is written to; nil for nowhere.
  package var log: StatementLog?

  package init(path: String) { self.path = path }

  var isInMemory: Bool { path == "/dev/null" || path.isEmpty }

  /// Whether what a commit needs must have reached the disk before it; false where the store's settings
  /// leave the order of writes to the system.
  var keepsOrderOnDisk: Bool {
    let set = pragmas.first { $0.key.lowercased() == "synchronous" }?.value.uppercased()
    return !isInMemory && !["OFF", "0"].contains(set ?? synchronous.rawValue)
  }
}
