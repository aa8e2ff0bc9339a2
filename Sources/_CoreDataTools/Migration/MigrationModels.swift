// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// The two models of a store's migration: the model that created the store, and the model to migrate to.
package struct MigrationModels {
  package let source: ModelDefinition
  /// The draft from which `source` was created.
  package let sourceDraft: ModelDraft
  /// The name of the version that created the store; nil if only the store's cache contains this version.
  package let sourceName: String?
  package let destination: LoadedModel
  /// The names of the destination's entities in the store's configuration; nil if the store was created with
  /// the whole model.
  package let entities: Set<String>?
  /// Whether the store can be opened with the destination without a migration.
  package let isCurrent: Bool
  /// The readable versions of the destination's model, in the natural order of their names; empty if
  /// `isCurrent` is true.
  private let versions: [(name: String, definition: ModelDefinition)]
  /// The name of the current version of the destination's model; nil if the current version is unknown.
  private let currentVersion: String?

  /// Finds the source and the destination for a migration of the store at `path`.
  ///
  /// The destination is the version of `model` named `version`, or the current version if `version` is nil.
  /// The source is the destination if the store can be opened with it. Otherwise, the source is the model in
  /// the store's cache. If the cache has no matching model, the source is the version of `model` with exactly
  /// the store's version hashes or, if there is no such version, a version with additional entities. If
  /// `sourceModel` is not nil, its versions are searched after those of `model`.
  /// - Throws: `ModelError`, `StoreError`; `ToolError` if a file or version does not exist, if `version` is nil and
  ///   the current version is unknown, or if the source is not found.
  package init(
    store path: String,
    model: URL,
    version: String? = nil,
    sourceModel: URL? = nil
  ) throws {
    let stored = try StoreVersion.read(path: path)
    let destination = try Self.destination(model, version)
    self.destination = destination
    // The error is dropped: if the current version is unknown, the order of the versions follows from their
    // names and identifiers.
    currentVersion = try? ModelOpening.currentVersion(of: model)
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
    let own = Self.candidates(model)
    let candidates = own + (try Self.candidates(ofSource: sourceModel))
    versions = own.compactMap { candidate in
      candidate.name.map { (name: $0, definition: candidate.definition) }
    }
    let found = try Self.source(of: stored, among: candidates, path: path)
    source = found.definition
    sourceDraft = found.draft
    sourceName = found.name
    let configuration = StoreFit(of: found.definition, to: stored.hashes).configuration
    entities = Self.names(of: configuration, in: destination.definition)
  }

  /// Whether the store at `path` still matches the source model, and therefore was not migrated.
  ///
  /// False if the store cannot be read.
  package func isSource(ofStore path: String) -> Bool {
    // The error is dropped: the caller then keeps the backup and reports its own error.
    guard let stored = try? StoreVersion.read(path: path) else { return false }
    return stored.isVersion(source)
      && !stored.obstacles(toOpeningWith: destination.definition, entities: entities).isEmpty
  }

  /// The version hashes of the source and of the destination, by entity name.
  package var hashes: (source: [String: Data], destination: [String: Data]) {
    (
      ModelHashes(model: source).byEntity, ModelHashes(model: destination.definition).byEntity
    )
  }

  /// The version hashes of each version of the destination's model, by entity name.
  package var versionHashes: [[String: Data]] {
    versions.map { ModelHashes(model: $0.definition).byEntity }
  }

  /// A note that the destination is older than the source, or that the source is not one of the model's
  /// versions; nil if the order of the versions needs no note.
  ///
  /// If the model has only one version, there is no note about an unknown source.
  package var orderNote: MigrationForecast.Note? {
    let isKnown = versions.contains { $0.name == destination.name }
    let isNewer = VersionOrder(current: currentVersion).isNewer(
      VersionOrder.Version(name: sourceName, identifiers: source.versionIdentifiers),
      than: VersionOrder.Version(
        name: isKnown ? destination.name : nil,
        identifiers: destination.definition.versionIdentifiers
      )
    )
    return MigrationForecast.Note.order(
      isNewer: isNewer,
      isUnknown: sourceName == nil && versions.count > 1,
      from: sourceName,
      source.versionIdentifiers,
      to: destination.name,
      versions: versions.count
    )
  }

  /// A migration in several steps, through the versions between the source and the destination.
  package struct Chain {
    /// The names of the versions, from the source to the destination.
    package let versions: [String]
    /// The mappings between each version and the next.
    package let mappings: [ModelMapping]

    /// The names of the versions without the source and the destination.
    package var versionsBetween: [String] { Array(versions.dropFirst().dropLast()) }
  }

  /// Returns the shortest chain of versions through which the store can be migrated step by step.
  ///
  /// A mapping can be inferred for each step from one version to the next. The result is nil if there is no
  /// such chain with at least two steps, or if the source or the destination is not a version of the model.
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

  private static func destination(_ model: URL, _ version: String?) throws -> LoadedModel {
    if let version { return try ModelOpening.load(model, version: version) }
    // The error is dropped, because `load` below throws the error of a model that cannot be read.
    if let current = try? ModelOpening.currentVersion(of: model) {
      return try ModelOpening.load(model, version: current)
    }
    // The error is dropped, because `load` below throws it as well.
    if let isKnown = try? ModelFile.hasCurrentVersion(model), !isKnown {
      let versions = try ModelOpening.versions(of: model).map { "“\($0.name)”" }
      throw ToolError(
        "\(model.path): the model has \(CellText.count(versions.count, "version")) but no file .xccurrentversion "
          + "that names the current one",
        hint: "Pass --to with the version to migrate to: \(versions.joined(separator: ", "))."
      )
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

  private static func candidates(_ model: URL) -> [Candidate] {
    // The error is dropped, because a version that cannot be read did not create the store.
    let versions = (try? ModelOpening.versions(of: model)) ?? []
    return versions.compactMap { version in
      // The error is dropped, because an unreadable version did not create the store.
      guard let loaded = try? ModelOpening.load(model, version: version.name) else { return nil }
      return Candidate(name: version.name, definition: loaded.definition, draft: loaded.draft)
    }
  }

  /// Returns the versions of the model that the user has passed as the source; empty if `model` is nil.
  ///
  /// - Throws: the errors of `ModelOpening.load(_:version:)`.
  private static func candidates(ofSource model: URL?) throws -> [Candidate] {
    guard let model else { return [] }
    let candidates = candidates(model)
    if !candidates.isEmpty { return candidates }
    let loaded = try ModelOpening.load(model)
    return [Candidate(name: loaded.name, definition: loaded.definition, draft: loaded.draft)]
  }

  private static func source(
    of stored: StoreVersion,
    among candidates: [Candidate],
    path: String
  ) throws -> Candidate {
    let matching = candidates.filter { stored.isVersion($0.definition) }
    let count = stored.hashes.count
    // Whether the model has exactly the store's entities. The store of one configuration also matches a
    // model that has more entities.
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

  /// Returns an error that lists the differences between the store and the nearest version.
  ///
  /// The differences show the user whether that version was edited.
  private static func missingSource(
    of stored: StoreVersion,
    among candidates: [Candidate],
    path: String
  ) -> ToolError {
    let advice =
      "Pass --from with the version that created the store, or add that version to the .xcdatamodeld or .momd "
      + "folder of the model. If that version was edited, undo the changes and make them in a new version."
    guard let index = stored.nearest(of: candidates.map(\.definition)) else {
      return ToolError("\(path): the model that created the store was not found", hint: advice)
    }
    let nearest = candidates[index]
    let lines = stored.obstacles(toOpeningWith: nearest.definition)
    let more = lines.count - 10
    return ToolError(
      "\(path): the model that created the store was not found: the store has no valid copy of it, and the "
        + "nearest of \(CellText.count(candidates.count, "version")), “\(nearest.name ?? "")”, differs from the "
        + "store:"
        + lines.prefix(10).map { "\n    \($0)" }.joined()
        + (more > 0 ? "\n    and \(CellText.count(more, "more difference"))" : ""),
      hint: advice
    )
  }
}
