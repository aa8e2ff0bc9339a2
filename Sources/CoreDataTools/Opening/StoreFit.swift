// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import Foundation

/// How a model goes with a store: as a whole, by one of its configurations, or not at all.
///
/// A store that was added with a configuration keeps the hashes of that configuration's entities alone.
///
///     let fit = StoreFit(of: model, to: metadata.versionHashes)
///     if fit.differences.isEmpty { … }
package struct StoreFit {
  /// The configuration that the store was made with, or is nearest to; nil for the whole model.
  package let configuration: String?
  /// What keeps the store from being opened, a line an entity; empty where it fits.
  package let differences: [String]

  /// The whole model where it fits, else the first configuration by name that does; where none fits, the
  /// one with the fewest differences.
  ///
  /// `stored` is the store's `NSStoreModelVersionHashes`; a store without any fits.
  package init(of model: ModelDefinition, to stored: [String: Data]) {
    let hashes = ModelHashes(model: model)
    var best: (configuration: String?, differences: [String]) =
      (nil, stored.isEmpty ? [] : hashes.differences(stored: stored))
    for (name, members) in model.configurations.sorted(by: { utf8Less($0.key, $1.key) })
    where !best.differences.isEmpty {
      let entities = Set(members.map { model.entities[$0].name }).union(stored.keys)
      let differences = hashes.differences(stored: stored, entities: entities)
      if differences.count < best.differences.count { best = (name, differences) }
    }
    (configuration, differences) = best
  }

  /// `the configuration “Cloud” of Shop.xcdatamodel`; for the whole model what it is called.
  package func name(of model: String) -> String {
    configuration.map { "the configuration “\($0)” of \(model)" } ?? model
  }
}
