// SPDX-License-Identifier: Apache-2.0

import CoreData
import _CoreDataModel
import _CoreDataSQLite

/// The migration of a store with a mapping model.
package struct MappingMigration {
  private let file: MappingModelFile
  private let models: MigrationModels
  private let path: String

  package init(_ file: MappingModelFile, _ models: MigrationModels, store path: String) {
    self.file = file
    self.models = models
    self.path = path
  }

  private static func model(_ draft: ModelDraft) -> NSManagedObjectModel {
    let model = NSManagedObjectModel(draft: draft)
    model.isForTools = true
    return model
  }

  /// Forecasts the migration without changing the store.
  ///
  /// The forecast has a step for each entity mapping, with the number of its source objects. The notes list
  /// the values that no expression reads, and the policy classes that this program lacks.
  /// - Throws: errors of `NSCocoaErrorDomain`.
  package func forecast() throws -> MigrationForecast {
    try MappingForecast(
      file.mapping,
      from: Self.model(models.sourceDraft),
      to: Self.model(models.destination.draft),
      store: URL(fileURLWithPath: path)
    ).forecast
  }

  /// Migrates the store to a new file, which replaces the old file.
  ///
  /// - Throws: errors of `NSCocoaErrorDomain`. After an error, the store is unchanged.
  package func run(_ forecast: MigrationForecast) throws -> MigrationRun.Outcome {
    try run(forecast, at: path, nil)
  }

  private func run(
    _ forecast: MigrationForecast,
    at path: String,
    _ associations: MappingAssociations?
  ) throws -> MigrationRun.Outcome {
    let started = ContinuousClock.now
    let model = Self.model(models.destination.draft)
    model.sourceURL = URL(fileURLWithPath: models.destination.origin)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      type: .sqlite,
      at: URL(fileURLWithPath: path),
      options: [
        NSMigratePersistentStoresAutomaticallyOption: true,
        StoreOpener.mappingModelOption: file.mapping,
        StoreOpener.associationsOption: associations as Any,
      ]
    )
    try coordinator.remove(store)
    let seconds = (ContinuousClock.now - started) / .seconds(1)
    // Only the total time is measured, so it is divided among the steps in proportion to their objects.
    let rows = max(1, forecast.rows)
    let steps = forecast.steps.map { step in
      MigrationRun.Step(
        text: step.text,
        rows: step.rows,
        seconds: seconds * Double(step.rows) / Double(rows)
      )
    }
    return MigrationRun.Outcome(steps: steps, seconds: seconds, wasDone: false)
  }

  /// Migrates a temporary copy of the store, compares the copy's objects with the values that the mapping
  /// model's expressions compute from the store's objects, and examines the copy with `Doctor`.
  ///
  /// `progress` receives the number of objects compared so far. The copy is removed, even if an error is thrown.
  /// - Throws: errors of `NSCocoaErrorDomain`, `StoreError`.
  package func rehearse(
    _ forecast: MigrationForecast,
    progress: (Int) -> Void = { _ in }
  ) throws -> MigrationRehearsal.Outcome {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("coredata-rehearsal-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // The error is dropped, because the system deletes temporary files eventually.
    defer { try? FileManager.default.removeItem(at: folder) }
    let copy = folder.appendingPathComponent(URL(fileURLWithPath: path).lastPathComponent).path
    let timeout = SQLiteStoreOptions(path: path).timeout
    try StoreFiles(path: copy, timeout: timeout)
      .replace(by: StoreFiles(path: path, timeout: timeout))
    let known = Set(try findings(copy, models.source).map(\.check))
    let associations = MappingAssociations()
    let outcome = try run(forecast, at: copy, associations)
    let compared = try compare(copy, associations, progress)
    return MigrationRehearsal.Outcome(
      migration: outcome,
      tallies: compared.tallies,
      differences: compared.differences,
      findings: try findings(copy, models.destination.definition)
        .filter { !known.contains($0.check) },
      skipped: compared.skipped
    )
  }

  private func compare(
    _ copy: String,
    _ associations: MappingAssociations,
    _ progress: (Int) -> Void
  ) throws -> MappingFindings {
    let comparison = try MappingComparison(
      file.mapping,
      from: Self.model(models.sourceDraft),
      at: URL(fileURLWithPath: path),
      to: Self.model(models.destination.draft),
      at: URL(fileURLWithPath: copy),
      associations
    )
    defer { comparison.close() }
    var findings = MappingFindings(models.destination.definition)
    var done = 0
    for name in comparison.names {
      findings.begin(name, skipped: comparison.skipped(name))
      try comparison.run(
        name,
        progress: { count in
          done += count
          progress(done)
        },
        { object, finding in findings.add(finding, object) }
      )
    }
    return findings
  }

  private func findings(_ path: String, _ model: ModelDefinition) throws -> [Finding] {
    try Doctor(StoreFile(path: path, access: .untouched), model: model).examine()
      .filter { $0.severity != .hint }
  }
}
