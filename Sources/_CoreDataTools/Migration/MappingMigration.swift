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

  /// Counts the objects of each entity mapping, and the values that no expression reads.
  ///
  /// - Throws: errors of `NSCocoaErrorDomain`.
  package func forecast() throws -> MigrationForecast {
    try MappingForecast(
      file.mapping,
      from: Self.model(models.sourceDraft),
      store: URL(fileURLWithPath: path)
    ).forecast
  }

  /// Migrates the store, and replaces its file with the result.
  ///
  /// - Throws: errors of `NSCocoaErrorDomain`; the store is then unchanged.
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
    // The time of a single mapping is not measured, so the total is divided in proportion to the objects.
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

  /// Migrates a copy in the folder of temporary files, counts its objects, and checks it.
  ///
  /// The objects are not compared with those of the store, because a mapping model can give them other
  /// primary keys and values. The copy is always removed.
  /// - Throws: errors of `NSCocoaErrorDomain`, `StoreError`.
  package func rehearse(_ forecast: MigrationForecast) throws -> MigrationRehearsal.Outcome {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("coredata-rehearsal-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // The error is dropped: the folder is in the folder of temporary files.
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
