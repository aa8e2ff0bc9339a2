// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A loaded model, and the source from which it was loaded.
package struct LoadedModel: Sendable {
  /// The source of a model.
  package enum Source: Sendable, Equatable {
    /// A model file or folder, in Xcode's source format or compiled.
    case file
    /// The copy of the model in a store's cache.
    case storeCache
    /// The tables of a store that has no readable copy of its model.
    ///
    /// The model is sufficient only for reading the store. `problem` states why the copy cannot be read; nil
    /// if the store has no copy.
    case storeTables(problem: String?)

    /// Whether the model was reconstructed from the tables of a store.
    ///
    /// The names in a reconstructed model are guesses; inverses and rules are unknown.
    package var isReconstructed: Bool { if case .storeTables = self { true } else { false } }

    /// The clause with which an error text states why the model was reconstructed from tables; nil if it was
    /// not reconstructed.
    var reasonForReconstruction: String? {
      guard case .storeTables(let problem) = self else { return nil }
      return problem.map { "the model cache of the store cannot be read (\($0))" }
        ?? "the store has no model cache"
    }
  }

  package let draft: ModelDraft
  package let definition: ModelDefinition
  /// The name of the version that the caller selected; if the caller selected no version, the name of the
  /// file or folder without its extension.
  package let name: String
  /// The path of the file, folder or store from which the model was loaded.
  package let origin: String
  package let source: Source
  /// The configuration to which the model was restricted; nil for the whole model.
  package private(set) var configuration: String?

  /// A warning to show for a model that was reconstructed from tables; nil for any other model.
  package var warning: String? {
    guard let reason = source.reasonForReconstruction else { return nil }
    return "\(origin): \(reason), so the model is reconstructed from the store's tables. Names are "
      + "in lower case; inverses, rules and optional flags are not known"
  }

  /// Creates a loaded model from a draft, and checks the draft.
  ///
  /// - Throws: `ModelError` if the draft is not a valid model.
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

  /// Returns the model restricted to the entities of a configuration.
  ///
  /// The restricted model also contains the ancestors of these entities and every entity that their
  /// relationships reach. Returns the whole model if `configuration` is nil or the model has no configuration
  /// with that name.
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
