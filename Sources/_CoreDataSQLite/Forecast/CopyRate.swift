// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQL

/// Estimates the time of a migration's steps from the measured time of copying rows of the same table.
///
/// A sample of the table's rows is copied three times into a temporary table, which the engine keeps outside
/// the store's file. The shortest time per row is multiplied by the number of the step's rows and by a factor
/// for the kind of step. The factor is needed, because a step also writes the log and the file.
/// Source: this library's choice; the factors were measured with a million rows of eight columns.
final class CopyRate {
  private let file: StoreFile
  private let tables: Set<String>
  private var measured: [String: Double] = [:]
  private static let sample = 20_000
  /// The seconds that copying a row is assumed to take if the table has too few rows for a measurement.
  private static let assumed = 1e-6

  init(_ file: StoreFile, tables: Set<String>) {
    self.file = file
    self.tables = tables
  }

  /// Returns the estimated time of a step that reads or writes `rows` rows, in seconds.
  ///
  /// - Throws: `StoreError`.
  func seconds(for rows: Int, of step: MigrationStep) throws -> Double {
    if rows == 0 { return 0 }
    let table =
      switch step.action {
      case .copyRows(let source): source
      default: step.table
      }
    return try perRow(table) * Double(rows) * Self.factor(step)
  }

  private static func factor(_ step: MigrationStep) -> Double {
    switch step.action {
    case .copyRows: 2.5
    case .dropColumn: 2
    // The estimate is proportional to the number of columns, because the rows are sorted by each of them.
    case .createIndex: 1.5 * Double(step.statements.first?.text.split(separator: ",").count ?? 1)
    case .deleteRows: 1
    default: 1.5
    }
  }

  private func perRow(_ table: String) throws -> Double {
    if let known = measured[table] { return known }
    let rate = try tables.contains(table) ? measure(table) : Self.assumed
    measured[table] = rate
    return rate
  }

  private func measure(_ table: String) throws -> Double {
    var rates: [Double] = []
    // The shortest time counts: the first includes reading the file, and each can include the work of other
    // programs.
    for _ in 0..<3 {
      let started = ContinuousClock.now
      _ = try file.execute(
        "CREATE TEMP TABLE CDSample AS SELECT * FROM main.\(table) LIMIT \(Self.sample)"
      )
      let seconds = (ContinuousClock.now - started) / .seconds(1)
      let rows = try file.integer("SELECT COUNT(*) FROM temp.CDSample") ?? 0
      _ = try file.execute("DROP TABLE temp.CDSample")
      // With few rows, preparing the statement takes most of the time.
      if rows < 1_000 { return Self.assumed }
      rates.append(seconds / Double(rows))
    }
    return rates.min() ?? Self.assumed
  }
}
