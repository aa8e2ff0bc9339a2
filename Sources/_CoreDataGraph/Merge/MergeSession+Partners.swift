// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// One-to-ones after a merge: whatever was resolved object by object, both sides of each agree in the store
/// after the save.
///
/// A slot that is not written stays as it is in the store, where both sides agreed. So only written slots
/// can be one-sided, at their current destination and at the stored one.
extension MergeSession {
  private typealias End = (object: GraphObject, slot: Int, inverse: Int)

  /// What is known of the other ends while one-to-ones are repaired.
  private struct Partners {
    /// Those whose newest rows were read.
    var read: Set<ObjectKey> = []
    var gone: Set<ObjectKey> = []
    /// Those whose partner is final.
    var paired: Set<ObjectKey> = []
  }

  /// Makes both sides of every one-to-one agree that the next save writes.
  ///
  /// Where two objects claim one partner, the pair that agrees keeps it; otherwise it goes to the one that
  /// was changed here where `rule` lets the object win, and to neither of them under another rule.
  /// - Throws: what reading the rows of the partners throws.
  /// - Complexity: one statement for each hierarchy and some hundred partners, old or new, of written
  ///   one-to-ones; again for partners that these lead to.
  package func pairPartners(by rule: MergeRule) throws {
    var partners = Partners()
    var isWhole = false
    while !isWhole {
      try readPartners(&partners, by: rule)
      isWhole = true
      for end in writtenEnds() where repair(end, &partners, by: rule) { isWhole = false }
    }
  }

  /// The one-to-ones of unsaved objects that differ from the store, or leave it.
  private func writtenEnds() -> [End] {
    (graph.inserted + graph.updated + graph.deleted).flatMap { object -> [End] in
      if object.chunk == nil { return [] }
      return object.entityDefinition.toOneSlots.compactMap { slot in
        let property = object.entityDefinition.properties[slot]
        guard !property.isTransient, graph.mirror(object, slot) == .reference,
          let inverse = property.relationship?.inverse,
          object.flags.contains(.deleted) || former(object, slot) != partner(object, slot)
        else { return nil }
        return (object, slot, inverse)
      }
    }
  }

  /// The partner that the save leaves the object.
  private func partner(_ object: GraphObject, _ slot: Int) -> ObjectKey? {
    object.chunk.flatMap { graph.key(($0, object.rowIndex), slot) }
  }

  /// The partner in the store.
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

  /// Gives an object its newest row; returns false where the row is gone.
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

  /// Makes the other ends agree with a written end; returns whether something had to change.
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
    graph.writeMirror(left, end.inverse, nil)
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
      graph.writeMirror(end.object, end.slot, nil)
      return true
    }
    partners.paired.formUnion([other.key, end.object.key])
    graph.writeMirror(other, end.inverse, end.object.key)
    return true
  }

  /// Whether the other end was given a partner here that agrees.
  private func isPaired(_ other: GraphObject, _ end: End) -> Bool {
    guard let key = partner(other, end.inverse), key != former(other, end.inverse) else {
      return false
    }
    return partner(graph.object(for: key), end.slot) == other.key
  }

  /// Whether the partner of a deleted object loses its reference, by the delete rule; true for an object that stays.
  private func leavesPartner(_ end: End) -> Bool {
    guard end.object.flags.contains(.deleted) else { return true }
    switch end.object.entityDefinition.properties[end.slot].relationship?.deleteRule {
    case .noAction, .deny, nil: return false
    case .nullify, .cascade: return true
    }
  }
}
