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
    try run(forecast, at: path)
  }

  private func run(_ forecast: MigrationForecast, at path: String) throws -> MigrationRun.Outcome {
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

  /// Migrates a temporary copy of the store, counts the copy's objects, and examines the copy with `Doctor`.
  ///
  /// The objects are not compared with those of the store, because a mapping model can give them other
  /// primary keys and values. The copy is removed, even if an error is thrown.
  /// - Throws: errors of `NSCocoaErrorDomain`, `StoreError`.
  package func rehearse(_ forecast: MigrationForecast) throws -> MigrationRehearsal.Outcome {
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
    let outcome = try run(forecast, at: copy)
    let model = models.destination.definition
    let counts = try StoreFile(path: copy, access: .untouched).objectCounts(model)
    return MigrationRehearsal.Outcome(
      migration: outcome,
      tallies: model.entities.filter { !$0.isAbstract }.map { entity in
        var tally = MigrationComparison.Tally(entity: entity.name, source: entity.name)
        tally.objects = counts[entity.index]
        return tally
      },
      differences: [],
      findings: try findings(copy, model).filter { !known.contains($0.check) }
    )
  }

  private func findings(_ path: String, _ model: ModelDefinition) throws -> [Finding] {
    try Doctor(StoreFile(path: path, access: .untouched), model: model).examine()
      .filter { $0.severity != .hint }
  }
}
