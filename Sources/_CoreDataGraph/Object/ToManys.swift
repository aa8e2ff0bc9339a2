// SPDX-License-Identifier: Apache-2.0

/// The states of one object's to-many relationships, indexed by position in `EntityDefinition.toManySlots`.
///
/// A relationship that was not accessed, or whose state was discarded, has no entry.
package struct ToManys {
  private var used: [ToMany?] = []

  package init() {}

  /// The positions that may have an entry.
  package var indices: Range<Int> { used.indices }

  /// Whether no to-many has an entry.
  package var isEmpty: Bool { !used.contains { $0 != nil } }

  /// The state of the to-many at a position; nil if it has no entry.
  package subscript(position: Int) -> ToMany? {
    get { position < used.count ? used[position] : nil }
    set {
      if newValue == nil && position >= used.count { return }
      reserve(position)
      used[position] = newValue
    }
    _modify {
      reserve(position)
      yield &used[position]
    }
  }

  private mutating func reserve(_ position: Int) {
    while used.count <= position { used.append(nil) }
  }
}
