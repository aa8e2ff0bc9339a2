// SPDX-License-Identifier: Apache-2.0

/// The to-manys of one object that were used, by their position in `EntityDefinition.toManySlots`.
///
/// Takes no memory of its own before the first is used.
package struct ToManys {
  private var used: [ToMany?] = []

  package init() {}

  /// The positions that something was put at, and those before them.
  package var indices: Range<Int> { used.indices }

  /// Nil for a to-many that was not used.
  package subscript(position: Int) -> ToMany? {
    get { position < used.count ? used[position] : nil }
    set {
      if newValue == nil && position >= used.count { return }
      makeRoom(position)
      used[position] = newValue
    }
    _modify {
      makeRoom(position)
      yield &used[position]
    }
  }

  private mutating func makeRoom(_ position: Int) {
    while used.count <= position { used.append(nil) }
  }
}
