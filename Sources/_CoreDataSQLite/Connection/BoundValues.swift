// SPDX-License-Identifier: Apache-2.0

/// Extracts the bound values of a statement, as literals, by comparing the statement's text with the text in
/// which each `?` is replaced with its value.
///
/// The engine can return that text, but has no function for a single bound value.
enum BoundValues {
  /// Returns one literal for each `?` of `text` that is outside of quotes.
  static func of(_ text: String, expanded: String) -> [String] {
    var values: [String] = []
    var plain = Array(text.utf8)[...]
    var full = Array(expanded.utf8)[...]
    while let next = plain.popFirst() {
      if next == question {
        values.append(consumeLiteral(&full))
        continue
      }
      full = full.dropFirst()
      guard next == quote || next == doubleQuote else { continue }
      // Quoted parts of the statement itself are the same in both texts.
      while let inner = plain.popFirst() {
        full = full.dropFirst()
        if inner == next { break }
      }
    }
    return values
  }

  private static let question = UInt8(ascii: "?")
  private static let quote = UInt8(ascii: "'")
  private static let doubleQuote = UInt8(ascii: "\"")

  private static func consumeLiteral(_ text: inout ArraySlice<UInt8>) -> String {
    let start = text
    if text.first == UInt8(ascii: "x"), text.dropFirst().first == quote { text = text.dropFirst() }
    if text.first == quote {
      text = text.dropFirst()
      while let next = text.popFirst() {
        if next != quote { continue }
        // A doubled quote is part of the text.
        if text.first != quote { break }
        text = text.dropFirst()
      }
    } else {
      text = text.drop(while: isPartOfNumberOrWord)
    }
    return String(decoding: start[start.startIndex..<text.startIndex], as: UTF8.self)
  }

  private static func isPartOfNumberOrWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "+"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
