// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Whether a store matches a whole model, one of the model's configurations, or neither.
///
/// A store that was added with a configuration contains only the hashes of that configuration's entities.
///
///     let fit = StoreFit(of: model, to: metadata.versionHashes)
///     if fit.differences.isEmpty { … }
package struct StoreFit {
  /// The configuration that matches the store best; nil if the whole model matches at least as well.
  package let configuration: String?
  /// The differences that prevent opening the store with the whole model or `configuration`, as lines of
  /// text; empty if the store matches.
  package let differences: [String]

  /// Compares the store with the whole model and with each configuration, and chooses the best match.
  ///
  /// The best match has the fewest differences. In a tie, the whole model takes precedence, and then the
  /// configuration whose name sorts first. `stored` is the store's `NSStoreModelVersionHashes`; if it is
  /// empty, the store matches the whole model. `storedModel` is the model in the store's cache; if it is nil,
  /// the differences name the changed entities, but not what changed in them.
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

  /// Returns a name for error texts: `model`, or a text such as `the configuration “Cloud” of Shop.momd`.
  package func name(of model: String) -> String {
    configuration.map { "the configuration “\($0)” of \(model)" } ?? model
  }
}
