// SPDX-License-Identifier: Apache-2.0

/// Searches for the shortest chain of versions in which one step leads from each version to the next.
///
///     VersionChain.from(0, to: 3) { from, to in to - from == 1 }  // [0, 1, 2, 3]
package enum VersionChain {
  /// Returns the shortest chain from `start` to `end`, both included; nil if there is no chain.
  ///
  /// Versions are numbered from the oldest to the newest, and a chain only leads to newer versions. If
  /// several chains are equally short, the function returns one whose last version before `end` is the
  /// oldest. `isStep` returns whether one step leads from a version to a newer one, and is called at most
  /// once for each pair of versions.
  ///
  /// - Complexity: O(n²) calls of `isStep` for n versions from `start` to `end`.
  package static func from(
    _ start: Int,
    to end: Int,
    _ isStep: (_ from: Int, _ to: Int) -> Bool
  ) -> [Int]? {
    if start >= end { return start == end ? [start] : nil }
    var previous: [Int: Int] = [start: start]
    var level = [start]
    while !level.isEmpty {
      var next: [Int] = []
      for version in level {
        for newer in stride(from: version + 1, through: end, by: 1)
        where previous[newer] == nil && isStep(version, newer) {
          previous[newer] = version
          next.append(newer)
        }
      }
      if previous[end] != nil { return chain(to: end, from: start, previous) }
      level = next.sorted()
    }
    return nil
  }

  private static func chain(to end: Int, from start: Int, _ previous: [Int: Int]) -> [Int] {
    var chain = [end]
    while let last = chain.last, last != start, let version = previous[last] {
      chain.append(version)
    }
    return chain.reversed()
  }
}
