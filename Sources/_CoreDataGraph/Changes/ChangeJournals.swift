// SPDX-License-Identifier: Apache-2.0

struct ChangeJournals {
  /// The images from which the changes since the last undo step can be undone; nil while changes are not
  /// recorded for undo.
  var undo: ChangeJournal? { didSet { isOpen = undo != nil || merge != nil } }
  /// The images that a failed save restores; nil unless conflicts are being resolved.
  var merge: ChangeJournal? { didSet { isOpen = undo != nil || merge != nil } }
  /// Whether at least one journal is open; a stored property, because it is read before every change.
  private(set) var isOpen = false
}
