// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataSQLite

/// Finds models: in files, and for stores.
package enum ModelOpening {
  /// The model in a file or folder of any kind that can be read; `version` names one of several.
  ///
  /// A store gives the model that it keeps a copy of, or one made of its tables.
  /// - Throws: `ModelError`, `StoreError`, `ToolError`.
  package static func load(_ url: URL, version: String? = nil) throws -> LoadedModel {
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw ToolError("\(url.path): there is no such model")
    }
    if isStore(url) {
      return try stored(in: url.path)
    }
    let name = url.deletingPathExtension().lastPathComponent
    if let version {
      let versions = try versions(of: url)
      guard let chosen = versions.first(where: { $0.name == version }) else {
        throw ToolError(
          "\(url.path): it has no version “\(version)”",
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

  /// The model of a store: of several versions in `model` the one that the store was made with; without
  /// `model` the copy that the store keeps, or one made of its tables.
  ///
  /// Where not the whole model but one of its configurations fits, the model is confined to that.
  /// - Throws: `ModelError`, `StoreError`, `ToolError` where none fits.
  package static func model(for file: StoreFile, model: URL?) throws -> LoadedModel {
    guard let model else { return try stored(in: file.path) }
    let hashes = try file.metadata().versionHashes
    // Loading the model below throws what is wrong with it.
    let versions = (try? versions(of: model)) ?? []
    if versions.count > 1, !hashes.isEmpty {
      // A version that cannot be read does not fit; one that does is what is looked for.
      let fitting = versions.compactMap { try? load(model, version: $0.name) }
        .map { ($0, StoreFit(of: $0.definition, to: hashes)) }.filter { $0.1.differences.isEmpty }
      // A version that fits as a whole is likelier than a part of another.
      if let (loaded, fit) = fitting.first(where: { $0.1.configuration == nil }) ?? fitting.first {
        return try loaded.confined(to: fit.configuration)
      }
    }
    let loaded = try load(model)
    let fit = StoreFit(of: loaded.definition, to: hashes, storedModel: kept(in: file.path))
    if fit.differences.isEmpty { return try loaded.confined(to: fit.configuration) }
    throw ToolError(
      "\(fit.name(of: model.path)) is not the model that \(file.path) was made with: "
        + fit.differences.prefix(5).joined(separator: "; ")
        + (fit.differences.count > 5 ? "; and \(fit.differences.count - 5) more" : ""),
      hint: versions.count > 1
        ? "None of its versions (\(versions.map(\.name).joined(separator: ", "))) fits."
        : "`coredata metadata` shows what the store was made with."
    )
  }

  /// The versions of a model, by name; a model without versions is the only one of itself.
  ///
  /// - Throws: `ModelError`.
  package static func versions(of url: URL) throws -> [(name: String, file: URL)] {
    switch url.pathExtension {
    case "momd": try CompiledModel.versions(of: url)
    case "mom", "omo": [(url.deletingPathExtension().lastPathComponent, url)]
    default: try ModelFile.versions(of: url).map { ($0.name, $0.contents) }
    }
  }

  /// Name of the version that is taken where none is named; nil where nothing says so.
  ///
  /// - Throws: `ModelError`.
  package static func currentVersion(of url: URL) throws -> String? {
    let versions = try versions(of: url)
    if versions.count == 1 { return versions[0].name }
    if url.pathExtension == "momd" { return try CompiledModel.info(of: url).currentVersion }
    return try ModelFile.versions(of: url).first(where: \.isCurrent)?.name
  }

  /// What a file of one version says, or a store's copy, sound or not.
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

  /// The copy of its model that a store keeps; nil where it keeps none, or one that cannot be read.
  package static func kept(in path: String) -> ModelDefinition? {
    // Who asks can do without: differences then name the entities alone.
    let stored = try? StoredModel.read(path: path)
    guard let stored, stored.source == .cache else { return nil }
    // As above.
    return try? ModelDefinition(stored.draft)
  }

  private static func isStore(_ url: URL) -> Bool {
    // A look into a pipe may wait for good; an unknown type is no store.
    let values = try? FileManager.default.attributesOfItem(
      atPath: url.resolvingSymlinksInPath().path
    )
    guard values?[.type] as? FileAttributeType == .typeRegular,
      let file = FileHandle(forReadingAtPath: url.path)
    else { return false }
    // Nothing was written that closing could lose.
    defer { try? file.close() }
    // What cannot be read is refused by the reader of models.
    return (try? file.read(upToCount: 15)) == Data("SQLite format 3".utf8)
  }

  /// The copy of its model that a store keeps, else a model made of its tables.
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
