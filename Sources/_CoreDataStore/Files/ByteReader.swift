// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads the parts of a binary store, and checks that no part exceeds the end of the file.
///
/// Numbers are little-endian.
struct ByteReader {
  private let bytes: Data
  /// The offset of the next byte.
  private(set) var position: Int
  /// The offset of the first byte after the bytes to read.
  let end: Int

  init(_ bytes: Data, from start: Int, to end: Int) {
    self.bytes = bytes
    position = start
    self.end = end
  }

  var rest: Int { end - position }

  /// Returns the next `count` bytes.
  mutating func take(_ count: Int, _ what: @autoclosure () -> String) throws -> Data {
    guard count >= 0, count <= rest else {
      throw ContentFault("\(what()) is longer than the rest of the file", position)
    }
    defer { position += count }
    return bytes[bytes.startIndex + position..<bytes.startIndex + position + count]
  }

  mutating func number<Number: FixedWidthInteger>(
    _ type: Number.Type,
    _ what: @autoclosure () -> String
  ) throws -> Number {
    let part = try take(MemoryLayout<Number>.size, what())
    return part.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(as: Number.self)) }
  }

  /// Returns the number of parts that follow, each of which has at least `size` bytes.
  mutating func count(of size: Int, _ what: @autoclosure () -> String) throws -> Int {
    let start = position
    let count = Int(try number(UInt32.self, what()))
    guard count <= rest / max(1, size) else {
      throw ContentFault("\(what()) is \(count), more than the rest of the file can hold", start)
    }
    return count
  }

  /// Reads a length, and returns that number of bytes.
  mutating func block(_ what: @autoclosure () -> String) throws -> Data {
    let count = try count(of: 1, what())
    return try take(count, what())
  }

  mutating func text(_ what: @autoclosure () -> String) throws -> String {
    let start = position
    guard let text = String(validating: try block(what()), as: UTF8.self) else {
      throw ContentFault("\(what()) is not valid UTF-8", start)
    }
    return text
  }
}
