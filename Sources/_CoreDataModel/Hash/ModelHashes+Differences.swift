// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ModelHashes {
  /// An entity whose hash is not the store's.
  package struct Difference: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: Sendable { case added, removed, changed }
    package let entity: String
    package let kind: Kind
    package var description: String {
      switch kind {
      case .added: "\(entity): added, the store does not have it"
      case .removed: "\(entity): removed, only the store has it"
      case .changed: "\(entity): changed"
      }
    }
  }

  /// The entities that keep a store from being opened with this model, by name; empty if they fit.
  ///
  /// `stored` is the store's `NSStoreModelVersionHashes`. Of `entities` only those names are looked
  /// at, such as a configuration's; nil is all of both sides. Entities whose hash is unverifiable
  /// count as equal when both sides have them.
  package func differing(
    stored: [String: Data],
    entities: Set<String>? = nil
  ) -> [Difference] {
    Set(stored.keys).union(byEntity.keys).sorted(by: utf8Less).compactMap { name in
      if let entities, !entities.contains(name) { return nil }
      switch (stored[name], byEntity[name]) {
      case (nil, _?): return Difference(entity: name, kind: .added)
      case (_?, nil): return Difference(entity: name, kind: .removed)
      case (let old?, let new?) where old != new && !unverifiable.contains(name):
        return Difference(entity: name, kind: .changed)
      default: return nil
      }
    }
  }

  /// The same, a line an entity.
  package func differences(
    stored: [String: Data],
    entities: Set<String>? = nil
  ) -> [String] {
    differing(stored: stored, entities: entities).map(\.description)
  }
}
