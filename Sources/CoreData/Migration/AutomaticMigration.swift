// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// The migration of a store that is added with a model of another version.
///
/// Source: documented, “Using lightweight migration”; the store's own copy of its model as a source is ours.
struct AutomaticMigration {
  let settings: SQLiteStoreOptions
  let model: ModelDefinition
  /// The coordinator's model.
  let shell: NSManagedObjectModel
  /// The options with which the program adds the store.
  var options: [AnyHashable: Any] = [:]
  /// Whether a mapping may be inferred.
  let infersMapping: Bool
  /// Whether a store may migrate through the versions between if no mapping can be inferred.
  var chainsVersions = false

  /// Migrates the store in place.
  ///
  /// - Parameter error: what adding the store threw, which names the differences.
  /// - Throws: 134130 where the model that the store was made with is not found, 134140 without a mapping
  ///   between the models, 134110 where the store cannot follow; 134111 where its rows are not unique.
  func run(after error: StoreError) throws {
    let source = try sourceModel(error)
    if try carryOutMappingModel(from: source.model) { return }
    guard infersMapping else { throw missingMapping(nil) }
    let mappings = try mappings(from: source.definition)
    if settings.isReadOnly { throw try readOnly(mappings[0]) }
    for mapping in mappings { try carryOut(mapping, settings) }
  }

  /// The inferred mapping, or those of a chain of versions if the options allow a chain; never empty.
  private func mappings(from source: ModelDefinition) throws -> [ModelMapping] {
    do {
      return [try ModelMapping(inferredFrom: source, to: model)]
    } catch let failure as InferenceFailure {
      let chain = chain(from: source)
      guard chainsVersions, let chain else { throw missingMapping(failure, chain) }
      return chain.mappings
    }
  }

  /// Changes the store as the mapping says, in one transaction.
  ///
  /// - Throws: 134110 or 134111 if the store's rows do not allow the migration; 134090 after the timeout.
  func carryOut(_ mapping: ModelMapping, _ settings: SQLiteStoreOptions) throws {
    let start = ContinuousClock.now
    do {
      let outcome = try StoreMigration(mapping, options: settings).run()
      MigrationDebugLog.launched?.end(outcome, path: settings.path, time: .now - start)
    } catch let error as StoreError {
      throw wrapped(error)
    }
  }

  // MARK: The model of the store

  /// The model with which a store was created.
  struct Source {
    let definition: ModelDefinition
    let model: NSManagedObjectModel
  }

  /// Returns the model that created the store.
  ///
  /// - Throws: 134130 if it is not found.
  func sourceModel(_ error: StoreError) throws -> Source {
    try sourceModel(StoreVersion.read(path: settings.path), error)
  }

  /// Returns the model that created the store.
  ///
  /// The store's own copy is tried first, because the versions of a large model take long to read. A version
  /// is compared with the whole store before one whose other entities were added with another configuration.
  private func sourceModel(_ version: StoreVersion, _ error: StoreError) throws -> Source {
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
    throw missingSource(versions, version, error)
  }

  /// Returns the store's own copy of its model; nil if the store has no copy, or one of another version.
  private func copy(of version: StoreVersion) -> Source? {
    guard let definition = version.copy, let draft = version.copyDraft,
      version.isVersion(definition)
    else { return nil }
    return Source(definition: definition, model: NSManagedObjectModel(draft: draft))
  }

  private func equalHashes(_ source: Source, _ version: StoreVersion) -> Int {
    version.equalHashes(source.definition)
  }

  /// Returns the candidate if each entity of the store is one of its entities.
  private func source(_ candidate: NSManagedObjectModel, _ version: StoreVersion) -> Source? {
    // A model that is not valid did not create the store.
    guard let definition = try? candidate.freeze().definition, version.isVersion(definition) else {
      return nil
    }
    return Source(definition: definition, model: candidate)
  }

