// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// The migration of a store that is added with another version of its model.
///
/// Source: documented, “Using lightweight migration”. Reading the source model from the store's copy is this
/// library's choice.
struct AutomaticMigration {
  let settings: SQLiteStoreOptions
  /// The connection, the store version and the model copy that the migration shares with the coordinator; nil
  /// if the migration opens its own connection.
  var shared: MigrationResources?
  let model: ModelDefinition
  /// The coordinator's model.
  let shell: NSManagedObjectModel
  /// The options with which the program adds the store.
  var options: [AnyHashable: Any] = [:]
  let infersMapping: Bool
  /// Whether the store may migrate through intermediate versions if no direct mapping can be inferred.
  var chainsVersions = false
  /// The mapping model that a tool passes; if nil, a mapping model is searched for.
  var givenMapping: NSMappingModel?
  /// Receives the source and destination objects that a mapping model associates; set by tools only.
  var associations: MappingAssociations?

  /// Migrates the store with the program's mapping model for the two models, or else with an inferred
  /// mapping.
  ///
  /// - Throws: `NSMigrationMissingSourceModelError` if the model that created the store is not found;
  ///   `NSMigrationMissingMappingModelError` if there is no mapping model and no mapping is inferred;
  ///   `NSMigrationError` if the store is read-only, or if a mapping model cannot be read; the errors of
  ///   `NSMigrationManager.migrateStore` with a mapping model, and those of `carryOut(_:_:)` with an inferred
  ///   mapping; `StoreError` if the store cannot be read or locked.
  func run() throws {
    let source = try sourceModel()
    let search = try mappingModels(from: source)
    if let mapping = search.found { return try carryOut(mapping, from: source.model) }
    guard infersMapping else { throw missingMapping(nil, nearMisses: search.nearMisses) }
    let mappings = try mappings(from: source.definition, search.nearMisses).mappings
    for miss in search.nearMisses {
      MigrationDebugLog.launched?.note(unused: miss.name, miss.differences)
    }
    if settings.isReadOnly { throw try readOnly(mappings) }
    for mapping in mappings { try carryOut(mapping, settings) }
  }

  /// Returns the direct mapping, or the mappings of a chain of versions with the names of these versions.
  ///
  /// A chain is searched for only if the direct mapping cannot be inferred and `chainsVersions` is true.
  ///
  /// - Throws: `NSMigrationMissingMappingModelError` if no mapping can be inferred; the array of mappings is
  ///   therefore never empty.
  func mappings(
    from source: ModelDefinition,
    _ nearMisses: [MappingModelSearch.NearMiss] = []
  ) throws -> (mappings: [ModelMapping], names: [String]) {
    do {
      return ([try ModelMapping(inferredFrom: source, to: model)], [])
    } catch let failure as InferenceFailure {
      let chain = chain(from: source)
      guard chainsVersions, let chain else {
        throw missingMapping(failure, chain, nearMisses: nearMisses)
      }
      return (chain.mappings, chain.names)
    }
  }

  /// Migrates the store with an inferred mapping, in one transaction.
  ///
  /// - Throws: `NSMigrationConstraintViolationError` if rows violate a uniqueness constraint;
  ///   `NSPersistentStoreTimeoutError` after the timeout; `NSMigrationError` for any other failure of the
  ///   store.
  func carryOut(_ mapping: ModelMapping, _ settings: SQLiteStoreOptions) throws {
    let start = ContinuousClock.now
    do {
      let outcome = try StoreMigration(mapping, options: settings, shared: shared).run()
      MigrationDebugLog.launched?.end(outcome, path: settings.path, time: .now - start)
    } catch let error as StoreError {
      throw wrapped(error)
    }
  }

  // MARK: The model of the store

  /// The model that created the store.
  struct Source {
    let definition: ModelDefinition
    private let content: Content
    private enum Content {
      case model(NSManagedObjectModel)
      case draft(ModelDraft)
    }

    init(_ model: NSManagedObjectModel, _ definition: ModelDefinition) {
      self.definition = definition
      content = .model(model)
    }

