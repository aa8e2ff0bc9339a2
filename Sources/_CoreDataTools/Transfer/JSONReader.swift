// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Reads JSON values one by one, from a text or from a file of any size.
///
/// A comma before a closing bracket is allowed, because it is common in hand-written files. Integers in the
/// range of `Int64` become `.int`; all other numbers become `.double`.
struct JSONReader {
  private let file: FileHandle?
  private let name: String
  private var buffer: [UInt8] = []
  private var offset = 0
  private(set) var line = 1
  private static let chunkSize = 1 << 16
  private static let depthLimit = 100

  init(_ file: FileHandle, name: String) {
    self.file = file
    self.name = name
  }

  init(_ text: some StringProtocol, name: String) {
    file = nil
    self.name = name
    buffer = Array(text.utf8)
  }

  // MARK: Bytes

  private mutating func peek() throws -> UInt8? {
    if offset == buffer.count {
      buffer = Array(try file?.read(upToCount: Self.chunkSize) ?? Data())
      offset = 0
      if buffer.isEmpty { return nil }
    }
    return buffer[offset]
  }

  private mutating func readByte() throws -> UInt8? {
    guard let byte = try peek() else { return nil }
    offset += 1
    if byte == 0x0A { line += 1 }
    return byte
  }

  /// Skips white space and byte order marks, and returns the next byte without consuming it; nil at the end.
  mutating func next() throws -> UInt8? {
    while let byte = try peek() {
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF: _ = try readByte()
      default: return byte
      }
    }
    return nil
  }

  /// Skips white space, and consumes the next character if it is `character`.
  ///
  /// Returns whether the character was consumed.
  mutating func skipIfNext(_ character: Character) throws -> Bool {
    guard try next() == character.asciiValue else { return false }
    _ = try readByte()
    return true
  }

  mutating func end() throws {
    if try next() != nil { throw error("there is content after the end of the JSON value") }
  }

  func error(_ reason: String) -> ToolError { ToolError("\(name):\(line): \(reason)") }

  /// Returns an error that states what was expected instead of the next character or the end of the input.
  mutating func expected(_ what: String) throws -> ToolError {
    guard let byte = try next() else { return error("expected \(what), but the \(input) ends") }
    // A byte outside ASCII is not shown, because it is only a part of a character.
    let found = byte < 0x7F && byte > 0x20 ? " but found \(Character(Unicode.Scalar(byte)))" : ""
    return error("expected \(what)\(found)")
  }

  private var input: String { file == nil ? "text" : "file" }

  // MARK: Values

  mutating func value(depth: Int = 0) throws -> Value {
    if depth > Self.depthLimit {
      throw error("brackets are nested more than \(Self.depthLimit) levels deep")
    }
    switch try next() {
    case UInt8(ascii: "\""): return .text(try text())
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["):
      _ = try readByte()
      var members: [Value] = []
      while try !skipIfNext("]") {
        members.append(try value(depth: depth + 1))
        if try skipIfNext(",") { continue }
        guard try next() == UInt8(ascii: "]") else { throw try expected("a comma or ]") }
      }
      return .collection(ValueCollection(.array, members))
    case nil: throw error("the \(input) ends inside a value")
    default: return try word()
    }
  }

  private mutating func object(depth: Int) throws -> Value {
    _ = try readByte()
    var members: [String: Value] = [:]
    while try !skipIfNext("}") {
      let key = try self.key()
      members[key] = try value(depth: depth + 1)
      if try skipIfNext(",") { continue }
      guard try next() == UInt8(ascii: "}") else { throw try expected("a comma or }") }
    }
    return .dictionary(members)
  }

  mutating func key() throws -> String {
    guard try next() == UInt8(ascii: "\"") else {
      throw try expected("a name in quotation marks")
    }
    let key = try text()
    guard try skipIfNext(":") else { throw try expected("a colon after “\(key)”") }
    return key
  }

  private mutating func text() throws -> String {
    _ = try readByte()
    let start = line
    var bytes: [UInt8] = []
    while true {
      guard let byte = try readByte() else { throw unterminated(start) }
      if byte == UInt8(ascii: "\"") { return String(decoding: bytes, as: UTF8.self) }
      if byte != UInt8(ascii: "\\") {
        bytes.append(byte)
        continue
      }
      guard let escape = try readByte() else { throw unterminated(start) }
      switch escape {
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "r"): bytes.append(0x0D)
      case UInt8(ascii: "t"): bytes.append(0x09)
      case UInt8(ascii: "b"): bytes.append(0x08)
      case UInt8(ascii: "f"): bytes.append(0x0C)
      case UInt8(ascii: "u"): bytes += Array(String(try scalar()).utf8)
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(escape)
      default:
        // A byte outside ASCII is not shown, because it is only a part of a character.
        let shown = 0x21..<0x7F ~= escape ? " \\\(Character(Unicode.Scalar(escape)))" : ""
        throw error("the escape sequence\(shown) in a string is not valid in JSON")
      }
    }
  }

  private func unterminated(_ start: Int) -> ToolError {
    ToolError("\(name):\(start): the string that begins on this line is not terminated")
  }

  private mutating func scalar() throws -> Unicode.Scalar {
    let first = try unit()
    if 0xD800...0xDBFF ~= first {
      guard try readByte() == UInt8(ascii: "\\"), try readByte() == UInt8(ascii: "u") else {
        throw error("a \\u escape in a string is half of a surrogate pair")
      }
      let second = try unit()
      guard 0xDC00...0xDFFF ~= second else {
        throw error("a \\u escape in a string is half of a surrogate pair")
      }
      let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
      if let scalar = Unicode.Scalar(code) { return scalar }
    }
    guard let scalar = Unicode.Scalar(first) else {
      throw error("a \\u escape in a string is half of a surrogate pair")
    }
    return scalar
  }

  private mutating func unit() throws -> UInt32 {
    var digits = ""
    for _ in 0..<4 { digits.unicodeScalars.append(Unicode.Scalar(try readByte() ?? 0)) }
    guard digits.allSatisfy(\.isHexDigit), let unit = UInt32(digits, radix: 16) else {
      throw error("\\u in a string must be followed by four hexadecimal digits")
    }
    return unit
  }

  private mutating func word() throws -> Value {
    var bytes: [UInt8] = []
    while let byte = try peek(), !" \t\r\n,]}[{:\"".utf8.contains(byte), bytes.count < 400 {
      bytes.append(byte)
      _ = try readByte()
    }
    let word = String(decoding: bytes, as: UTF8.self)
    switch word {
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "null": return .null
    default: break
    }
    if word.isEmpty { throw try expected("a value") }
    guard Self.isNumber(bytes), let number = Double(word) else {
      throw error("“\(word.prefix(40))” is not a JSON value")
    }
    return Int64(word).map(Value.int) ?? .double(number)
  }

  /// Returns whether the bytes are a JSON number: an integer part without leading zeros, then an optional
  /// fraction and an optional exponent, each with at least one digit.
  private static func isNumber(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    func skip(_ characters: String) -> Bool {
      guard let byte = rest.first, characters.utf8.contains(byte) else { return false }
      rest = rest.dropFirst()
      return true
    }
    func skipDigits() -> Bool {
      let digits = rest.prefix { 0x30...0x39 ~= $0 }
      rest = rest.dropFirst(digits.count)
      return !digits.isEmpty
    }
    _ = skip("-")
    if !skip("0"), !skipDigits() { return false }
    if skip("."), !skipDigits() { return false }
    if skip("eE") {
      _ = skip("+-")
      if !skipDigits() { return false }
    }
    return rest.isEmpty
  }
}
