// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQLite

/// The log of inferred and staged migrations on standard error.
///
/// The launch argument `-com.apple.CoreData.MigrationDebug 2`, or `COREDATA_MIGRATION_DEBUG=2` in the
/// environment, enables the log for all stores of a program. Level 1 logs each migration from one model
/// version to another, with its time. Level 2 also logs the changes of each table, and level 3 also the SQL
/// statements.
///
/// Source: documented for the launch argument; the contents of each level are chosen.
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

  /// Logs the outcome of an inferred migration or of a step.
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
