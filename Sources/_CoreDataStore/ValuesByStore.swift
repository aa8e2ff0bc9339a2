// SPDX-License-Identifier: Apache-2.0

/// A value for each of a few stores, by store index.
///
/// Used instead of a dictionary, because most saves concern one store, and hashing its index takes longer than
/// comparing it. Inlinable, so that the modules above can specialize the generic code.
@usableFromInline
package struct ValuesByStore<Value>: ExpressibleByDictionaryLiteral, Sequence {
  @usableFromInline
  package struct Element {
    @usableFromInline package let store: Int
    @usableFromInline package var value: Value
    @inlinable init(store: Int, value: Value) {
      self.store = store
      self.value = value
    }
  }
  @usableFromInline var elements: [Element] = []

  @inlinable package init() {}
  @inlinable package init(dictionaryLiteral values: (Int, Value)...) {
    for (store, value) in values { self[store] = value }
  }

  @inlinable package var isEmpty: Bool { elements.isEmpty }
  @inlinable package var count: Int { elements.count }
  /// The indexes of the stores, ascending.
  @inlinable package var stores: [Int] {
    elements.count == 1 ? [elements[0].store] : elements.map(\.store).sorted()
  }

  /// Iterates over the store indexes and values, in the order in which the values were added.
  @inlinable package func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }

  /// The value of a store; setting nil removes the value.
  /// - Complexity: O(number of stores).
  @inlinable package subscript(store: Int) -> Value? {
    get { position(of: store).map { elements[$0].value } }
    set {
      switch (position(of: store), newValue) {
      case (let position?, let value?): elements[position].value = value
      case (let position?, nil): elements.remove(at: position)
      case (nil, let value?): elements.append(Element(store: store, value: value))
      case (nil, nil): break
      }
    }
  }

  /// The value of a store; a store without a value gets `initial` when its value is changed.
  @inlinable package subscript(store: Int, default initial: @autoclosure () -> Value) -> Value {
    get { position(of: store).map { elements[$0].value } ?? initial() }
    _modify {
      let position = position(of: store)
      if position == nil { elements.append(Element(store: store, value: initial())) }
      yield &elements[position ?? elements.count - 1].value
    }
  }

  @inlinable func position(of store: Int) -> Int? {
    for position in elements.indices where elements[position].store == store { return position }
    return nil
  }
}

extension ValuesByStore.Element: Sendable where Value: Sendable {}
extension ValuesByStore: Sendable where Value: Sendable {}