    init(_ draft: ModelDraft, _ definition: ModelDefinition) {
      self.definition = definition
      content = .draft(draft)
    }

    /// The model as an `NSManagedObjectModel`; for the store's copy of its model, each access creates a new
    /// one.
    var model: NSManagedObjectModel {
      switch content {
      case .model(let model): model
      case .draft(let draft): NSManagedObjectModel(draft: draft)
      }
    }
  }

  /// Returns the model that created the store.
  ///
  /// - Throws: `NSMigrationMissingSourceModelError` if the model is not found; `StoreError` if the file
  ///   cannot be read.
  func sourceModel() throws -> Source {
    try sourceModel(shared?.version ?? StoreVersion.read(path: settings.path))
  }

  /// Returns the model with exactly the store's entities or, if there is no such model, a model with more
  /// entities.
  ///
  /// A larger model may have created the store with one of its configurations. The store's copy of its model
  /// is tried first, because reading all versions of a large model is slow.
  private func sourceModel(_ version: StoreVersion) throws -> Source {
    let copy = copy(of: version)
    func isWhole(_ source: Source) -> Bool {
      source.definition.entities.count == version.hashes.count
        && version.equalHashes(source.definition) == version.hashes.count
    }
    if let copy, isWhole(copy) { return copy }
    let versions = shell.sourceURL.map(ModelLocator.versions(near:)) ?? []
    var candidates = versions.compactMap { source($0, version) }
    if let found = candidates.first(where: isWhole) { return found }
    let metadata = [NSStoreModelVersionHashesKey: version.hashes]
    if let merged = NSManagedObjectModel.mergedModel(from: nil, forStoreMetadata: metadata),
      let found = source(merged, version)
    {
      candidates.append(found)
    }
    if let found = candidates.last(where: isWhole) ?? copy { return found }
    if let found = candidates.max(by: { equalHashes($0, version) < equalHashes($1, version) }) {
      return found
    }
    throw missingSource(versions, version)
  }

  /// Returns the store's copy of its model; nil if there is none, or if it does not match the version hashes.
  private func copy(of version: StoreVersion) -> Source? {
    guard let definition = version.copy, let draft = version.copyDraft,
      version.isVersion(definition)
    else { return nil }
    return Source(draft, definition)
  }

  private func equalHashes(_ source: Source, _ version: StoreVersion) -> Int {
    version.equalHashes(source.definition)
  }

  /// Returns nil if the candidate does not match the store's version hashes.
  private func source(_ candidate: NSManagedObjectModel, _ version: StoreVersion) -> Source? {
    // The error is dropped, because an invalid model cannot have created the store.
    guard let definition = try? candidate.freeze().definition, version.isVersion(definition) else {
      return nil
    }
    return Source(candidate, definition)
  }

  private func missingSource(
    _ versions: [NSManagedObjectModel],
    _ stored: StoreVersion
  ) -> NSError {
    let known = versions.compactMap { version -> (name: String, definition: ModelDefinition)? in
      // The error is dropped, because an invalid version cannot be compared.
      (try? version.freeze().definition).map { (version.versionName, $0) }
    }
    let hint = stored.nearest(of: known.map(\.definition)).map { index in
      let lines = stored.obstacles(toOpeningWith: known[index].definition)
      let limit = 20
      let more = lines.count > limit ? "; and \(lines.count - limit) more" : ""
      return
        "; the nearest known version, “\(known[index].name)”, differs from the store: "
        + lines.prefix(limit).joined(separator: "; ") + more
    }
    return coreDataError(
      NSMigrationMissingSourceModelError,
      "Persistent store migration failed, missing source managed object model.",
      stored.incompatibility(with: model, entities: settings.entities)
        + (hint ?? "; no other valid version of the model was found")
        + ". Add the version of the model that created the store to the program. If that version was edited, "
        + "undo the changes, and make them in a new version. A version must not change after stores have "
        + "been created with it.",
      userInfo: [NSFilePathErrorKey: settings.path]
    )
  }

