// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataSQL

/// The values of one statement, or the fields of rows for COPY, in PostgreSQL's binary forms.
///
/// A field is its length in four bytes, -1 for null, and its content; this is the form of COPY.
/// Source: PostgreSQL, “COPY”, binary format.
package struct PostgresFields {
  private var storage: [UInt8] = []
  /// The number of bytes of `storage` that are in use.
  package private(set) var size = 0
  /// The offset of each field's length; empty for COPY.
  private var starts: [Int] = []
  /// The type of each field; empty for COPY.
  package private(set) var types: [UInt32] = []
  /// The indexes of the fields in text form; COPY has none.
  private var texts: Set<Int> = []
  /// Whether what is appended are fields of a row for COPY, or elements of an array.
  private var hasNoParameters: Bool

  package init(forCopy isForCopy: Bool = false) { hasNoParameters = isForCopy }

  package init(_ bindings: [Binding]) {
    self.init()
    for binding in bindings { append(binding) }
  }

  package var count: Int { starts.count }

  /// Removes all fields, and keeps the memory.
  package mutating func removeAll() {
    size = 0
    starts.removeAll(keepingCapacity: true)
    types.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
  }

  /// Appends a statement's value: an integer as bigint, a number as double precision, a text as text and data
  /// as bytea.
  package mutating func append(_ binding: Binding) {
    switch binding {
    case .null: appendNull()
    case .integer(let number): append(number)
    case .double(let number): append(number)
    case .text(let text): append(text)
    case .blob(let data): data.withUnsafeBytes { append($0, as: PostgresType.bytea) }
    case .converted(let text, let type): append(converted: text, PostgresType.number(of: type))
    }
  }

  /// Appends a null; a type of 0 lets the server infer the type.
  package mutating func appendNull(_ type: UInt32 = 0) {
    begin(type)
    appendWord(UInt32.max)
  }

  package mutating func append(_ number: Int64) {
    begin(PostgresType.bigint)
    appendWord(UInt32(8), UInt64(bitPattern: number))
  }

  package mutating func append(entity number: Int32) {
    begin(PostgresType.integer)
    appendWord(UInt32(4), UInt32(bitPattern: number))
  }

  package mutating func append(_ number: Double) {
    begin(PostgresType.double)
    appendWord(UInt32(8), number.bitPattern)
  }

  package mutating func append(_ flag: Bool) {
    begin(PostgresType.boolean)
    appendWord(UInt32(1), flag ? 1 : 0 as UInt8)
  }

  package mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0), as: PostgresType.text) }
  }

  /// Appends a value in its text form, which ends with a zero byte.
  private mutating func append(converted text: String, _ type: UInt32) {
    texts.insert(count)
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0), as: type) }
    appendWord(0 as UInt8)
  }

  package mutating func append(_ content: UnsafeRawBufferPointer, as type: UInt32) {
    begin(type)
    appendContent(content)
  }

  package mutating func append(_ number: Decimal) {
    PostgresNumeric.bytes(number).withUnsafeBytes { append($0, as: PostgresType.numeric) }
  }

  /// Appends an array of bigints without nulls.
  package mutating func append(_ numbers: [Int64]) {
    begin(PostgresType.bigintArray)
    let isEmpty = numbers.isEmpty
    appendWord(UInt32(isEmpty ? 12 : 20 + numbers.count * 12))
    appendWord(UInt32(isEmpty ? 0 : 1))
    appendWord(UInt32(0))
    appendWord(PostgresType.bigint)
    if isEmpty { return }
    appendWord(UInt32(numbers.count))
    appendWord(UInt32(1))
    for number in numbers { appendWord(UInt32(8), UInt64(bitPattern: number)) }
  }

  /// Appends an array of texts or data; nil stands for null.
  package mutating func append(_ elements: [Data?], of element: UInt32) {
    let isText = element == PostgresType.text
    begin(isText ? PostgresType.textArray : PostgresType.byteaArray)
    let size = elements.reduce(elements.isEmpty ? 12 : 20) { $0 + 4 + ($1?.count ?? 0) }
    appendWord(UInt32(size))
    appendWord(UInt32(elements.isEmpty ? 0 : 1))
    appendWord(UInt32(elements.contains { $0 == nil } ? 1 : 0))
    appendWord(element)
    if elements.isEmpty { return }
    appendWord(UInt32(elements.count))
    appendWord(UInt32(1))
    for content in elements {
      if let content {
        content.withUnsafeBytes { appendContent($0) }
      } else {
        appendWord(UInt32.max)
      }
    }
  }

  /// Appends an array; `body` appends its elements, of which there is at least one.
  package mutating func appendArray(
    of element: UInt32,
    count: Int,
    _ body: (inout PostgresFields) throws -> Void
  ) rethrows {
    begin(PostgresType.array(of: element))
    let start = size
    // The size follows below. There may be nulls, and the indexes begin at 1.
    appendWord(UInt32(0), UInt32(1))
    appendWord(UInt32(1), element)
    appendWord(UInt32(count), UInt32(1))
    hasNoParameters = true
    defer { hasNoParameters = false }
    try body(&self)
    let content = UInt32(size - start - 4)
    storage.withUnsafeMutableBytes {
      $0.storeBytes(of: content.bigEndian, toByteOffset: start, as: UInt32.self)
    }
  }

  /// Begins a row for COPY, whose fields follow.
  package mutating func beginRow(fields: Int) { appendWord(UInt16(fields)) }

  /// Appends the end of all rows for COPY.
  package mutating func endRows() { appendWord(UInt16.max) }

  /// Appends the bytes as they are.
  package mutating func append(raw content: [UInt8]) {
    content.withUnsafeBytes { content in
      write(content.count) { $0.copyMemory(from: content) }
    }
  }

  private mutating func begin(_ type: UInt32) {
    if hasNoParameters { return }
    starts.append(size)
    types.append(type)
  }

  private mutating func appendContent(_ content: UnsafeRawBufferPointer) {
    write(4 + content.count) { target in
      target.storeBytes(of: UInt32(content.count).bigEndian, as: UInt32.self)
      UnsafeMutableRawBufferPointer(rebasing: target[4...]).copyMemory(from: content)
    }
  }

  private mutating func appendWord<T: FixedWidthInteger>(_ word: T) {
    write(MemoryLayout<T>.size) { $0.storeBytes(of: word.bigEndian, as: T.self) }
  }

  private mutating func appendWord<T: FixedWidthInteger>(_ length: UInt32, _ word: T) {
    write(4 + MemoryLayout<T>.size) {
      $0.storeBytes(of: length.bigEndian, as: UInt32.self)
      $0.storeBytes(of: word.bigEndian, toByteOffset: 4, as: T.self)
    }
  }

  /// Calls `body` with the next `count` bytes, which it fills.
  @inline(__always)
  private mutating func write(_ count: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
    if size + count > storage.count { grow(count) }
    let start = size
    storage.withUnsafeMutableBytes {
      body(UnsafeMutableRawBufferPointer(rebasing: $0[start..<start + count]))
    }
    size += count
  }

  @inline(never)
  private mutating func grow(_ count: Int) {
    let wanted = max(256, storage.count * 2, size + count)
    storage += [UInt8](repeating: 0, count: wanted - storage.count)
  }

  /// Calls `body` with all bytes.
  func withBytes<T>(_ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
    try storage.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<size])) }
  }

  /// Calls `body` with the arrays that libpq takes for the parameters of a statement.
  func withParameters<T>(
    _ body: (
      _ values: UnsafePointer<UnsafePointer<CChar>?>?, _ lengths: UnsafePointer<Int32>?,
      _ formats: UnsafePointer<Int32>?
    ) -> T
  ) -> T {
    withBytes { bytes in
      var values: [UnsafePointer<CChar>?] = []
      var lengths: [Int32] = []
      values.reserveCapacity(count)
      lengths.reserveCapacity(count)
      for start in starts {
        let length = Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: Int32.self))
        let content = bytes.baseAddress?.advanced(by: start + 4).assumingMemoryBound(to: CChar.self)
        values.append(length < 0 ? nil : content)
        lengths.append(max(0, length))
      }
      return body(values, lengths, (0..<count).map { texts.contains($0) ? 0 : 1 })
    }
  }
}
#endif
