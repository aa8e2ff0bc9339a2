// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

extension StagedMigration {
  /// Returns the steps from the store's version to the coordinator's model, with their models and mappings.
  func steps() throws -> [StagedStep] {
    let plan = try plan()
    var models: [String: StagedStep.Version] = [:]
    func version(_ checksum: String) throws -> StagedStep.Version {
      if let found = models[checksum] { return found }
      let version = try find(checksum)
      models[checksum] = version
      return version
    }
    return try plan.steps.map { step in
      switch step {
      case .inferred(let from, let to): try self.step(nil, version(from), version(to))
      case .custom(let stage, let from, let to):
        try self.step(
          manager.stages[stage] as? NSCustomMigrationStage,
          version(from),
          version(to)
        )
      }
    }
  }

  private func plan() throws -> StagedPlan {
    let metadata: StoreMetadata
    do { metadata = try store.metadata() } catch { throw cocoaError(error) }
    guard let checksum = metadata.checksum else {
      throw StagedErrors.noChecksum(path: store.place)
    }
    do {
      return try StagedPlan(
        from: checksum,
        to: model.versionChecksum,
        stages: manager.stages.map(\.versionStage)
      )
    } catch let error as StagingError {
      throw StagedErrors.make(error, path: store.place)
    }
  }

  private func step(
    _ stage: NSCustomMigrationStage?,
    _ source: StagedStep.Version,
    _ destination: StagedStep.Version
  ) throws -> StagedStep {
    let search = try MappingModelSearch.forProgram(from: source.model, to: destination.model)
    if search.found != nil {
      throw StagedErrors.mappingModel(
        "\(source.name) → \(destination.name)",
        path: store.place
      )
    }
    do {
      return StagedStep(
        stage: stage,
        source: source,
        destination: destination,
        mapping: try ModelMapping(
          inferredFrom: source.definition,
          to: destination.definition
        )
      )
    } catch let failure as InferenceFailure {
      throw try migration.missingMapping(failure, nearMisses: search.nearMisses)
    }
  }

  // MARK: Models

  private func find(_ checksum: String) throws -> StagedStep.Version {
    if checksum == model.versionChecksum {
      return StagedStep.Version(
        checksum: checksum,
        definition: try model.freeze().definition,
        model: model
      )
    }
    let custom = manager.stages.compactMap { $0 as? NSCustomMigrationStage }
    let references = custom.flatMap { [$0.currentModel, $0.nextModel] }
    if let reference = references.first(where: { $0.versionChecksum == checksum }) {
      return try version(of: reference)
    }
    // A version without a reference can only be the version of the store.
    let source = try store.sourceModel(model)
    return StagedStep.Version(
      checksum: checksum,
      definition: source.definition,
      model: source.model
    )
  }

  func version(of reference: NSManagedObjectModelReference) throws -> StagedStep.Version {
    let model = try reference.resolve()
    return StagedStep.Version(
      checksum: reference.versionChecksum,
      definition: try model.freeze().definition,
      model: model
    )
  }

  /// The automatic migration of the same store, which describes the mappings that cannot be inferred.
  private var migration: AutomaticMigration {
    get throws {
      AutomaticMigration(
        settings: SQLiteStoreOptions(path: store.place),
        model: try model.freeze().definition,
        shell: model,
        infersMapping: true
      )
    }
  }

  /// Returns the entities of the store's configuration in a version of the model; nil for all.
  func entities(_ version: StagedStep.Version) throws -> Set<String>? {
    guard let name = specification.configuration, name != NSPersistentStore.wholeModel else {
      return nil
    }
    guard let entities = version.definition.configurations[name] else {
      throw StagedErrors.noConfiguration(name, in: version.name, path: store.place)
    }
    return Set(entities.map { version.definition.entities[$0].name })
  }
}
