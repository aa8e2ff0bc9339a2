// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataSQL

/// The values of one statement, or the fields of rows for COPY, in PostgreSQL's binary forms.
///
/// A field is its length in four bytes, -1 for null, and its content; this is the form of COPY.
/// Source: PostgreSQL, “COPY”, binary format.
package struct PostgresFields {
  package private(set) var bytes: [UInt8] = []
  /// The offset of each field's length.
  package private(set) var starts: [Int] = []
  package private(set) var types: [UInt32] = []
  /// The indexes of the fields in text form; COPY has none.
  private var texts: Set<Int> = []

  package init() {}

  package init(_ bindings: [Binding]) {
    for binding in bindings { append(binding) }
  }

  package var count: Int { starts.count }

  /// Removes all fields, and keeps the memory.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
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
    appendWord(UInt32(8))
    appendWord(UInt64(bitPattern: number))
  }

  package mutating func append(entity number: Int32) {
    begin(PostgresType.integer)
    appendWord(UInt32(4))
    appendWord(UInt32(bitPattern: number))
  }

  package mutating func append(_ number: Double) {
    begin(PostgresType.double)
    appendWord(UInt32(8))
    appendWord(number.bitPattern)
  }

  package mutating func append(_ flag: Bool) {
    begin(PostgresType.boolean)
    appendWord(UInt32(1))
    bytes.append(flag ? 1 : 0)
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
    bytes.append(0)
  }

  package mutating func append(_ content: UnsafeRawBufferPointer, as type: UInt32) {
    begin(type)
    appendWord(UInt32(content.count))
    bytes.append(contentsOf: content)
  }

  package mutating func append(_ number: Decimal) {
    begin(PostgresType.numeric)
    let content = PostgresNumeric.bytes(number)
    appendWord(UInt32(content.count))
    bytes.append(contentsOf: content)
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
    bytes.reserveCapacity(bytes.count + numbers.count * 12)
    for number in numbers {
      appendWord(UInt32(8))
      appendWord(UInt64(bitPattern: number))
    }
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
      appendWord(content.map { UInt32($0.count) } ?? UInt32.max)
      if let content { bytes.append(contentsOf: content) }
    }
  }

  /// Begins a row for COPY, whose fields follow.
  package mutating func beginRow(fields: Int) { appendWord(UInt16(fields)) }

  private mutating func begin(_ type: UInt32) {
    starts.append(bytes.count)
    types.append(type)
  }

  private mutating func appendWord(_ word: some FixedWidthInteger) {
    withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// Calls `body` with the arrays that libpq takes for the parameters of a statement.
  func withParameters<T>(
    _ body: (
      _ values: UnsafePointer<UnsafePointer<CChar>?>?, _ lengths: UnsafePointer<Int32>?,
      _ formats: UnsafePointer<Int32>?
    ) -> T
  ) -> T {
    bytes.withUnsafeBytes { bytes in
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
