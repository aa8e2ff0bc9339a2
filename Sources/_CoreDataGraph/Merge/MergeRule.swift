// SPDX-License-Identifier: Apache-2.0

/// How a conflict between an object and its stored row is decided: a function of what is here, what is
/// stored and what both started from.
///
/// Source: documented, “NSMergePolicyType”; behaviour.md SAVE-3 to SAVE-5.
package enum MergeRule: Sendable, CaseIterable {
  /// By property; where both sides changed it, the store's value.
  case storeTrump
  /// By property; where both sides changed it, the object's value.
  case objectTrump
  /// The whole object.
  case overwrite
  /// The whole row.
  case rollback

  package enum Side: Sendable { case mine, stored }

  /// Whose value a property has afterwards.
  package func side(changedHere: Bool, changedThere: Bool) -> Side {
    switch self {
    case .storeTrump: changedThere ? .stored : .mine
    case .objectTrump: changedHere ? .mine : .stored
    case .overwrite: .mine
    case .rollback: .stored
    }
  }

  /// The value that a property has afterwards.
  package func value<Content: Equatable>(mine: Content, stored: Content, base: Content) -> Content {
    switch side(changedHere: mine != base, changedThere: stored != base) {
    case .mine: mine
    case .stored: stored
    }
  }

  /// The members of a to-many afterwards: stored ones in their order, then those added here.
  ///
  /// Additions and removals of the two sides never contradict each other: what one side added the other
  /// never had, so both rules by property apply all of them.
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

  /// What became of one side's object since both were equal.
  package enum Fate: Sendable { case unchanged, changed, deleted }

  package enum Outcome: Sendable {
    /// Property by property.
    case merge
    /// The object is inserted again, under its old key.
    case insertAgain
    /// The object is deleted here too; there is no row to delete.
    case drop
    /// The row is deleted, whatever its version.
    case delete
    /// The object is no longer deleted, and has the stored values.
    case restore
    /// Both sides deleted it.
    case gone
  }

  /// What happens to the object as a whole.
  package func outcome(mine: Fate, stored: Fate) -> Outcome {
    let objectWins = self == .objectTrump || self == .overwrite
    return switch (mine, stored) {
    case (.deleted, .deleted): .gone
    case (.deleted, _): objectWins ? .delete : .restore
    case (.unchanged, .deleted): .drop
    case (.changed, .deleted): objectWins ? .insertAgain : .drop
    default: .merge
    }
  }
}
