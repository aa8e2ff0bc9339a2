// SPDX-License-Identifier: Apache-2.0

extension ContiguousArray where Element == Int {
  /// Sorts the array with a stable merge sort.
  ///
  /// Use it if a comparison costs much more than a copy: it makes fewer comparisons than the standard
  /// library's sort.
  /// - Complexity: at most about n log₂ n comparisons; O(n) comparisons if the elements are already in order.
  mutating func sortByMerging(_ isBefore: (_ left: Int, _ right: Int) -> Bool) {
    var width = 1
    var merged = self
    while width < count {
      var first = 0
      while first < count {
        let middle = Swift.min(first + width, count)
        let end = Swift.min(middle + width, count)
        merge(first, middle, end, into: &merged, by: isBefore)
        first = end
      }
      swap(&self, &merged)
      width *= 2
    }
  }

  /// Merges two adjacent ranges, each of which is in order.
  private func merge(
    _ first: Int,
    _ middle: Int,
    _ end: Int,
    into merged: inout Self,
    by isBefore: (_ left: Int, _ right: Int) -> Bool
  ) {
    var left = first
    var right = middle
    var next = first
    if left < middle, right < end, !isBefore(self[middle], self[middle - 1]) {
      // Both ranges together are in order already.
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
