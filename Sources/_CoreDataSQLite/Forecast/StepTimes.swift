// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQL

/// Estimates the durations of a migration's steps from the numbers of their rows, columns and bytes.
///
/// The estimate includes the time to write the changed pages to the log at the commit, and then to the file. All
/// durations are scaled to the speed of this computer, which is measured with a fixed statement.
/// Source: this library's choice; the constants were measured with tables of 30 to 600 MB.
final class StepTimes {
  /// Seconds for each row, for each column of a row, and for testing a row against a condition.
  private static let (perRow, perColumn, perSearch) = (0.12e-6, 0.010e-6, 0.05e-6)
  /// Seconds for each byte that is copied to another table, and for each byte that is changed in place.
  private static let (perCopiedByte, perChangedByte) = (5e-9, 1.8e-9)
  /// Seconds for each byte that a deletion frees.
  private static let perFreedByte = 3e-9
  /// Seconds for each index entry, for sorting an entry that is not NULL, and for each byte of an entry.
  private static let (perEntry, perSortedEntry, perEntryByte) = (0.2e-6, 0.3e-6, 5e-9)
  /// Seconds for each byte of an external file that is copied into a row.
  private static let perFileByte = 6e-9
  /// The number of bytes of an index entry apart from its values.
  private static let entryHeader = 9.0
  /// The assumed sample of an indexed column that the file does not have yet.
  private static let newColumn = TableSample.Column(bytes: 8, share: 1)
  private static let pageSize = 4_096.0

  private let file: StoreFile
  private let tables: Set<String>
  private let speed: Double
  private var samples: [String: TableSample] = [:]
  /// The tables in the file that steps copy or rename, by the names of the new tables.
  private var origins: [String: String] = [:]

  /// Measures the speed of this computer; `tables` contains the names of the file's tables.
  ///
  /// - Throws: `StoreError`.
  init(_ file: StoreFile, tables: Set<String>) throws {
    self.file = file
    self.tables = tables
    speed = try Self.measuredSpeed(file)
  }

  /// Returns the estimated duration of a step that reads or writes `rows` rows, in seconds.
  ///
  /// Must be called for the steps of a migration in their order.
  /// - Throws: `StoreError`.
  func seconds(for rows: Int, of step: MigrationStep) throws -> Double {
    switch step.action {
    case .copyRows(let source): origins[step.table] = source
    case .renameTable(let name): origins[name] = origins[step.table] ?? step.table
    default: break
    }
    return try cost(Double(rows), step) * speed
  }

  private func cost(_ rows: Double, _ step: MigrationStep) throws -> Double {
    let table = origins[step.table] ?? step.table
    switch step.action {
    case .copyRows(let source):
      let sample = try sample(source, count: rows)
      return rows * (rowCost(sample) + rowBytes(sample) * Self.perCopiedByte)
    case .dropColumn:
      let sample = try sample(table, count: rows)
      return rows * (rowCost(sample) + rowBytes(sample) * Self.perChangedByte)
    case .changeRows: return try changing(rows, sample(table))
    case .deleteRows:
      let sample = try sample(table)
      return rows * (rowCost(sample) + rowBytes(sample) * Self.perFreedByte)
    case .dropTable:
      let sample = try sample(step.table)
      return sample.bytes * Self.perFreedByte + (try indexBytes(of: step.table) * Self.perFreedByte)
    case .createIndex:
      return try indexing(rows, Self.columns(of: step.statements.first?.text ?? ""), sample(table))
    case .dropIndex(let name):
      return try entryBytes(ofIndex: name, sample(table)) * Self.perFreedByte
    case .takeInFiles:
      return rows * Self.perRow
        + Double(ValueFolder(store: file.path).bytes) * Self.perFileByte
    case .moveLinks, .clearLinks, .computeDerived:
      return rows == 0 ? 0 : try changing(rows, sample(table))
    default: return 0
    }
  }

