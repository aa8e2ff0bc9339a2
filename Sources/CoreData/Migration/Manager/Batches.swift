// SPDX-License-Identifier: Apache-2.0

/// The consecutive ranges of `size` indices into which `count` objects are divided; the last may be shorter.
struct Batches: Sequence, IteratorProtocol {
  static let usualSize = 512
  /// The size for an entity with external storage, whose values can be large.
  static let smallSize = 16
  /// The approximate size of a batch's rows in bytes.
  static let bytes = 8 << 20

  private let count: Int
  private let size: Int
  private var start = 0

  init(count: Int, size: Int) {
    self.count = count
    self.size = size
  }

  mutating func next() -> Range<Int>? {
    if start >= count { return nil }
    defer { start += size }
    return start..<Swift.min(start + size, count)
  }
}
