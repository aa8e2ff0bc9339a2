// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataSQLite

/// Functions that load models from files and from stores.
package enum ModelOpening {
  /// Loads the model of a file or folder of any supported kind.
  ///
  /// Loads the version named `version` or, if `version` is nil, the current version. For a store, `version`
  /// is ignored: the model is the copy in the store's cache or, if there is no readable copy, a model
  /// reconstructed from the store's tables.
  /// - Throws: `ModelError`, `StoreError`; `ToolError` if the file or the version does not exist.
  package static func load(_ url: URL, version: String? = nil) throws -> LoadedModel {
    if url.isDatabaseServer { return try LoadedModel(database: url) }
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

  /// Loads the model of a store: the version in `model` whose version hashes equal those of the store.
  ///
  /// If `model` is nil, loads the copy in the store's cache or, if there is no readable copy, a model
  /// reconstructed from the store's tables. If only a configuration of the model matches the store, the model
  /// is restricted to this configuration.
  /// - Throws: `ModelError`, `StoreError`; `ToolError` if no version matches the store.
  package static func model(for file: StoreFile, model: URL?) throws -> LoadedModel {
    guard let model else { return try stored(in: file.path) }
    let hashes = try file.metadata().versionHashes
    // The error is dropped, because `load` below throws it again.
    let versions = (try? versions(of: model)) ?? []
    if versions.count > 1, !hashes.isEmpty {
      // The error is dropped: a version that cannot be read is skipped, because another version may match.
      let fitting = versions.compactMap { try? load(model, version: $0.name) }
        .map { ($0, StoreFit(of: $0.definition, to: hashes)) }.filter { $0.1.differences.isEmpty }
      // A version that matches as a whole takes precedence over a version with a matching configuration.
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

  /// Returns the version of a model with the version hashes of a store; the current version if there is none.
  ///
  /// Opening the store then says what differs.
  /// - Throws: `ModelError`, `ToolError`.
  static func version(of model: URL, for hashes: [String: Data]) throws -> LoadedModel {
    for version in try versions(of: model) {
      let loaded = try load(model, version: version.name)
      if !ModelHashes(model: loaded.definition).differ(from: hashes, entities: nil) {
        return loaded
      }
    }
    return try load(model)
  }

  /// Returns the names and files of a model's versions; a model without versions counts as one version.
  ///
  /// - Throws: `ModelError`.
  package static func versions(of url: URL) throws -> [(name: String, file: URL)] {
    switch url.pathExtension {
    case "momd": try CompiledModel.versions(of: url)
    case "mom", "omo": [(url.deletingPathExtension().lastPathComponent, url)]
    default: try ModelFile.versions(of: url).map { ($0.name, $0.contents) }
    }
  }

  /// Returns the name of the current version or of the only version; nil if there are several versions and
  /// none is marked as current.
  ///
  /// - Throws: `ModelError`.
  package static func currentVersion(of url: URL) throws -> String? {
    let versions = try versions(of: url)
    if versions.count == 1 { return versions[0].name }
    if url.pathExtension == "momd" { return try CompiledModel.info(of: url).currentVersion }
    guard try ModelFile.hasCurrentVersion(url) else { return nil }
    return try ModelFile.versions(of: url).first(where: \.isCurrent)?.name
  }

  /// Reads the draft of a model file or of a store, without checking whether the draft is a valid model.
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

  /// Returns the copy of the model in a store's cache; nil if there is no readable and valid copy.
  package static func cachedModel(in path: String) -> ModelDefinition? {
    // The error is dropped: without this model, error texts still name the changed entities, but not what
    // changed in them.
    let stored = try? StoredModel.read(path: path)
    guard let stored, stored.source == .cache else { return nil }
    // The error is dropped: an invalid copy is treated as a missing copy.
    return try? ModelDefinition(stored.draft)
  }

  /// Whether the URL leads to a regular file with the header of an SQLite database; false if it cannot be
  /// read.
  package static func isStore(_ url: URL) -> Bool {
    // Only regular files are read, because reading from a pipe could block.
    let values = try? FileManager.default.attributesOfItem(
      atPath: url.resolvingSymlinksInPath().path
    )
    guard values?[.type] as? FileAttributeType == .typeRegular,
      let file = FileHandle(forReadingAtPath: url.path)
    else { return false }
    // The error is dropped, because the file was only read.
    defer { try? file.close() }
    // The error is dropped, because reading the file as a model throws it again.
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