  // MARK: Mapping models

  /// Searches the program for a mapping model from `source` to the coordinator's model.
  ///
  /// - Throws: `NSMigrationError` if a mapping model cannot be read, and no other mapping model fits.
  func mappingModels(from source: Source) throws -> MappingModelSearch {
    if let givenMapping { return MappingModelSearch(found: givenMapping) }
    return try MappingModelSearch.forProgram(from: source.model, to: shell)
  }

  /// Migrates the store with a mapping model of the program.
  ///
  /// - Throws: `NSMigrationError` if the store is read-only; `StoreError` if the store cannot be read or
  ///   locked; the errors of `NSMigrationManager.migrateStore`.
  private func carryOut(_ mapping: NSMappingModel, from source: NSManagedObjectModel) throws {
    // The manager opens its own connections.
    shared?.close()
    let url = URL(fileURLWithPath: settings.path)
    if settings.isReadOnly { throw MigrationErrors.readOnly(mapping, url) }
    let store = MigratedStore(type: NSSQLiteStoreType, url: url, options: options)
    do {
      let manager = NSMigrationManager(sourceModel: source, destinationModel: shell)
      if let associations { manager.state.record = { associations.pairs[$0] = $1 } }
      try manager.migrate(store, settings, with: mapping)
    } catch let error as StoreError {
      throw wrapped(error)
    }
  }

  // MARK: Errors

  func missingMapping(
    _ failure: InferenceFailure?,
    _ chain: Chain? = nil,
    nearMisses: [MappingModelSearch.NearMiss] = []
  ) -> NSError {
    let unused = nearMisses.map {
      ". The mapping model \($0.name) is not used, because some entities do not match: \($0.differences)"
    }.joined()
    let hint = unused + (chain?.hint ?? "")
    var info: [String: Any] = [NSFilePathErrorKey: settings.path]
    if let failure { info[NSUnderlyingErrorKey] = cocoaError(failure) }
    return coreDataError(
      NSMigrationMissingMappingModelError,
      "Persistent store migration failed, missing mapping model.",
      failure.map { "Can't find or automatically infer mapping model for migration: \($0)\(hint)." }
        ?? "The program has no mapping model for the two models, and the option "
        + "\(NSInferMappingModelAutomaticallyOption) is not true. Set the option to true, or add a mapping "
        + "model\(hint).",
      userInfo: info
    )
  }

  /// Returns the error for a store that is opened read-only.
  ///
  /// For the first mapping, the error lists the steps on the store's tables. For each later mapping, whose
  /// tables do not exist yet, the error names the entities.
  private func readOnly(_ mappings: [ModelMapping]) throws -> NSError {
    let steps = try StoreMigration(mappings[0], options: settings).plan().steps
      .filter { !$0.statements.isEmpty }.map(\.description)
    let limit = 20
    let more =
      (steps.count > limit ? "; and \(steps.count - limit) more" : "")
      + mappings.indices.dropFirst().map { index in
        "; then version change \(index + 1) of \(mappings.count): \(mappings[index].changesText)"
      }.joined()
    return coreDataError(
      NSMigrationError,
      "The persistent store must be migrated, but it is opened for reading only.",
      "The migration requires these steps: \(steps.prefix(limit).joined(separator: "; "))\(more). Open the "
        + "store without \(NSReadOnlyPersistentStoreOption), or with the model version that created it.",
      userInfo: [NSFilePathErrorKey: settings.path]
    )
  }

  /// Wraps an error in `NSMigrationError`, unless the error already is a migration error or a timeout.
  private func wrapped(_ error: StoreError) -> NSError {
    let underlying = cocoaError(error)
    if [.migration, .migrationConstraint, .busy].contains(error.code) { return underlying }
    return coreDataError(
      NSMigrationError,
      "An error occurred during persistent store migration.",
      "\(error.message); the store was not changed",
      userInfo: [NSFilePathErrorKey: settings.path, NSUnderlyingErrorKey: underlying]
    )
  }
}
