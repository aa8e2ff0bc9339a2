// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The order in which a draft's entities are numbered: depth first, siblings sorted by name.
///
/// Source: observed, `Z_PRIMARYKEY` of 170 of 176 stores; the other six were migrated in place.
struct EntityOrder {
  let drafts: [EntityDraft]
  let indexByName: [String: Int]
  let parents: [Int?]
  let children: [[Int]]
  /// Entity index → the index after the entity and all its descendants.
  let familyEnds: [Int]

  /// The maximum number of ancestors of an entity; limited because code that walks a hierarchy recurses.
  static let depth = 128
  static let isTooDeep = "the entity has more than \(depth) ancestors"
  /// The maximum number of properties of all entities together.
  ///
  /// An inherited property counts in each entity that declares properties; an entity that declares none
  /// counts as one property.
  private static let propertyLimit = 500_000

  /// Orders the entities of `draft`.
  ///
  /// - Throws: `ModelError` if an entity has an empty or duplicate name or an unknown parent, if parent
  ///   entities form a cycle, or if the draft exceeds `depth` or `propertyLimit`.
  init(_ draft: ModelDraft) throws {
    var byName: [String: EntityDraft] = [:]
    for entity in draft.entities {
      if entity.name.isEmpty {
        throw ModelError(line: entity.line, reason: "an entity has no name")
      }
      if byName.updateValue(entity, forKey: entity.name) != nil {
        throw ModelError(
          entity: entity.name,
          reason: "two entities have this name; rename one of them"
        )
      }
    }
    var childNames: [String: [String]] = [:]
    for entity in draft.entities {
      guard let parent = entity.parent else { continue }
      guard byName[parent] != nil else {
        throw ModelError(
          entity: entity.name,
          reason: "its parent entity “\(parent)” does not exist"
        )
      }
      childNames[parent, default: []].append(entity.name)
    }
    var drafts: [EntityDraft] = []
    var parents: [Int?] = []
    var children: [[Int]] = []
    var ends: [Int] = []
    func visit(_ name: String, parent: Int?, level: Int) throws {
      guard let entity = byName[name] else { return }
      if level > Self.depth {
        throw ModelError(entity: name, reason: Self.isTooDeep)
      }
      let index = drafts.count
      drafts.append(entity)
      parents.append(parent)
      children.append([])
      ends.append(index + 1)
      if let parent { children[parent].append(index) }
      for child in (childNames[name] ?? []).sorted(by: utf8Less) {
        try visit(child, parent: index, level: level + 1)
      }
      ends[index] = drafts.count
    }
    let roots = draft.entities.filter { $0.parent == nil }.map(\.name)
    for root in roots.sorted(by: utf8Less) { try visit(root, parent: nil, level: 0) }
    if drafts.count != draft.entities.count {
      let reached = Set(drafts.map(\.name))
      let lost = draft.entities.map(\.name).filter { !reached.contains($0) }.sorted(by: utf8Less)
      throw Self.cycleError(from: lost[0], parents: byName.mapValues(\.parent))
    }
    try Self.checkSize(drafts, parents)
    self.drafts = drafts
    self.parents = parents
    self.children = children
    familyEnds = ends
    indexByName = Dictionary(uniqueKeysWithValues: drafts.enumerated().map { ($1.name, $0) })
  }

  /// Returns the error for the cycle that `start` and its chain of parent entities lead to.
  static func cycleError(from start: String, parents: [String: String?]) -> ModelError {
    var path: [String] = []
    var places: [String: Int] = [:]
    var next = start
    while places[next] == nil {
      places[next] = path.count
      path.append(next)
      // `?? next` is never used: every entity of a chain that leads to a cycle has a parent.
      next = parents[next].flatMap { $0 } ?? next
    }
    let cycle = path[(places[next] ?? 0)...]
    if cycle.count == 1 {
      return ModelError(
        entity: next,
        reason: "the entity is its own parent; give it another parent, or none"
      )
    }
    var names = cycle.prefix(8).joined(separator: " → ")
    let more = cycle.count - 8
    if more > 0 { names += " → \(more) more \(more == 1 ? "entity" : "entities")" }
    return ModelError(
      entity: next,
      reason:
        "the parent entities form a cycle: \(names) → \(next); give one of them another parent, or none"
    )
  }

  /// Throws if there are more properties than `propertyLimit`, because inheritance lets a small file define
  /// very many of them.
  private static func checkSize(_ drafts: [EntityDraft], _ parents: [Int?]) throws {
    var counts: [Int] = []
    var total = 0
    for (draft, parent) in zip(drafts, parents) {
      counts.append(draft.properties.count + (parent.map { counts[$0] } ?? 0))
      total += draft.properties.isEmpty ? 1 : counts[counts.count - 1]
      if total > propertyLimit {
        throw ModelError(
          reason:
            "the model has more than \(CellText.count(propertyLimit)) entities and properties, counting "
            + "inherited properties in each entity"
        )
      }
    }
  }
}

/// Whether `left` precedes `right` by UTF-8 bytes, the order of names in hashes, tables and slots.
package func utf8Less(_ left: String, _ right: String) -> Bool {
  left.utf8.lexicographicallyPrecedes(right.utf8)
}

/// Whether `left` precedes `right` in lists that are shown to users, where case is ignored and 2 precedes 10.
///
/// Names that are equal in this order, such as names that differ only in case, are ordered by their UTF-8
/// bytes.
package func naturallyLess(_ left: String, _ right: String) -> Bool {
  let order = left.compare(right, options: [.numeric, .caseInsensitive])
  return order == .orderedSame ? utf8Less(left, right) : order == .orderedAscending
}