  /// Returns the time for changing `rows` rows, in seconds; the rows may be on any page of the table.
  private func changing(_ rows: Double, _ sample: TableSample) throws -> Double {
    if rows == 0 { return 0 }
    let large = max(0, sample.bytes - sample.leafBytes) * min(1, rows / max(1, sample.rows))
    let changed = min(sample.leafBytes, rows * Self.pageSize) + large
    return sample.rows * Self.perSearch + rows * rowCost(sample) + changed * Self.perChangedByte
  }

  private func rowCost(_ sample: TableSample) -> Double {
    Self.perRow + Self.perColumn * Double(sample.columns.count)
  }

  private func rowBytes(_ sample: TableSample) -> Double {
    sample.rows == 0 ? 0 : sample.bytes / sample.rows
  }

  // MARK: Indexes

  private func indexing(_ rows: Double, _ names: [String], _ sample: TableSample) -> Double {
    let columns = names.map { sample.columns[$0] ?? Self.newColumn }
    let share = columns.map(\.share).max() ?? 1
    let bytes = columns.reduce(Self.entryHeader) { $0 + $1.bytes }
    return rows * (Self.perEntry + Self.perSortedEntry * share + bytes * Self.perEntryByte)
  }

  /// Returns the names of the columns in a statement that creates an index.
  private static func columns(of statement: String) -> [String] {
    guard let start = statement.firstIndex(of: "("),
      let end = statement[start...].firstIndex(of: ")")
    else { return [] }
    return statement[statement.index(after: start)..<end].split(separator: ",").map { part in
      String(part.drop { $0 == " " }.prefix { $0 != " " })
    }
  }

  private func indexBytes(of table: String) throws -> Double {
    let sample = try sample(table)
    let names = try file.rows(
      "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ?",
      [.text(table)]
    )
    return try names.compactMap { $0[0].text }
      .reduce(0) { $0 + (try entryBytes(ofIndex: $1, sample)) }
  }

  private func entryBytes(ofIndex name: String, _ sample: TableSample) throws -> Double {
    let names = try file.rows("SELECT name FROM pragma_index_info(?)", [.text(name)])
    let columns = names.compactMap { $0[0].text.flatMap { sample.columns[$0] } }
    return sample.rows * columns.reduce(Self.entryHeader) { $0 + $1.bytes }
  }

  // MARK: Measuring

  /// Returns the sample of a table, which is measured once; `count` is the number of rows, or nil if unknown.
  private func sample(_ table: String, count: Double? = nil) throws -> TableSample {
    if let known = samples[table] { return known }
    let sample =
      tables.contains(table)
      ? try TableSample(table, file, count: count.map { Int($0) }) : TableSample()
    samples[table] = sample
    return sample
  }

  private static let (speedRows, speedRuns) = (5_000, 12)
  /// The duration in seconds of the statement below on the computer where the constants were measured.
  private static let usualSeconds = 1.2e-3
  /// The factor for the time that the process waits for the disk, which the constants do not include.
  private static let waiting = 1.2

  /// Returns the factor for the constants: the duration of a statement that creates a temporary table,
  /// divided by `usualSeconds` and multiplied by `waiting`.
  private static func measuredSpeed(_ file: StoreFile) throws -> Double {
    var shortest = Double.infinity
    // The shortest run counts, because other programs can only prolong a run. With a short statement, at
    // least one run is probably not interrupted.
    for _ in 0..<speedRuns {
      let started = ContinuousClock.now
      _ = try file.execute(
        "CREATE TEMP TABLE CDSample AS WITH RECURSIVE C(I) AS (SELECT 1 UNION ALL SELECT I + 1 FROM C "
          + "WHERE I < \(speedRows)) SELECT I, I * 7919 % 100000 AS N, 'text ' || I AS T FROM C"
      )
      shortest = min(shortest, (ContinuousClock.now - started) / .seconds(1))
      _ = try file.execute("DROP TABLE temp.CDSample")
    }
    return shortest / usualSeconds * waiting
  }
}
