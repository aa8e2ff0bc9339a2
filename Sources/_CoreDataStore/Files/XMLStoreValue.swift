// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// The texts of attribute values in XML stores.
///
/// Source: observed for strings, Booleans, 16-bit integers, data and dates (sqlite-format.md “XML store”);
/// for the other types, this library's choice.
struct XMLStoreValue {
  let attribute: AttributeDefinition

  /// The value of `type` in the `<attribute>` elements of the attribute.
  var typeName: String {
    switch attribute.type {
    case .integer16: "int16"
    case .integer32: "int32"
    case .integer64: "int64"
    case .decimal: "decimal"
    case .double: "double"
    case .float: "float"
    case .string: "string"
    case .boolean: "bool"
    case .date: "date"
    case .binaryData: "binary"
    case .uuid: "uuid"
    case .uri: "uri"
    case .transformable: "transformable"
    case .composite: "composite"
    case .undefined, .objectID: "undefined"
    }
  }

  // MARK: Writing

  /// The text of an element; `isEncoded` is true for a string or URL that is written in Base64.
  struct Text {
    let bytes: [UInt8]
    var isEncoded = false
  }

  /// Returns the text of a value that is not null.
  func text(_ chunk: RowChunk, _ row: Int, _ slot: Int) -> Text {
    switch chunk.layout.kinds[slot] {
    case .integer: Text(bytes: Array(String(chunk.integer(row, slot)).utf8))
    case .boolean: Text(bytes: [chunk.integer(row, slot) == 0 ? 0x30 : 0x31])
    case .double, .date: Text(bytes: Array("\(chunk.double(row, slot))".utf8))
    case .text, .url: Self.escaped(chunk.bytes(row, slot))
    case .data, .opaque:
      Text(bytes: Array(Data(chunk.bytes(row, slot)).base64EncodedString().utf8))
    case .decimal, .uuid, .none, .reference: Text(bytes: Self.plain(chunk.value(row, slot)))
    }
  }

  private static func plain(_ value: Value) -> [UInt8] {
    switch value {
    case .decimal(let number): Array(number.description.utf8)
    case .uuid(let uuid): Array(uuid.uuidString.utf8)
    default: []
    }
  }

  /// Returns a text in which references replace the characters that have a meaning in XML.
  ///
  /// If the text contains a character that XML does not allow, the whole text is encoded in Base64.
  private static func escaped(_ text: UnsafeRawBufferPointer) -> Text {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var position = 0
    while position < text.count {
      let byte = text[position]
      switch byte {
      case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
      case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
      case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
      // An XML parser would replace a literal carriage return with a newline.
      case UInt8(ascii: "\r"): bytes += Array("&#13;".utf8)
      case 0x09, 0x0A: bytes.append(byte)
      case 0..<0x20: return encoded(text)
      case 0xEF where isForbidden(text, position): return encoded(text)
      default: bytes.append(byte)
      }
      position += 1
    }
    return Text(bytes: bytes)
  }

  /// Returns whether the three bytes at the position are U+FFFE or U+FFFF.
  private static func isForbidden(_ text: UnsafeRawBufferPointer, _ position: Int) -> Bool {
    position + 2 < text.count && text[position + 1] == 0xBF && text[position + 2] >= 0xBE
  }

  private static func encoded(_ text: UnsafeRawBufferPointer) -> Text {
    Text(bytes: Array(Data(text).base64EncodedString().utf8), isEncoded: true)
  }

  // MARK: Reading

  /// Parses a text and writes the value to a row; returns false if the attribute cannot have this value.
  func read(_ text: String, isEncoded: Bool, to place: ChunkRow, _ slot: Int) -> Bool {
    let (chunk, row) = place
    switch chunk.layout.kinds[slot] {
    case .integer:
      guard let number = Int64(Self.trimmed(text)) else { return false }
      chunk.setInteger(row, slot, number)
    case .boolean:
      guard let number = Int64(Self.trimmed(text)) else { return false }
      chunk.setInteger(row, slot, number == 0 ? 0 : 1)
    case .double, .date:
      guard let number = Double(Self.trimmed(text)) else { return false }
      chunk.setDouble(row, slot, number)
    case .text, .url:
      guard isEncoded else {
        chunk.setText(row, slot, text)
        return true
      }
      guard let data = Self.data(text), String(validating: data, as: UTF8.self) != nil else {
        return false
      }
      data.withUnsafeBytes { chunk.setBytes(row, slot, $0) }
    case .data, .opaque:
      guard let data = Self.data(text) else { return false }
      data.withUnsafeBytes { chunk.setBytes(row, slot, $0) }
    case .uuid:
      guard let uuid = UUID(uuidString: Self.trimmed(text)) else { return false }
      return chunk.setValue(row, slot, .uuid(uuid))
    case .decimal:
      guard let number = Decimal(storeText: Self.trimmed(text)) else { return false }
      chunk.setDecimal(row, slot, number)
    case .none, .reference: return false
    }
    return true
  }

  private static func trimmed(_ text: String) -> String {
    text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static func data(_ text: String) -> Data? {
    Data(base64Encoded: text, options: .ignoreUnknownCharacters)
  }
}

extension Decimal {
  /// Parses a number in the form that `description` returns; nil if the text is not a number.
  init?(storeText text: String) {
    if text == "NaN" {
      self = .nan
      return
    }
    // `Decimal(string:)` ignores what follows the number, so `Double` checks the whole text first.
    guard Double(text) != nil, let number = Decimal(string: text, locale: nil) else { return nil }
    self = number
  }
}
