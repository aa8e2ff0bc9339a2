// SPDX-License-Identifier: Apache-2.0

/// Unretained references to the objects of consecutive rows; a single reference needs no allocation.
struct ResultRows {
  typealias Element = Unmanaged<AnyObject>

  private enum Content {
    case none
    case one(Element)
    case many(ContiguousArray<Element>)
  }
  private var content: Content

  init() { content = .none }

  init(_ elements: ContiguousArray<Element>) {
    content = elements.isEmpty ? .none : elements.count == 1 ? .one(elements[0]) : .many(elements)
  }

  init(_ elements: ArraySlice<Element>) {
    switch elements.count {
    case 0: content = .none
    case 1: content = .one(elements[elements.startIndex])
    default: content = .many(ContiguousArray(elements))
    }
  }

  var count: Int {
    switch content {
    case .many(let array): array.count
    case .one: 1
    case .none: 0
    }
  }

  var isEmpty: Bool { count == 0 }

  subscript(index: Int) -> Element {
    switch content {
    case .many(let array): return array[index]
    case .one(let element):
      precondition(index == 0, "internal error: index \(index) is outside a block of 1 row")
      return element
    case .none:
      preconditionFailure("internal error: index \(index) is outside a block without rows")
    }
  }

  @inline(__always)
  func withElements<Result>(
    _ body: (UnsafeBufferPointer<Element>) throws -> Result
  ) rethrows -> Result {
    switch content {
    case .many(let array): try array.withUnsafeBufferPointer(body)
    case .one(let element):
      try withUnsafePointer(to: element) { try body(UnsafeBufferPointer(start: $0, count: 1)) }
    case .none: try body(UnsafeBufferPointer(start: nil, count: 0))
    }
  }

  func index(of object: Element) -> Int? {
    let wanted = object.toOpaque()
    return withElements { elements in
      var index = 0
      // The loop is unrolled by four, because looking up a row spends most of its time here.
      while index + 4 <= elements.count {
        if elements[index].toOpaque() == wanted { return index }
        if elements[index + 1].toOpaque() == wanted { return index + 1 }
        if elements[index + 2].toOpaque() == wanted { return index + 2 }
        if elements[index + 3].toOpaque() == wanted { return index + 3 }
        index += 4
      }
      while index < elements.count {
        if elements[index].toOpaque() == wanted { return index }
        index += 1
      }
      return nil
    }
  }

  /// Returns the first index in `range` whose element does not satisfy `isBefore`, or the end of `range`.
  ///
  /// Elements that satisfy `isBefore` must precede all others.
  func partition(_ range: Range<Int>, _ isBefore: (AnyObject) -> Bool) -> Int {
    withElements { elements in
      var first = range.lowerBound
      var last = range.upperBound
      while first < last {
        let middle = (first + last) / 2
        if isBefore(elements[middle].takeUnretainedValue()) {
          first = middle + 1
        } else {
          last = middle
        }
      }
      return first
    }
  }

  mutating func insert(_ object: Element, at index: Int) {
    change { $0.insert(object, at: index) }
  }

  mutating func remove(at index: Int) {
    change { $0.remove(at: index) }
  }

  mutating func append(_ others: Self) {
    change { array in others.withElements { array.append(contentsOf: $0) } }
  }

  mutating func cutOff(from index: Int) -> ContiguousArray<Element> {
    var rest: ContiguousArray<Element> = []
    change { array in
      rest = ContiguousArray(array[index...])
      array.removeSubrange(index...)
    }
    return rest
  }

  private mutating func change(_ body: (inout ContiguousArray<Element>) -> Void) {
    var array: ContiguousArray<Element>
    switch content {
    case .many(let many): array = many
    case .one(let element): array = [element]
    case .none: array = []
    }
    // Releases the second reference to the array, so that the change needs no copy.
    content = .none
    body(&array)
    content = array.isEmpty ? .none : .many(array)
  }
}
