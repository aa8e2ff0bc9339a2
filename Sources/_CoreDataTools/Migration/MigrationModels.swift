// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// The two models of a store's migration: the model that created the store, and the model to migrate to.
package struct MigrationModels {
  package let source: ModelDefinition
  /// The draft of `source`.
  package let sourceDraft: ModelDraft
  /// The name of the version that created the store; nil if `model` lacks it, and the source is the model in
  /// the store's cache.
  package let sourceName: String?
  package let destination: LoadedModel
  /// The names of the destination's entities that the store has; nil for all entities of the model.
  package let entities: Set<String>?
  /// Whether the store can be opened with the destination without a migration.
  package let isCurrent: Bool
  /// The versions of the destination's model that can be read, from the oldest; empty if `isCurrent` is true.
  private let versions: [(name: String, definition: ModelDefinition)]

  /// Finds the models for the store at `path`.
  ///
  /// The destination is the version with the name `version` of `model` or, if `version` is nil, the current
  /// version. The source is the model in the store's cache, or else the version of `model` whose version
  /// hashes are those of the store, or else a version that contains the store's entities.
  /// - Throws: `ModelError`, `StoreError`; `ToolError` if a file or version does not exist, or if the model
  ///   that created the store is not found.
  package init(store path: String, model: URL, version: String? = nil) throws {
    let stored = try StoreVersion.read(path: path)
    let destination = try Self.destination(model, version)
    self.destination = destination
    let fit = StoreFit(of: destination.definition, to: stored.hashes)
    let fitting = Self.names(of: fit.configuration, in: destination.definition)
    if stored.obstacles(toOpeningWith: destination.definition, entities: fitting).isEmpty {
      isCurrent = true
      source = destination.definition
      sourceDraft = destination.draft
      sourceName = destination.name
      entities = fitting
      versions = []
      return
    }
    isCurrent = false
    let candidates = Self.candidates(model)
    versions = candidates.compactMap { candidate in
      candidate.name.map { (name: $0, definition: candidate.definition) }
    }
    let found = try Self.source(of: stored, among: candidates, path: path)
    source = found.definition
    sourceDraft = found.draft
    sourceName = found.name
    let configuration = StoreFit(of: found.definition, to: stored.hashes).configuration
    entities = Self.names(of: configuration, in: destination.definition)
  }

  /// Whether the store at `path` still has the source model, so that it was not migrated.
  ///
  /// Returns false if the store cannot be read.
  package func isSource(ofStore path: String) -> Bool {
    // The error is dropped: the caller then keeps the backup and reports its own error.
    guard let stored = try? StoreVersion.read(path: path) else { return false }
    return stored.isVersion(source)
      && !stored.obstacles(toOpeningWith: destination.definition, entities: entities).isEmpty
  }

  /// A migration in several steps.
  package struct Chain {
    /// The names of the versions, from the source to the destination.
    package let versions: [String]
    /// The mappings between each version and the next.
    package let mappings: [ModelMapping]

    /// The names of the versions without the source and the destination.
    package var versionsBetween: [String] { Array(versions.dropFirst().dropLast()) }
  }

  /// Returns the shortest chain of versions through which mappings can be inferred step by step; nil if there is none,
  /// or if the model's versions do not include both the source and the destination.
  ///
  /// - Complexity: infers at most one mapping for each pair of versions.
  package func chain() -> Chain? {
    guard let start = versions.firstIndex(where: { $0.name == sourceName }),
      let end = versions.firstIndex(where: { $0.name == destination.name })
    else { return nil }
    var mappings: [[Int]: ModelMapping] = [:]
    let chain = VersionChain.from(start, to: end) { from, to in
      // The error is dropped, because the caller reports why the direct mapping cannot be inferred.
      mappings[[from, to]] = try? ModelMapping(
        inferredFrom: versions[from].definition,
        to: versions[to].definition
      )
      return mappings[[from, to]] != nil
    }
    guard let chain, chain.count > 2 else { return nil }
    return Chain(
      versions: chain.map { versions[$0].name },
      mappings: zip(chain, chain.dropFirst()).compactMap { mappings[[$0, $1]] }
    )
  }

  /// Loads the version with the name `version`; the current version if `version` is nil.
  private static func destination(_ model: URL, _ version: String?) throws -> LoadedModel {
    if let version { return try ModelOpening.load(model, version: version) }
    // The error is dropped, because `load` below throws the error of a model that cannot be read.
    if let current = try? ModelOpening.currentVersion(of: model) {
      return try ModelOpening.load(model, version: current)
    }
    return try ModelOpening.load(model)
  }

  private static func names(of configuration: String?, in model: ModelDefinition) -> Set<String>? {
    guard let configuration, let members = model.configurations[configuration] else { return nil }
    return Set(members.map { model.entities[$0].name })
  }

  // MARK: The source

  private struct Candidate {
    let name: String?
    let definition: ModelDefinition
    let draft: ModelDraft
  }

  /// Returns the versions of the model that can be read.
  private static func candidates(_ model: URL) -> [Candidate] {
    // The error is dropped, because a version that cannot be read did not create the store.
    let versions = (try? ModelOpening.versions(of: model)) ?? []
    return versions.compactMap { version in
      // The error is dropped for the same reason.
      guard let loaded = try? ModelOpening.load(model, version: version.name) else { return nil }
      return Candidate(name: version.name, definition: loaded.definition, draft: loaded.draft)
    }
  }

  private static func source(
    of stored: StoreVersion,
    among candidates: [Candidate],
    path: String
  ) throws -> Candidate {
    let matching = candidates.filter { stored.isVersion($0.definition) }
    let count = stored.hashes.count
    // A model with more entities can be the version of a store of one of its configurations.
    func isWhole(_ model: ModelDefinition) -> Bool {
      model.entities.count == count && stored.equalHashes(model) == count
    }
    let whole = matching.first { isWhole($0.definition) }
    if let copy = stored.copy, let draft = stored.copyDraft, stored.isVersion(copy),
      isWhole(copy) || whole == nil
    {
      return Candidate(name: whole?.name, definition: copy, draft: draft)
    }
    if let whole { return whole }
    let nearest = matching.max {
      stored.equalHashes($0.definition) < stored.equalHashes($1.definition)
    }
    if let nearest { return nearest }
    throw missingSource(of: stored, among: candidates, path: path)
  }

  /// Returns an error with the differences from the nearest version, which show whether a version was edited.
  private static func missingSource(
    of stored: StoreVersion,
    among candidates: [Candidate],
    path: String
  ) -> ToolError {
    let advice =
      "Pass a model that contains the version with which the store was created. If that version was edited, "
      + "undo the changes and make them in a new version."
    guard let index = stored.nearest(of: candidates.map(\.definition)) else {
      return ToolError("\(path): the model that created the store was not found", hint: advice)
    }
    let nearest = candidates[index]
    let lines = stored.obstacles(toOpeningWith: nearest.definition)
    let more = lines.count - 10
    return ToolError(
      "\(path): the model that created the store was not found: the store has no valid copy of it, and the "
        + "nearest of \(CellText.count(candidates.count, "version")), “\(nearest.name ?? "")”, differs from the "
        + "store: "
        + lines.prefix(10).joined(separator: "; ")
        + (more > 0 ? "; and \(CellText.count(more, "more difference"))" : ""),
      hint: advice
    )
  }
}
