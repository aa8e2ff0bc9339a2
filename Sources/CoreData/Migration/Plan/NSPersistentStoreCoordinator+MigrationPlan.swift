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
  ///   134140, with all reasons, if no mapping can be inferred.
  /// - Complexity: reads whole tables several times. To measure the time, copies at most 20,000 rows of each
  ///   affected table into a temporary table.
  public func migrationPlan(
    forStoreAt url: URL,
    configuration: String? = nil,
    options: [AnyHashable: Any]? = nil
  ) throws -> StoreMigrationPlan? {
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
      if let staged = try stagedMigration(settings) { return try staged.plan() }
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
    if let mapping = try mappingModel(from: source) {
      let forecast = try MappingForecast(
        mapping,
        from: source.model,
        store: URL(fileURLWithPath: settings.path)
      )
      return StoreMigrationPlan(.mappingModel, forecast.forecast)
    }
    guard infersMapping else { throw missingMapping(nil) }
    let mappings = try mappings(from: source.definition)
    let file = try StoreFile(path: settings.path, access: .untouched)
    let names = mappings.indices.map { "version change \($0 + 1) of \(mappings.count)" }
    return StoreMigrationPlan(
      mappings.count == 1 ? .inferred : .chained,
      try MigrationForecast(mappings[0], file, options: settings),
      followedBy: try LaterSteps(file, mappings[0].source).steps(of: mappings, named: names)
    )
  }
}

extension StagedMigration {
  /// Returns the plan of the migration that `run()` would carry out.
  ///
  /// No handler runs.
  /// - Throws: the errors of finding the models and the mappings, and of reading the store.
  fileprivate func plan() throws -> StoreMigrationPlan {
    let steps = try steps()
    guard let first = steps.first else {
      return StoreMigrationPlan(.staged, MigrationForecast(steps: [], notes: []))
    }
    let file = try StoreFile(path: settings.path, access: .untouched)
    var options = try self.settings(for: first.destination)
    options.isReadOnly = true
    return StoreMigrationPlan(
      .staged,
      try MigrationForecast(first.mapping, file, options: options),
      followedBy: try LaterSteps(file, first.mapping.source)
        .steps(of: steps.map(\.mapping), named: steps.map(\.description))
    )
  }
}

/// The steps that follow the first version change in a migration through several versions.
private struct LaterSteps {
  /// The number of objects of each entity in the file, by the index of the entity.
  private let counts: [Int]
  /// The estimated seconds for each row.
  ///
  /// Source: this library's choice; copying a row of a table takes about this time.
  private static let rate = 3e-6

  init(_ file: StoreFile, _ model: ModelDefinition) throws {
    counts = try file.objectCounts(model)
  }

  /// Returns a step for each mapping except the first.
  ///
  /// The row count of a step is the number of objects of the entities that the mapping changes.
  func steps(
    of mappings: [ModelMapping],
    named names: [String]
  ) -> [StoreMigrationPlan.Step] {
    var counts = counts
    var steps: [StoreMigrationPlan.Step] = []
    for (index, mapping) in mappings.enumerated() {
      let rows = mapping.entities.reduce(0) { sum, entity in
        guard entity.kind == .transform, let source = entity.source else { return sum }
        return sum + counts[source]
      }
      if index > 0 {
        steps.append(
          StoreMigrationPlan.Step(
            summary: names[index],
            rowCount: rows,
            estimatedTime: Double(rows) * Self.rate
          )
        )
      }
      counts = mapping.sourceEntities.map { $0.map { counts[$0] } ?? 0 }
    }
    return steps
  }
}
