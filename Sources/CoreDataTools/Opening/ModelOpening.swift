// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataSQLite
import Foundation

/// A model and where it was found.
package struct LoadedModel: Sendable {
  package let draft: ModelDraft
  package let definition: ModelDefinition
  /// Name of the file, without extension.
  package let name: String
  /// Where it was found, such as a path.
  package let origin: String

  package init(draft: ModelDraft, name: String, origin: String) throws {
    self.draft = draft
    self.name = name
    self.origin = origin
    definition = try ModelDefinition(draft)
  }
}

/// Finds models: in files, and for stores.
package enum ModelOpening {
  /// The model in a file or folder of any kind that can be read; `version` names one of several.
  ///
  /// - Throws: `ModelError`, `ToolError`.
  package static func load(_ url: URL, version: String? = nil) throws -> LoadedModel {
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw ToolError("\(url.path): there is no such model")
    }
    let name = url.deletingPathExtension().lastPathComponent
    if let version {
      let versions = try ModelFile.versions(of: url)
      guard let chosen = versions.first(where: { $0.name == version }) else {
        throw ToolError(
          "\(url.path): it has no version “\(version)”",
          hint: Suggestion.text(for: version, among: versions.map(\.name))
        )
      }
      return try LoadedModel(
        draft: ModelFile.draft(at: chosen.contents),
        name: name,
        origin: chosen.contents.path
      )
    }
    return try LoadedModel(draft: ModelFile.draft(at: url), name: name, origin: url.path)
  }

  /// The model of a store: of several versions in `model` the one that the store was made with.
  ///
  /// - Throws: `ModelError`, `StoreError`, `ToolError` where none fits.
  package static func model(for file: StoreFile, model: URL?) throws -> LoadedModel {
    guard let model else {
      throw ToolError(
        "\(file.path): its model is not known",
        hint: "Pass it with --model MODEL.xcdatamodeld."
      )
    }
    let hashes = try file.metadata().versionHashes
    let versions = (try? ModelFile.versions(of: model)) ?? []
    if versions.count > 1, !hashes.isEmpty {
      for version in versions {
        guard let loaded = try? load(model, version: version.name) else { continue }
        if ModelHashes(model: loaded.definition).differences(stored: hashes).isEmpty {
          return loaded
        }
      }
    }
    let loaded = try load(model)
    let differences = ModelHashes(model: loaded.definition).differences(stored: hashes)
    if !hashes.isEmpty, !differences.isEmpty {
      throw ToolError(
        "\(model.path) is not the model that \(file.path) was made with: "
          + differences.prefix(5).joined(separator: "; ")
          + (differences.count > 5 ? "; and \(differences.count - 5) more" : ""),
        hint: versions.count > 1
          ? "None of its versions (\(versions.map(\.name).joined(separator: ", "))) fits."
          : "`coredata metadata` shows what the store was made with."
      )
    }
    return loaded
  }
}
