// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQLite

/// The log of inferred and staged migrations on standard error.
///
/// A program started with `-com.apple.CoreData.MigrationDebug 2`, or with `COREDATA_MIGRATION_DEBUG=2` in its
/// environment, logs the migrations of all its stores. Level 1 logs each migration step and its time. Level 2
/// adds the changes that the step makes. Level 3 adds the SQL statements.
///
/// Source: documented for the launch argument; the contents of each level are this library's choice.
struct MigrationDebugLog {
  let level: Int

  /// The log that the launch arguments or the environment enable; nil if neither enables a log.
  static let launched: MigrationDebugLog? = {
    let level = DebugLevel.of("com.apple.CoreData.MigrationDebug", "COREDATA_MIGRATION_DEBUG")
    return level == 0 ? nil : MigrationDebugLog(level: level)
  }()

  func begin(_ steps: [String], path: String) {
    let list = steps.joined(separator: "; ")
    Diagnostics.note("migration of \(path), steps: \(list)")
  }

  /// Logs why a mapping model that differs from the two models in only some entities is not used.
  func note(unused name: String, _ differences: String) {
    Diagnostics.note(
      "migration: the mapping model \(name) is not used, because some entities do not match: \(differences)"
    )
  }

  /// Logs the end of a step, or that another process had already migrated the store.
  func end(_ outcome: StoreMigration.Outcome, path: String, time: Duration) {
    guard case .migrated(let plan) = outcome else {
      Diagnostics.note("migration of \(path): another process has already migrated the store")
      return
    }
    if level > 1 {
      for step in plan.steps where !step.statements.isEmpty {
        Diagnostics.note("migration: \(step.description)")
        if level < 3 { continue }
        for statement in step.statements { Diagnostics.note("migration:   \(statement.text)") }
      }
    }
    Diagnostics.note(
      "migration of \(path) completed, changes: \(plan.steps.count), time: "
        + time.formatted(.units(allowed: [.milliseconds], fractionalPart: .show(length: 1)))
    )
  }
}
