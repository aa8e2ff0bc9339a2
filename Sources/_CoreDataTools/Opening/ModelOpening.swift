// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataSQLite

/// Loads models from files and from stores.
package enum ModelOpening {
  /// Loads the model of a file or folder of any supported kind.
  ///
  /// Loads the version with the name `version` or, if `version` is nil, the current version. The model of a
  /// store is the model in its cache or, without a usable cache, a model that is reconstructed from the
  /// store's tables; `version` is ignored.
  /// - Throws: `ModelError`, `StoreError`; `ToolError` if the file or the version does not exist.
  package static func load(_ url: URL, version: String? = nil) throws -> LoadedModel {
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw ToolError(
        "\(url.path): there is no file or folder at this path"
      )
    }
    if isStore(url) {
      return try stored(in: url.path)
    }
    let name = url.deletingPathExtension().lastPathComponent
    if let version {
      let versions = try versions(of: url)
      guard let chosen = versions.first(where: { $0.name == version }) else {
        throw ToolError(
          "\(url.path): the model has no version “\(version)”",
          hint: Suggestion.text(for: version, among: versions.map(\.name))
        )
      }
      return try LoadedModel(
        draft: draft(at: chosen.file),
        name: chosen.name,
        origin: chosen.file.path
      )
    }
    return try LoadedModel(draft: draft(at: url), name: name, origin: url.path)
  }

  /// Loads the model for a store: the version in `model` whose version hashes are those of the store.
  ///
  /// If `model` is nil, loads the model in the store's cache or, without a usable cache, a model that is
  /// reconstructed from the store's tables. If only a configuration of the model matches the store, the model
  /// is restricted to this configuration.
  /// - Throws: `ModelError`, `StoreError`; `ToolError` if no version matches the store.
  package static func model(for file: StoreFile, model: URL?) throws -> LoadedModel {
    guard let model else { return try stored(in: file.path) }
    let hashes = try file.metadata().versionHashes
    // The error is dropped, because `load` below throws the error of a model that cannot be read.
    let versions = (try? versions(of: model)) ?? []
    if versions.count > 1, !hashes.isEmpty {
      // The error is dropped, because a version that cannot be read does not match, but another may match.
      let fitting = versions.compactMap { try? load(model, version: $0.name) }
        .map { ($0, StoreFit(of: $0.definition, to: hashes)) }.filter { $0.1.differences.isEmpty }
      // A version that matches as a whole has precedence over a configuration of another version.
      if let (loaded, fit) = fitting.first(where: { $0.1.configuration == nil }) ?? fitting.first {
        return try loaded.confined(to: fit.configuration)
      }
    }
    let loaded = try load(model)
    let fit = StoreFit(of: loaded.definition, to: hashes, storedModel: cachedModel(in: file.path))
    if fit.differences.isEmpty { return try loaded.confined(to: fit.configuration) }
    let more = fit.differences.count - 5
    let names = versions.map(\.name).joined(separator: ", ")
    throw ToolError(
      "\(fit.name(of: model.path)) is not the model with which \(file.path) was created: "
        + fit.differences.prefix(5).joined(separator: "; ")
        + (more > 0 ? "; and \(CellText.count(more, "more difference"))" : ""),
      hint: (versions.count > 1 ? "No version of the model (\(names)) matches the store. " : "")
        + "`coredata metadata` shows the version hashes of the store."
    )
  }

  /// Returns the names and files of a model's versions; a model file without versions counts as one version.
  ///
  /// - Throws: `ModelError`.
  package static func versions(of url: URL) throws -> [(name: String, file: URL)] {
    switch url.pathExtension {
    case "momd": try CompiledModel.versions(of: url)
    case "mom", "omo": [(url.deletingPathExtension().lastPathComponent, url)]
    default: try ModelFile.versions(of: url).map { ($0.name, $0.contents) }
    }
  }

  /// Returns the name of the only version or of the version that is marked as current; nil if there are
  /// several versions and none is marked.
  ///
  /// - Throws: `ModelError`.
  package static func currentVersion(of url: URL) throws -> String? {
    let versions = try versions(of: url)
    if versions.count == 1 { return versions[0].name }
    if url.pathExtension == "momd" { return try CompiledModel.info(of: url).currentVersion }
    return try ModelFile.versions(of: url).first(where: \.isCurrent)?.name
  }

  /// Reads the draft of a model file or of a store, without checking that it is a valid model.
  ///
  /// - Throws: `ModelError`, `StoreError`.
  package static func draft(at url: URL) throws -> ModelDraft {
    if isStore(url) { return try StoredModel.read(path: url.path).draft }
    switch url.pathExtension {
    case "momd", "mom", "omo":
      return try CompiledModel.draft(at: url, predicates: PredicateTexts())
    default: return try ModelFile.draft(at: url)
    }
  }

  // MARK: Stores

  /// Returns the model in the cache of a store; nil if the store has no usable cache.
  package static func cachedModel(in path: String) -> ModelDefinition? {
    // The error is dropped, because without the model the differences still name the entities.
    let stored = try? StoredModel.read(path: path)
    guard let stored, stored.source == .cache else { return nil }
    // The error is dropped, as above.
    return try? ModelDefinition(stored.draft)
  }

  private static func isStore(_ url: URL) -> Bool {
    // Reading from a pipe could block, so the type is checked. A file of unknown type is not a store.
    let values = try? FileManager.default.attributesOfItem(
      atPath: url.resolvingSymlinksInPath().path
    )
    guard values?[.type] as? FileAttributeType == .typeRegular,
      let file = FileHandle(forReadingAtPath: url.path)
    else { return false }
    // The error is dropped, because the file was only read.
    defer { try? file.close() }
    // The error is dropped, because the reader of models throws an error for a file that cannot be read.
    return (try? file.read(upToCount: 15)) == Data("SQLite format 3".utf8)
  }

  private static func stored(in path: String) throws -> LoadedModel {
    let stored = try StoredModel.read(path: path)
    return try LoadedModel(
      draft: stored.draft,
      name: URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent,
      origin: path,
      source: stored.source == .cache ? .storeCache : .storeTables(problem: stored.problem)
    )
  }
}
