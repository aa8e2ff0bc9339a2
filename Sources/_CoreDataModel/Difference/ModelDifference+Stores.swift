// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ModelDifference {
  /// Returns the differences that prevent opening a store with `model`, a line for each entity or property
  /// that differs; empty if the store and the model match.
  ///
  /// `stored` is the store's `NSStoreModelVersionHashes`. `old` is the model that is cached in the store; if
  /// it is nil, a line names a changed entity, but not its differences. `entities` contains the names of the
  /// entities to compare, such as those of a configuration; nil means all entities of the store and of
  /// `model`. An example of the result:
  ///
  ///     Book.pages: type Integer 32 → String
  ///     Club: was Team
  ///     Player: added (the store does not have it)
  ///
  /// - Complexity: O(properties) to hash the model; the models are compared only if a hash differs.
  package static func obstacles(
    toOpening stored: [String: Data],
    of old: ModelDefinition?,
    with model: ModelDefinition,
    entities: Set<String>? = nil
  ) -> [String] {
    let differing = differing(stored, of: old, with: model, entities: entities)
    guard !differing.isEmpty, let old else { return differing.map(\.description) }
    let items = Dictionary(grouping: ModelDifference(from: old, to: model).items, by: \.entity)
    let renamed = Set(items.values.joined().filter { $0.property == nil }.compactMap(\.formerName))
    let names = Set(differing.map(\.entity))
    let lines = differing.flatMap { difference -> [String] in
      let name = difference.entity
      if difference.kind == .removed, renamed.contains(name) { return [] }
      let lines = (items[name] ?? []).filter { $0.change != .added || $0.property != nil }
        .compactMap(\.line)
      if difference.kind == .removed || lines.isEmpty {
        // A change of an ancestor also changes the hash of this entity; the line of the ancestor reports it.
        let isInherited = model.ancestors(of: name).contains(where: names.contains)
        return difference.kind == .changed && isInherited ? [] : [difference.description]
      }
      return lines
    }
    return lines.isEmpty ? differing.map(\.description) : lines
  }

  /// Returns whether `obstacles(toOpening:of:with:entities:)` returns any line, without comparing the models.
  package static func hasObstacles(
    toOpening stored: [String: Data],
    of old: ModelDefinition?,
    with model: ModelDefinition,
    entities: Set<String>? = nil
  ) -> Bool {
    !differing(stored, of: old, with: model, entities: entities).isEmpty
  }

  private static func differing(
    _ stored: [String: Data],
    of old: ModelDefinition?,
    with model: ModelDefinition,
    entities: Set<String>?
  ) -> [ModelHashes.Difference] {
    ModelHashes(model: model).differing(
      stored: stored,
      entities: entities,
      copy: old.map { ModelHashes(model: $0) }
    )
  }
}

extension ModelDifference.Item {
  fileprivate var line: String? {
    if hashed.isEmpty { return nil }
    let details = hashed.joined(separator: ", ")
    let place = entity + (property.map { "." + $0 } ?? "")
    switch change {
    case .added: return "\(place): added (\(details))"
    case .removed: return "\(place): removed (\(details))"
    case .renamed, .changed: return "\(place): \(details)"
    }
  }
}

extension ModelDefinition {
  fileprivate func ancestors(of name: String) -> [String] {
    var names: [String] = []
    var parent = entity(named: name)?.parent
    while let index = parent {
      names.append(entities[index].name)
      parent = entities[index].parent
    }
    return names
  }
}
