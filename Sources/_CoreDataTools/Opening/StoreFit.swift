// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// How a model goes with a store: as a whole, by one of its configurations, or not at all.
///
/// A store that was added with a configuration keeps the hashes of that configuration's entities alone.
///
///     let fit = StoreFit(of: model, to: metadata.versionHashes)
///     if fit.differences.isEmpty { … }
package struct StoreFit {
  /// The configuration that the store was made with, or is nearest to; nil for the whole model.
  package let configuration: String?
  /// What keeps the store from being opened, a line an entity or property; empty where it fits.
  package let differences: [String]

  /// The whole model where it fits, else the first configuration by name that does; where none fits, the
  /// one with the fewest differences.
  ///
  /// `stored` is the store's `NSStoreModelVersionHashes`; a store without any fits. With `storedModel`,
  /// the model that the store keeps, differences tell what changed in an entity.
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

  /// `the configuration “Cloud” of Shop.xcdatamodel`; for the whole model what it is called.
  package func name(of model: String) -> String {
    configuration.map { "the configuration “\($0)” of \(model)" } ?? model
  }
}
