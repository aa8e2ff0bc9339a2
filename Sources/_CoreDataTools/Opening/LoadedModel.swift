// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A model and the source from which it was loaded.
package struct LoadedModel: Sendable {
  /// The source of a model.
  package enum Source: Sendable, Equatable {
    /// A model file or folder, either Xcode's source form or compiled.
    case file
    /// The model cache of a store, in which the store keeps a copy of its model.
    case storeCache
    /// The tables of a store without a usable model cache.
    ///
    /// Such a model is sufficient only for reading. `problem` is the reason why an existing cache was not
    /// used; nil if the store has no cache.
    case storeTables(problem: String?)

    /// Whether the model was reconstructed from tables, so that its names are guessed, and inverses and rules
    /// are not known.
    package var isReconstructed: Bool { if case .storeTables = self { true } else { false } }

    /// Why the model was reconstructed from tables, as a main clause; nil for any other model.
    var reasonForReconstruction: String? {
      guard case .storeTables(let problem) = self else { return nil }
      return problem.map { "the model cache of the store cannot be read (\($0))" }
        ?? "the store has no model cache"
    }
  }

  package let draft: ModelDraft
  package let definition: ModelDefinition
  /// The name of the version or, for a file or folder that was loaded as a whole, its name without extension.
  package let name: String
  /// The path of the file, folder or store from which the model was loaded.
  package let origin: String
  package let source: Source
  /// The configuration to whose entities the model was restricted; nil for a whole model.
  package private(set) var configuration: String?

  /// The warning for users of a model that was reconstructed from tables; nil for any other model.
  package var warning: String? {
    guard let reason = source.reasonForReconstruction else { return nil }
    return "\(origin): \(reason), so the model is reconstructed from the store's tables. Names are "
      + "in lower case; inverses, rules and optional flags are not known"
  }

  /// Creates a loaded model and checks the draft.
  ///
  /// - Throws: `ModelError` for a draft that is not a valid model.
  package init(
    draft: ModelDraft,
    name: String,
    origin: String,
    source: Source = .file
  ) throws {
    self.draft = draft
    self.name = name
    self.origin = origin
    self.source = source
    definition = try ModelDefinition(draft)
  }

  /// Returns the model restricted to the entities of a configuration and all their ancestors and
  /// destinations.
  ///
  /// Returns the model itself if `configuration` is nil or the model has no configuration with that name.
  /// - Throws: `ModelError` if the restricted draft is not a valid model.
  package func confined(to configuration: String?) throws -> LoadedModel {
    guard let configuration, let members = draft.configurations[configuration] else { return self }
    var confined = try LoadedModel(
      draft: draft.confined(to: members),
      name: name,
      origin: origin,
      source: source
    )
    confined.configuration = configuration
    return confined
  }
}
