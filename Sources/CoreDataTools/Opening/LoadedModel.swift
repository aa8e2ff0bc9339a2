// SPDX-License-Identifier: Apache-2.0

import CoreDataModel

/// A model and where it was found.
package struct LoadedModel: Sendable {
  /// Where a model can come from.
  package enum Source: Sendable, Equatable {
    /// A file or folder of Xcode's, source or compiled.
    case file
    /// The copy that a store keeps of the model it was made with.
    case storeCache
  }

  package let draft: ModelDraft
  package let definition: ModelDefinition
  /// Name of the file or version, without extension.
  package let name: String
  /// The path it was found at.
  package let origin: String
  package let source: Source

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
}