  private func missingSource(
    _ versions: [NSManagedObjectModel],
    _ stored: StoreVersion,
    _ error: StoreError
  ) -> NSError {
    let nearest = versions.compactMap { version -> (name: String, lines: [String])? in
      // As above.
      guard let definition = try? version.freeze().definition else { return nil }
      let lines = stored.obstacles(toOpeningWith: definition)
      return (Self.name(of: version), lines)
    }.min { $0.lines.count < $1.lines.count }
    let hint = nearest.map { nearest in
      let limit = 20
      let more = nearest.lines.count > limit ? "; and \(nearest.lines.count - limit) more" : ""
      return
        "; the nearest of \(versions.count) known versions, “\(nearest.name)”, differs from the store: "
        + nearest.lines.prefix(limit).joined(separator: "; ") + more
    }
    return coreDataError(
      NSMigrationMissingSourceModelError,
      "The model with which the store was created was not found.",
      error.message + (hint ?? "; no other version of the model was found")
        + ". Add the version of the model that created the store to the program. If that version was edited, undo "
        + "the changes and make them in a new version: a version must not change after stores were created with it.",
      userInfo: [NSFilePathErrorKey: settings.path]
    )
  }

  /// The name of a version, as of its file or folder.
  private static func name(of version: NSManagedObjectModel) -> String {
    guard let url = version.sourceURL else { return "without a file" }
    let file = url.lastPathComponent == "contents" ? url.deletingLastPathComponent() : url
    return file.deletingPathExtension().lastPathComponent
  }

  // MARK: Mapping models

  /// Migrates the store with the program's mapping model for the two models; returns false if there is none.
  ///
  /// - Throws: 134110 if the store can only be read, or if a mapping model cannot be read and no other one fits;
  ///   the errors of `NSMigrationManager.migrateStore`.
  private func carryOutMappingModel(from source: NSManagedObjectModel) throws -> Bool {
    guard let mapping = try MappingModelSearch.mappingModel(from: source, to: shell) else {
      return false
    }
    let url = URL(fileURLWithPath: settings.path)
    if settings.isReadOnly { throw MigrationErrors.readOnly(mapping, url) }
    let store = MigratedStore(type: NSSQLiteStoreType, url: url, options: options)
    do {
      try NSMigrationManager(sourceModel: source, destinationModel: shell)
        .migrate(store, settings, with: mapping)
    } catch let error as StoreError {
      throw wrapped(error)
    }
    return true
  }

  // MARK: What is not possible

  func missingMapping(_ failure: InferenceFailure?, _ chain: Chain? = nil) -> NSError {
    let hint = chain?.hint ?? ""
    var info: [String: Any] = [NSFilePathErrorKey: settings.path]
    if let failure { info[NSUnderlyingErrorKey] = cocoaError(failure) }
    return coreDataError(
      NSMigrationMissingMappingModelError,
      "Persistent store migration failed, missing mapping model.",
      failure.map { "Can't find or automatically infer mapping model for migration: \($0)\(hint)" }
        ?? "There is no mapping model, and \(NSInferMappingModelAutomaticallyOption) is off.",
      userInfo: info
    )
  }

  private func readOnly(_ mapping: ModelMapping) throws -> NSError {
    let steps = try StoreMigration(mapping, options: settings).plan().steps
      .filter { !$0.statements.isEmpty }.map(\.description)
    let limit = 20
    let more = steps.count > limit ? "; and \(steps.count - limit) more" : ""
    return coreDataError(
      NSMigrationError,
      "The persistent store has to be migrated, and can only be read.",
      "migration would do this: \(steps.prefix(limit).joined(separator: "; "))\(more)",
      userInfo: [NSFilePathErrorKey: settings.path]
    )
  }

  /// The error with Apple's code of a failed migration, unless its own says more.
  private func wrapped(_ error: StoreError) -> NSError {
    let underlying = cocoaError(error)
    if [.migration, .migrationConstraint, .busy].contains(error.code) { return underlying }
    return coreDataError(
      NSMigrationError,
      "An error occurred during persistent store migration.",
      "\(error.message); the store is as it was",
      userInfo: [NSFilePathErrorKey: settings.path, NSUnderlyingErrorKey: underlying]
    )
  }
}
