// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Whether a store matches a model as a whole, only one of the model's configurations, or neither.
///
/// A store that was added with a configuration has the hashes of only that configuration's entities.
///
///     let fit = StoreFit(of: model, to: metadata.versionHashes)
///     if fit.differences.isEmpty { … }
package struct StoreFit {
  /// The configuration that matches the store or, if nothing matches, differs least from it; nil for the
  /// whole model.
  package let configuration: String?
  /// The differences that prevent opening the store, as lines of text; empty if the store matches.
  package let differences: [String]

  /// Compares the store with the whole model and then with each configuration.
  ///
  /// Chooses the first match or, if nothing matches, the model or configuration with the fewest differences.
  /// `stored` is the store's `NSStoreModelVersionHashes`; a store without hashes matches. If `storedModel`,
  /// the model in the store's cache, is not nil, the differences name what changed in an entity.
  package init(
    of model: ModelDefinition,
    to stored: [String: Data],
    storedModel: @autoclosure () -> ModelDefinition? = nil
  ) {
    let hashes = ModelHashes(model: model)
    var best: (configuration: String?, entities: Set<String>?) = (nil, nil)
    var count = stored.isEmpty ? 0 : hashes.differing(stored: stored).count
    for (name, members) in model.configurations.sorted(by: { utf8Less($0.key, $1.key) })
    where count > 0 {
      let entities = Set(members.map { model.entities[$0].name }).union(stored.keys)
      let differing = hashes.differing(stored: stored, entities: entities).count
      if differing < count {
        best = (name, entities)
        count = differing
      }
    }
    configuration = best.configuration
    differences =
      count == 0
      ? []
      : ModelDifference.obstacles(
        toOpening: stored,
        of: storedModel(),
        with: model,
        entities: best.entities
      )
  }

  /// Returns `the configuration “Cloud” of MODEL`, or `model` itself for the whole model.
  package func name(of model: String) -> String {
    configuration.map { "the configuration “\($0)” of \(model)" } ?? model
  }
}
