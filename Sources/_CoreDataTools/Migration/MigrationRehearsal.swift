// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// Migrates a copy of a store, compares the copy's objects with those of the store, and removes the copy.
package struct MigrationRehearsal {
  package struct Outcome: Sendable {
    package let migration: MigrationRun.Outcome
    package let tallies: [MigrationComparison.Tally]
    /// The first differences, at most 20 for each entity.
    package let differences: [MigrationComparison.Difference]
    /// The findings of `Doctor` in the migrated copy, except those of a check that also has findings in the
    /// store.
    package let findings: [Finding]
    /// The properties that were not compared, with their expressions; empty for an inferred mapping.
    package let skipped: [String]

    /// Whether `differences` and `findings` are empty; losses in the forecast do not count as differences.
    package var isEqual: Bool { differences.isEmpty && findings.isEmpty }
    package var objects: Int { tallies.reduce(0) { $0 + $1.objects } }
    package var values: Int { tallies.reduce(0) { $0 + $1.values } }
    package var links: Int { tallies.reduce(0) { $0 + $1.links } }

    /// The column names of `rows`: those of a plan, then those of the numbers of compared objects, values and
    /// links, and of differences.
    package static let columns =
      MigrationForecast.columns + ["objects", "values", "links", "differences"]

    /// Returns a row for each entity, for each note of the forecast, and for each difference and finding.
    ///
    /// The row of a note has the same values as in `MigrationForecast.outputRows`.
    package func rows(_ forecast: MigrationForecast) -> [[Value]] {
      let none = [Value](repeating: .null, count: 4)
      let entities = tallies.map { tally -> [Value] in
        Self.row("entity", tally.entity, tally.origin) + [
          .int(Int64(tally.objects)), .int(Int64(tally.values)), .int(Int64(tally.links)),
          .int(Int64(tally.differences)),
        ]
      }
      let notes = forecast.notes.map { $0.outputRow + none }
      let differences = differences.map { difference -> [Value] in
        let name = difference.object + (difference.property.map { "." + $0 } ?? "")
        return Self.row("difference", name, difference.text) + none
      }
      let findings = findings.map { finding -> [Value] in
        let details = "\(finding.check.rawValue): \(finding.message)"
        return Self.row("damage", finding.location, details) + none
      }
      let uncompared = skipped.map {
        Self.row("skipped", $0, "the expression was not compared") + none
      }
      return entities + notes + differences + findings + uncompared
    }

    private static func row(_ kind: String, _ what: String, _ details: String) -> [Value] {
      [.text(kind), .text(what), .null, .null, details.isEmpty ? .null : .text(details), .null]
    }
  }

  private let mapping: ModelMapping
  private let options: SQLiteStoreOptions
  private let parent: URL?

  /// Creates a rehearsal that makes its copy in a new folder in `parent`, or in the folder of temporary files
  /// if `parent` is nil.
  ///
  /// `options` must contain the store's path and entities.
  package init(
    _ mapping: ModelMapping,
    options: SQLiteStoreOptions,
    in parent: URL? = nil
  ) {
    self.mapping = mapping
    self.options = options
    self.parent = parent
  }

  /// Migrates a copy of the store, and compares the copy with the store.
  ///
  /// `started` receives the migration, and must run it. `progress` receives the number of objects compared
  /// so far. If the store is changed meanwhile, the changes are reported as differences. The copy is removed,
  /// even if an error is thrown.
  /// - Throws: `StoreError`, `ToolError`, and the errors of `started`.
  package func run(
    _ forecast: MigrationForecast,
    started: (MigrationRun) throws -> MigrationRun.Outcome = { try $0.run() },
    progress: (Int) -> Void = { _ in }
  ) throws -> Outcome {
    let folder = try TemporaryFolder(Self.folderKind, for: Self.purpose, in: parent)
    defer { folder.remove() }
    let name = URL(fileURLWithPath: options.path).lastPathComponent
    let copy = folder.url.appendingPathComponent(name).path
    try StoreFiles(path: copy, timeout: options.timeout)
      .replace(by: StoreFiles(path: options.path, timeout: options.timeout))
    var copied = options
    copied.path = copy
    let migration = try started(MigrationRun(mapping, options: copied, forecast: forecast))
    let before = try open(options.path, mapping.source, ignoresVersions: true)
    defer { before.close() }
    let after = try open(copy, mapping.destination, ignoresVersions: false)
    defer { after.close() }
    let comparison = MigrationComparison(mapping, before: before, after: after)
    try comparison.run(progress: progress)
    return Outcome(
      migration: migration,
      tallies: comparison.tallies,
      differences: comparison.differences,
      findings: try newFindings(copy),
      skipped: []
    )
  }

  /// The kind and the purpose of the `TemporaryFolder` with the copy.
  static let (folderKind, purpose) = ("coredata-rehearsal", "the copy for the rehearsal")

  private func open(
    _ path: String,
    _ model: ModelDefinition,
    ignoresVersions: Bool
  ) throws -> SQLiteStore {
    var reading = SQLiteStoreOptions(path: path)
    reading.isReadOnly = true
    reading.leavesNoTrace = true
    reading.ignoresModelVersions = ignoresVersions
    // The source may have entities that the store does not have.
    reading.entities =
      ignoresVersions
      ? Set(try StoreVersion.read(path: path).hashes.keys) : options.entities
    return try SQLiteStore(model: model, index: 0, options: reading)
  }

  private func newFindings(_ copy: String) throws -> [Finding] {
    let found = try findings(copy, mapping.destination)
    if found.isEmpty { return [] }
    let known = Set(try findings(options.path, mapping.source).map(\.check))
    return found.filter { !known.contains($0.check) }
  }

  private func findings(_ path: String, _ model: ModelDefinition) throws -> [Finding] {
    try Doctor(StoreFile(path: path, access: .untouched), model: model).examine()
      .filter { $0.severity != .hint }
  }
}
