// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

extension NSPersistentStoreCoordinator {
  /// Plans the migration of a store to the coordinator's model.
  ///
  /// The store is only read, and no file is created beside it. Not in Apple's framework.
  ///
  /// ```swift
  /// if let plan = try coordinator.migrationPlan(forStoreAt: url), plan.estimatedTime > 2 {
  ///   showProgress(plan.rowCount)
  /// }
  /// ```
  /// - Parameters:
  ///   - url: The URL of the store's file.
  ///   - configuration: The configuration with which the store would be added; nil for the whole model.
  ///   - options: The options with which the store would be added, such as those of a store description. If
  ///     nil, automatic migration and inferred mappings are allowed.
  /// - Returns: The plan of the migration that adding the store would run; nil if the store needs no
  ///   migration or does not exist.
  /// - Throws: the errors that `addPersistentStore` would throw before it changes the store, such as 134100
  ///   if the options do not allow migrations, 134130 if the model that created the store is not found, and
  ///   134140, with all reasons, if no mapping can be inferred; 134091 if the store is in a PostgreSQL database.
  /// - Complexity: reads whole tables several times. To measure the time, copies at most 20,000 rows of each
  ///   affected table into a temporary table. A migration through several versions is carried out on a copy of the
  ///   store in the folder of temporary files, except for its last version change and its handlers.
  public func migrationPlan(
    forStoreAt url: URL,
    configuration: String? = nil,
    options: [AnyHashable: Any]? = nil
  ) throws -> StoreMigrationPlan? {
    if url.isDatabaseServer {
      throw Self.unsupported(
        "The migration cannot be planned.",
        "A plan is made from the file of an SQLite store, but \(url.withoutPassword) is the URL of a database. "
          + "Copy the store to a file with coredata transfer, and plan the migration of the copy."
      )
    }
    let specification = StoreSpecification(
      type: NSSQLiteStoreType,
      configuration: configuration,
      url: url,
      options: options ?? [
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true,
      ]
    )
    do {
      return try opener(for: specification, index: 0).migrationPlan()
    } catch let error as StoreError {
      throw cocoaError(error)
    }
  }
}

extension StoreOpener {
  /// Returns the plan of the migration that opening the store would run; nil if the store needs no migration
  /// or does not exist.
  fileprivate func migrationPlan() throws -> StoreMigrationPlan? {
    guard let url, let shell, FileManager.default.fileExists(atPath: url.path) else { return nil }
    var settings = settings(url)
    settings.isReadOnly = true
    settings.leavesNoTrace = true
    let migrates = flag(NSMigratePersistentStoresAutomaticallyOption)
    settings.namesDifferences = !migrates
    do {
      try SQLiteStore(model: model, index: index, options: settings).close()
      return nil
    } catch let error as StoreError where error.code == .incompatibleModel && migrates {
      if let staged = try stagedMigration(StagedFile(settings: settings)) {
        return try staged.plan(settings)
      }
      return try automaticMigration(settings, shell).plan()
    }
  }
}

extension AutomaticMigration {
  /// Returns the plan of the migration that `run()` would carry out.
  ///
  /// - Throws: the errors of finding the source model and the mapping, and of reading the store.
  func plan() throws -> StoreMigrationPlan {
    let source = try sourceModel()
    let versions = ModelVersions(source.model, shell)
    var notes = [versions.orderNote].compactMap(\.self)
    let search = try mappingModels(from: source)
    if let mapping = search.found {
      let forecast = try MappingForecast(
        mapping,
        from: source.model,
        to: shell,
        store: URL(fileURLWithPath: settings.path)
      )
      return StoreMigrationPlan(.mappingModel, [.init(forecast: forecast.forecast.adding(notes))])
    }
    notes += search.nearMisses.map { .unusedMappingModel($0.name, $0.differences) }
    guard infersMapping else { throw missingMapping(nil, nearMisses: search.nearMisses) }
    let steps = try mappings(from: source.definition, search.nearMisses)
    var changes: [StoreMigrationPlan.Change] = []
    _ = try SteppedForecast(
      steps.mappings.map { .init($0, entities: settings.entities) },
      options: settings
    ).run { index, forecast in
      let names = steps.names.isEmpty ? nil : "\(steps.names[index]) → \(steps.names[index + 1])"
      changes.append(
        .init(versions: names, forecast: index == 0 ? forecast.adding(notes) : forecast)
      )
    }
    return StoreMigrationPlan(steps.mappings.count == 1 ? .inferred : .chained, changes)
  }
}

extension StagedMigration {
  /// Returns the plan of the migration that `run()` would carry out on the file of `settings`.
  ///
  /// No handler runs.
  /// - Throws: the errors of finding the models and the mappings, and of reading the store.
  fileprivate func plan(_ settings: SQLiteStoreOptions) throws -> StoreMigrationPlan {
    let steps = try steps()
    var changes: [StoreMigrationPlan.Change] = []
    _ = try SteppedForecast(
      steps.map { .init($0.mapping, entities: try entities($0.destination)) },
      options: settings
    ).run { index, forecast in
      let stage = steps[index].stage
      changes.append(
        .init(
          versions: steps[index].description,
          forecast: forecast,
          before: stage?.willMigrateHandler == nil ? [] : ["willMigrateHandler of the stage"],
          after: stage?.didMigrateHandler == nil ? [] : ["didMigrateHandler of the stage"]
        )
      )
    }
    return StoreMigrationPlan(.staged, changes)
  }
}
