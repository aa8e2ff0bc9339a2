// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A model and where it was found.
package struct LoadedModel: Sendable {
  /// Where a model can come from.
  package enum Source: Sendable, Equatable {
    /// A file or folder of Xcode's, source or compiled.
    case file
    /// The copy that a store keeps of the model it was made with.
    case storeCache
    /// The tables of a store without such a copy: good for reading only; `problem` says why a copy that
    /// is there was not taken.
    case storeTables(problem: String?)

    /// Whether names, inverses and rules are guessed.
    package var isReconstructed: Bool { if case .storeTables = self { true } else { false } }
  }

  package let draft: ModelDraft
  package let definition: ModelDefinition
  /// Name of the file or version, without extension.
  package let name: String
  /// The path it was found at.
  package let origin: String
  package let source: Source
  /// The configuration whose entities these are; nil for a whole model.
  package private(set) var configuration: String?

  /// What whoever uses the model has to know; nil where it is what it says.
  package var warning: String? {
    guard case .storeTables(let problem) = source else { return nil }
    let reason =
      problem.map { "the store's copy of its model cannot be read (\($0))" }
      ?? "the store keeps no copy of its model"
    return "\(origin): \(reason); this one is made of its tables: names are lower-case, inverses, "
      + "rules and optional flags are not known"
  }

  /// - Throws: `ModelError` for a draft that is no sound model.
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

  /// The model with the entities of a configuration, and those that they lead to or inherit from; itself
  /// for nil, and for a configuration that it has not got.
  ///
  /// - Throws: `ModelError` for a draft that is no sound model.
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
