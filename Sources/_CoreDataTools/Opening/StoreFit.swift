// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Whether a store matches a whole model, one of the model's configurations, or neither.
///
/// A store that was added for a configuration contains only the hashes of that configuration's entities.
///
///     let fit = StoreFit(of: model, to: metadata.versionHashes)
///     if fit.differences.isEmpty { … }
package struct StoreFit {
  /// The configuration that matches the store best; nil if the whole model matches at least as well.
  package let configuration: String?
  /// The differences that prevent opening the store with the whole model or `configuration`, as lines of
  /// text; empty if the store matches.
  package let differences: [String]

  /// Compares the store with the whole model and then with each configuration.
  ///
  /// Chooses the one with the fewest differences, and the first one if there are several. `stored` is the
  /// store's `NSStoreModelVersionHashes`; a store without hashes matches. If `storedModel`, the model in the
  /// store's cache, is not nil, the differences also name what has changed in an entity.
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

  /// Returns the name of the configuration or of the model for a message, such as `the configuration “Cloud”
  /// of Shop.momd`.
  package func name(of model: String) -> String {
    configuration.map { "the configuration “\($0)” of \(model)" } ?? model
  }
}
