// SPDX-License-Identifier: Apache-2.0

/// The rule by which a conflict between an object and its stored row is resolved.
///
/// The result depends on the object's values, the stored values, and the values from which both started.
/// Source: documented, “NSMergePolicyType”; behaviour.md SAVE-3 to SAVE-5.
package enum MergeRule: Sendable, CaseIterable {
  /// Each property is merged separately; if both sides changed an attribute or to-one, the store's value
  /// wins.
  case storeTrump
  /// Each property is merged separately; if both sides changed an attribute or to-one, the object's value
  /// wins.
  case objectTrump
  /// The values of all the object's properties win.
  case overwrite
  /// The values of all the row's properties win.
  case rollback

  package enum Side: Sendable { case mine, stored }

  /// Returns the side that determines the value of a property.
  package func side(changedHere: Bool, changedThere: Bool) -> Side {
    switch self {
    case .storeTrump: changedThere ? .stored : .mine
    case .objectTrump: changedHere ? .mine : .stored
    case .overwrite: .mine
    case .rollback: .stored
    }
  }

  /// Returns the merged value of a property; `base` is the value before both changes.
  package func value<Content: Equatable>(mine: Content, stored: Content, base: Content) -> Content {
    switch side(changedHere: mine != base, changedThere: stored != base) {
    case .mine: mine
    case .stored: stored
    }
  }

  /// Returns the members of a to-many after the merge.
  ///
  /// The result is `mine` under `overwrite`, and `stored` under `rollback`. `storeTrump` and `objectTrump`
  /// apply the additions and removals of both sides, which cannot contradict each other: the result contains
  /// the remaining stored members, in their order, followed by the members that were added here.
  package func members<Member: Hashable>(
    mine: [Member],
    stored: [Member],
    base: [Member]
  ) -> [Member] {
    switch self {
    case .overwrite: return mine
    case .rollback: return stored
    case .storeTrump, .objectTrump:
      let known = Set(base)
      let present = Set(stored)
      let removed = known.subtracting(mine)
      return stored.filter { !removed.contains($0) }
        + mine.filter { !known.contains($0) && !present.contains($0) }
    }
  }

  /// What happened to an object on one side since both sides were equal.
  package enum Fate: Sendable { case unchanged, changed, deleted }

  package enum Outcome: Sendable {
    /// The values are merged property by property.
    case merge
    /// The object is inserted again, under its old key.
    case insertAgain
    /// The object is deleted in the context too; the save has no row to delete.
    case drop
    /// The row is deleted, whatever its version.
    case delete
    /// The object is no longer deleted, and has the stored values.
    case restore
    /// The row is deleted already; the object becomes inaccessible, and the save deletes nothing.
    case deletedOnBothSides
  }

  /// Returns the outcome for an object with the fate `mine` here, whose row has the fate `stored`.
  package func outcome(mine: Fate, stored: Fate) -> Outcome {
    let objectWins = self == .objectTrump || self == .overwrite
    return switch (mine, stored) {
    case (.deleted, .deleted): .deletedOnBothSides
    case (.deleted, _): objectWins ? .delete : .restore
    case (.unchanged, .deleted): .drop
    case (.changed, .deleted): objectWins ? .insertAgain : .drop
    default: .merge
    }
  }
}
