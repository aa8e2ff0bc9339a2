// SPDX-License-Identifier: Apache-2.0

extension ContiguousArray where Element == Int {
  /// Sorts by merging; elements of which neither comes before the other keep their order.
  ///
  /// Where a comparison costs much more than a copy: the standard library's sort begins with runs of
  /// insertions and asks 1.4 to 1.8 times as often.
  /// - Complexity: at most n log₂ n comparisons, or so; O(n) for what is in order already.
  mutating func sortByMerging(_ isBefore: (_ left: Int, _ right: Int) -> Bool) {
    var width = 1
    var merged = self
    while width < count {
      var first = 0
      while first < count {
        let middle = Swift.min(first + width, count)
        let end = Swift.min(middle + width, count)
        merge(first, middle, end, into: &merged, isBefore)
        first = end
      }
      swap(&self, &merged)
      width *= 2
    }
  }

  /// Merges two neighbours that are in order each.
  private func merge(
    _ first: Int,
    _ middle: Int,
    _ end: Int,
    into merged: inout Self,
    _ isBefore: (_ left: Int, _ right: Int) -> Bool
  ) {
    var left = first
    var right = middle
    var next = first
    if left < middle, right < end, !isBefore(self[middle], self[middle - 1]) {
      // In order as they are.
      for index in first..<end { merged[index] = self[index] }
      return
    }
    while left < middle, right < end {
      if isBefore(self[right], self[left]) {
        merged[next] = self[right]
        right += 1
      } else {
        merged[next] = self[left]
        left += 1
      }
      next += 1
    }
    while left < middle {
      merged[next] = self[left]
      left += 1
      next += 1
    }
    while right < end {
      merged[next] = self[right]
      right += 1
      next += 1
    }
  }
}
