// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ModelHashes {
  /// An entity that only the store or only the model has, or whose hash differs between them.
  package struct Difference: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: Sendable { case added, removed, changed }
    package let entity: String
    package let kind: Kind
    package var description: String {
      switch kind {
      case .added: "\(entity): added (the store does not have it)"
      case .removed: "\(entity): removed (only the store has it)"
      case .changed: "\(entity): changed"
      }
    }
  }

  /// Returns the entities that prevent opening a store with this model, sorted by name; empty if the store
  /// and the model match.
  ///
  /// `stored` is the store's `NSStoreModelVersionHashes`. `entities` contains the names of the entities to
  /// compare, such as those of a configuration; nil means all entities of the store and of the model.
  /// `copy` returns the hashes of the model that is cached in the store. If the stored hash of an entity in
  /// `unverifiable` differs, the hash in `copy` is compared instead; if `copy` has no hash for the entity,
  /// the entity counts as equal.
  package func differing(
    stored: [String: Data],
    entities: Set<String>? = nil,
    copy: @autoclosure () -> ModelHashes? = nil
  ) -> [Difference] {
    Set(stored.keys).union(byEntity.keys).sorted(by: utf8Less).compactMap { name in
      if let entities, !entities.contains(name) { return nil }
      switch (stored[name], byEntity[name]) {
      case (nil, _?): return Difference(entity: name, kind: .added)
      case (_?, nil): return Difference(entity: name, kind: .removed)
      case (let old?, let new?) where old != new:
        if unverifiable.contains(name), copy()?.byEntity[name].map({ $0 == new }) ?? true {
          return nil
        }
        return Difference(entity: name, kind: .changed)
      default: return nil
      }
    }
  }

  /// Whether any hash differs from the one in `stored`, including the hashes of entities in `unverifiable`.
  ///
  /// `entities` contains the names of the entities to compare; nil means all entities.
  package func differ(from stored: [String: Data], entities: Set<String>? = nil) -> Bool {
    Set(stored.keys).union(byEntity.keys).contains { name in
      entities?.contains(name) ?? true && stored[name] != byEntity[name]
    }
  }

  /// Returns the descriptions of `differing(stored:entities:)`, one line for each entity.
  package func differences(
    stored: [String: Data],
    entities: Set<String>? = nil
  ) -> [String] {
    differing(stored: stored, entities: entities).map(\.description)
  }
}
