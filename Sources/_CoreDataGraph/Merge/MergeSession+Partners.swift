// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// One-to-one relationships after a merge.
///
/// Conflicts are resolved object by object. `pairPartners(by:)` then changes one-to-ones, so that both sides
/// of each one-to-one agree in the store after the save. A to-one that the save does not write already agrees
/// with its inverse. A to-one that the save writes can disagree with the inverse at its current destination,
/// or at the destination that it has in the store.
extension MergeSession {
  private typealias End = (object: GraphObject, slot: Int, inverse: Int)

  private struct Partners {
    /// The keys of the objects whose newest rows were read.
    var read: Set<ObjectKey> = []
    var gone: Set<ObjectKey> = []
    /// Objects whose partner `repair` has set; no later repair changes the partner.
    var paired: Set<ObjectKey> = []
  }

  /// Makes both sides agree for every one-to-one that the next save writes.
  ///
  /// A written to-one may lead to a partner that does not refer back. If `rule` prefers the object and the
  /// partner has no other new partner, the partner's to-one is set to the object; otherwise the written
  /// to-one becomes null. A former partner does not refer to the object afterwards, unless the object is
  /// deleted and its delete rule keeps the reference.
  /// - Throws: an error from reading the rows of the partners.
  /// - Complexity: O(written one-to-ones). The rows of all partners are read together.
  package func pairPartners(by rule: MergeRule) throws {
    var partners = Partners()
    var isWhole = false
    while !isWhole {
      try readPartners(&partners, by: rule)
      isWhole = true
      for end in writtenEnds() where repair(end, &partners, by: rule) { isWhole = false }
    }
  }

  /// Returns the one-to-ones in which an inserted or updated object differs from the store, and all
  /// one-to-ones of deleted objects.
  private func writtenEnds() -> [End] {
    (graph.inserted + graph.updated + graph.deleted).flatMap { object -> [End] in
      if object.chunk == nil { return [] }
      return object.entityDefinition.toOneSlots.compactMap { slot in
        let property = object.entityDefinition.properties[slot]
        guard !property.isTransient, graph.inverseKind(object, slot) == .reference,
          let inverse = property.relationship?.inverse,
          object.flags.contains(.deleted) || former(object, slot) != partner(object, slot)
        else { return nil }
        return (object, slot, inverse)
      }
    }
  }

  /// Returns the partner that the object has after the save.
  private func partner(_ object: GraphObject, _ slot: Int) -> ObjectKey? {
    object.chunk.flatMap { graph.key(($0, object.rowIndex), slot) }
  }

  /// Returns the partner that the object has in the store; nil for an inserted object.
  private func former(_ object: GraphObject, _ slot: Int) -> ObjectKey? {
    if object.flags.contains(.inserted) { return nil }
    if let base = object.detail?.base { return graph.key(base, slot) }
    return partner(object, slot)
  }

  private func readPartners(_ partners: inout Partners, by rule: MergeRule) throws {
    while true {
      var wanted: [ObjectKey] = []
      for (object, slot, _) in writtenEnds() {
        for key in [partner(object, slot), former(object, slot)] {
          if let key, partners.read.insert(key).inserted { wanted.append(key) }
        }
      }
      if wanted.isEmpty { return }
      try readNewest(wanted)
      for key in wanted where try !renew(graph.object(for: key), by: rule) {
        partners.gone.insert(key)
      }
    }
  }

  /// Merges the newest row of an object into the object; returns false if the row is gone or the object is
  /// deleted.
  private func renew(_ object: GraphObject, by rule: MergeRule) throws -> Bool {
    if object.flags.contains(.deleted) { return false }
    if object.flags.contains(.inserted) { return true }
    guard let stored = try newest(object.key) else { return false }
    guard object.flags.contains(.fault) else {
      try refresh(object, by: rule)
      return true
    }
    graph.capture(object)
    graph.fill(object, from: stored.chunk, row: stored.row)
    graph.realizeFromRow(object)
    return true
  }

  private func repair(_ end: End, _ partners: inout Partners, by rule: MergeRule) -> Bool {
    var hasChanged = false
    let current = end.object.flags.contains(.deleted) ? nil : partner(end.object, end.slot)
    if let current {
      hasChanged = repair(end, with: graph.object(for: current), &partners, by: rule)
    }
    guard let key = former(end.object, end.slot),
      key != partner(end.object, end.slot)
        || end.object.flags.contains(.deleted)
    else { return hasChanged }
    let left = graph.object(for: key)
    guard !partners.gone.contains(key), !left.flags.contains(.deleted),
      partner(left, end.inverse) == end.object.key, leavesPartner(end)
    else { return hasChanged }
    graph.writeInverse(left, end.inverse, nil)
    return true
  }

  private func repair(
    _ end: End,
    with other: GraphObject,
    _ partners: inout Partners,
    by rule: MergeRule
  ) -> Bool {
    let isGone = partners.gone.contains(other.key) || other.flags.contains(.deleted)
    if !isGone && partner(other, end.inverse) == end.object.key { return false }
    let objectWins = rule == .objectTrump || rule == .overwrite
    guard !isGone, objectWins, !partners.paired.contains(other.key), !isPaired(other, end) else {
      graph.writeInverse(end.object, end.slot, nil)
      return true
    }
    partners.paired.formUnion([other.key, end.object.key])
    graph.writeInverse(other, end.inverse, end.object.key)
    return true
  }

  private func isPaired(_ other: GraphObject, _ end: End) -> Bool {
    guard let key = partner(other, end.inverse), key != former(other, end.inverse) else {
      return false
    }
    return partner(graph.object(for: key), end.slot) == other.key
  }

  /// Returns whether the former partner's reference to the object is cleared: true if the object is not
  /// deleted, or if the delete rule of its to-one is nullify or cascade.
  private func leavesPartner(_ end: End) -> Bool {
    guard end.object.flags.contains(.deleted) else { return true }
    switch end.object.entityDefinition.properties[end.slot].relationship?.deleteRule {
    case .noAction, .deny, nil: return false
    case .nullify, .cascade: return true
    }
  }
}
