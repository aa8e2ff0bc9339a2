// SPDX-License-Identifier: Apache-2.0

/// The used to-manys of one object, by their position in `EntityDefinition.toManySlots`.
package struct ToManys {
  private var used: [ToMany?] = []

  package init() {}

  /// The positions up to the last position that was set.
  package var indices: Range<Int> { used.indices }

  /// Whether no to-many was used.
  package var isEmpty: Bool { !used.contains { $0 != nil } }

  /// The to-many at a position; nil if the to-many was not used.
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
