// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQL

/// Estimates the time of a migration's steps from the measured time of copying rows of the same table.
///
/// A sample of the table's rows is copied three times into a temporary table, which the engine keeps outside
/// the store's file. The shortest time per row is multiplied by the number of the step's rows and by a factor
/// for the kind of step. The sample is written to memory only, so for a step that writes rows, the estimate
/// adds the time to write their bytes to the log and then to the file.
/// Source: this library's choice; the factors were measured with a million rows of eight columns.
final class CopyRate {
  private struct Row {
    /// The time to copy a row, in seconds.
    let seconds: Double
    /// The size of a row in a table, in bytes.
    let bytes: Double
  }
  private let file: StoreFile
  private let tables: Set<String>
  private var measured: [String: Row] = [:]
  private static let sample = 20_000
  /// The values that are assumed if the table has too few rows for a measurement.
  private static let assumed = Row(seconds: 1e-6, bytes: 100)
  /// The time to write a byte to the log and then to the file, in seconds.
  private static let secondsPerByte = 6e-9

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
    let row = try row(table)
    return Double(rows)
      * (row.seconds * Self.factor(step) + row.bytes * Self.written(step) * Self.secondsPerByte)
  }

  /// Returns the fraction of each row's bytes that the step writes.
  private static func written(_ step: MigrationStep) -> Double {
    switch step.action {
    case .copyRows: 1
    case .createIndex: 0.5
    default: 0
    }
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

  private func row(_ table: String) throws -> Row {
    if let known = measured[table] { return known }
    let row = try tables.contains(table) ? measure(table) : Self.assumed
    measured[table] = row
    return row
  }

  private func measure(_ table: String) throws -> Row {
    var samples: [Row] = []
    let empty = try pages()
    let pageSize = Int(try file.integer("PRAGMA temp.page_size") ?? 0)
    // The shortest time counts: the first includes reading the file, and each can include the work of other
    // programs.
    for _ in 0..<3 {
      let started = ContinuousClock.now
      _ = try file.execute(
        "CREATE TEMP TABLE CDSample AS SELECT * FROM main.\(table) LIMIT \(Self.sample)"
      )
      let seconds = (ContinuousClock.now - started) / .seconds(1)
      let rows = try file.integer("SELECT COUNT(*) FROM temp.CDSample") ?? 0
      let pages = try pages() - empty
      _ = try file.execute("DROP TABLE temp.CDSample")
      // With few rows, preparing the statement takes most of the time.
      if rows < 1_000 { return Self.assumed }
      let bytes = Double(pages * pageSize) / Double(rows)
      samples.append(Row(seconds: seconds / Double(rows), bytes: bytes))
    }
    return samples.min { $0.seconds < $1.seconds } ?? Self.assumed
  }

  /// Returns the number of pages that temporary tables use.
  private func pages() throws -> Int {
    let all = try file.integer("PRAGMA temp.page_count") ?? 0
    return Int(all - (try file.integer("PRAGMA temp.freelist_count") ?? 0))
  }
}
