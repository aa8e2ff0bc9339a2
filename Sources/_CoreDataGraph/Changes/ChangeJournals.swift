// SPDX-License-Identifier: Apache-2.0

/// The open journals of a graph.
struct ChangeJournals {
  /// The images for undoing the current event; nil while changes are not recorded for undo.
  var undo: ChangeJournal? { didSet { isOpen = undo != nil || merge != nil } }
  /// The images that a failed save restores; nil unless conflicts are being resolved.
  var merge: ChangeJournal? { didSet { isOpen = undo != nil || merge != nil } }
  /// Whether a journal is open; read before every change.
  private(set) var isOpen = false
}
