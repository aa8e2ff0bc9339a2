// SPDX-License-Identifier: Apache-2.0

/// The open journals of a graph: each keeps an image of every object before its first change.
struct ChangeJournals {
  /// What undoing needs of the current event; nil where changes are not undone.
  var undo: ChangeJournal? { didSet { isOpen = undo != nil || merge != nil } }
  /// What a failing save needs to leave everything as it was; nil outside of conflicts.
  var merge: ChangeJournal? { didSet { isOpen = undo != nil || merge != nil } }
  /// Whether a change has to be captured; read before every change.
  private(set) var isOpen = false
}
