// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The order of ASCII characters and common accented letters in the current locale.
///
/// Comparisons by Foundation determine the order once. Texts of these characters are then compared without
/// Foundation, with the same result: first by letter, then by accent, then with lower case before upper case.
///
/// Source: documented (Unicode Technical Standard 10, multi-level comparison); a test checks that the order
/// equals Foundation's.
final class LetterOrder: Sendable {
  struct Letter: Sendable {
    /// The rank of the letter regardless of accent and case; 0 if only Foundation can compare the letter.
    var primary: UInt8 = 0
    /// The rank of the accent; 0 for no accent.
    var secondary: UInt8 = 0
    /// 1 for an upper-case letter; otherwise 0.
    var tertiary: UInt8 = 0
  }

  /// The order of the locale that was current at the first use; nil if that order cannot be expressed by
  /// ranks of single letters.
  static let current = LetterOrder(.current)

  static let end: UInt32 = 0x180
  let letters: [Letter]

  /// Languages whose standard order has no contractions of ASCII letters.
  private static let plainLanguages: Set<String> = [
    "", "de", "en", "fr", "it", "nl", "pt", "root",
  ]

  private init?(_ locale: Locale) {
    let identifier = locale.identifier
    let language = identifier.prefix { $0.isLetter && $0.isASCII }.lowercased()
    guard Self.plainLanguages.contains(language), !identifier.contains("@"),
      !identifier.contains("-u-"), !identifier.uppercased().contains("CA")
    else { return nil }
    var letters = [Letter](repeating: Letter(), count: Int(Self.end))
    guard Self.rankASCII(&letters) else { return nil }
    Self.rankAccented(&letters)
    self.letters = letters
  }

  private static func text(_ code: Int) -> String {
    Unicode.Scalar(UInt32(code)).map { String(Character($0)) } ?? ""
  }

  private static func order(_ left: String, _ right: String) -> Int {
    left.localizedCompare(right).rawValue
  }

  /// Ranks the printable ASCII characters; returns false if ranks cannot express their order.
  private static func rankASCII(_ letters: inout [Letter]) -> Bool {
    let capitals = 0x41...0x5A
    let characters = (0x20...0x7E).filter { !capitals.contains($0) }
    let sorted = characters.sorted { order(text($0), text($1)) < 0 }
    for (left, right) in zip(sorted, sorted.dropFirst()) where order(text(left), text(right)) >= 0 {
      return false
    }
    // Ranks start at 2, because 0 is for unknown letters, and 1 separates the levels of a sort key.
    for (rank, code) in sorted.enumerated() { letters[code].primary = UInt8(rank + 2) }
    for code in capitals {
      let small = code + 0x20
      guard text(code).localizedCaseInsensitiveCompare(text(small)) == .orderedSame,
        order(text(small), text(code)) < 0
      else { return false }
      letters[code] = Letter(primary: letters[small].primary, tertiary: 1)
    }
    return true
  }

  private static func rankAccented(_ letters: inout [Letter]) {
    var found: [(code: Int, base: Int, accent: String)] = []
    for code in 0xC0..<Int(end) {
      let parts = Array(text(code).decomposedStringWithCanonicalMapping.unicodeScalars)
      guard parts.count > 1, parts[0].isASCII, parts[0].properties.isAlphabetic else { continue }
      let base = Int(parts[0].value)
      // If the locale orders an accented letter as a letter of its own, the letter gets no rank, and
      // Foundation compares it.
      guard order(text(code) + "a", text(base) + "b") < 0,
        order(text(code) + "b", text(base) + "a") > 0
      else { continue }
      var accent = String.UnicodeScalarView()
      accent.append(contentsOf: parts.dropFirst())
      found.append((code, base, String(accent)))
    }
    let accents = Set(found.map(\.accent)).sorted { order("o" + $0, "o" + $1) < 0 }
    for letter in found {
      guard let rank = accents.firstIndex(of: letter.accent), rank < 250 else { continue }
      letters[letter.code] = letters[letter.base]
      letters[letter.code].secondary = UInt8(rank + 1)
    }
  }

  /// Returns the letter at `index` and moves `index` past it.
  ///
  /// A letter without a rank has the primary rank 0; `index` may then be unchanged.
  @inline(__always)
  func next(
    _ text: UnsafeBufferPointer<UInt8>,
    _ index: inout Int,
    _ letters: UnsafeBufferPointer<Letter>
  ) -> Letter {
    let byte = text[index]
    if byte < 0x80 {
      index += 1
      return letters[Int(byte)]
    }
    guard byte >= 0xC3, byte <= 0xC5, index + 1 < text.count else { return Letter() }
    let code = Int(byte & 0x1F) << 6 | Int(text[index + 1] & 0x3F)
    index += 2
    return letters[code]
  }
}
