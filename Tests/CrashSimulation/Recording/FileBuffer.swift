// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The content of a simulated file, as bytes outside of Swift's arrays.
///
/// A short round makes tens of thousands of files in a debug build, where a loop over an array is slow; all work
/// here is done by `memcpy` and its relatives.
package final class FileBuffer {
  package private(set) var count = 0
  private var capacity: Int
  private var bytes: UnsafeMutableRawPointer

  package init(capacity: Int = 0) {
    self.capacity = max(capacity, 64)
    bytes = .allocate(byteCount: self.capacity, alignment: 8)
  }

  deinit { bytes.deallocate() }

  package convenience init(copying content: UnsafeRawBufferPointer) {
    self.init(capacity: content.count)
    write(content, at: 0)
  }

  package func copy() -> FileBuffer { FileBuffer(copying: content) }

  /// The bytes of the file; valid until the next change.
  package var content: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: count) }

  /// Writes bytes at an offset; a gap before the offset is filled with zeros.
  package func write(_ content: UnsafeRawBufferPointer, at offset: Int) {
    if content.isEmpty { return }
    let end = offset + content.count
    if end > count { resize(end) }
    if let start = content.baseAddress { memcpy(bytes + offset, start, content.count) }
  }

  package func resize(_ size: Int) {
    if size > capacity {
      capacity = max(size, capacity * 2)
      let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
      memcpy(larger, bytes, count)
      bytes.deallocate()
      bytes = larger
    }
    if size > count { memset(bytes + count, 0, size - count) }
    count = size
  }

  /// Copies bytes to `target`; returns the number of bytes, which is smaller at the end of the file.
  package func read(_ target: UnsafeMutableRawPointer, _ wanted: Int, at offset: Int) -> Int {
    let found = max(0, min(wanted, count - offset))
    if found > 0 { memcpy(target, bytes + offset, found) }
    return found
  }

  package func isEqual(to other: FileBuffer) -> Bool {
    count == other.count && memcmp(bytes, other.bytes, count) == 0
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    hasher.combine(bytes: content)
  }
}
