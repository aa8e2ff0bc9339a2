// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataPredicate

/// Searches in random texts of many scripts against a slow reference that asks Foundation for whole
/// texts.
@Suite struct TextLawTests {
  /// Marks of other scripts stand behind letters of theirs: behind Latin ones Foundation drops them.
  private static let letters = [
    "a", "A", "b", "B", "i", "I", "k", "s", "S", "z", "1", " ", "-", "é", "É", "ü", "Ü", "ñ", "ø",
    "Ø", "ł", "đ", "å", "\u{212B}", "\u{212A}", "ß", "ẞ", "İ", "ı", "ſ", "ŉ", "ǰ", "ﬁ", "ǅ", "ế",
    "Ệ", "ữ", "Σ", "σ", "ς", "Ό", "ΐ", "ᾳ", "ῷ", "\u{2126}", "Й", "й", "ё", "Ж", "և", "Ա", "가", "각",
    "힣", "\u{1100}", "\u{1161}", "\u{11A8}", "か", "が", "か\u{3099}", "ガ", "日", "本", "Ａ", "①", "Ⓐ",
    "Ⅷ", "ש", "ש\u{5C1}\u{5B8}", "ש\u{5B8}\u{5C1}", "ب", "ب\u{650}", "आ", "क़", "\u{958}",
    "ক\u{9BE}", "Ა", "Ꭰ", "Ꙋ",
    "𐐀", "𝔸", "🎉", "\u{1F1E6}", "\u{200D}", "❤\u{FE0F}", "\u{301}", "\u{306}", "\u{308}", "\u{327}",
    "\u{20DD}", "\u{DF}",
  ]

  private func text(_ dice: inout Dice, _ longest: Int) -> String {
    var scalars = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...longest, using: &dice) {
      // Half of it ASCII, so that the fast paths are left in the middle of a text.
      let letter =
        Bool.random(using: &dice) ? dice.pick(["a", "B", "b", "s"]) : dice.pick(Self.letters)
      scalars.append(contentsOf: letter.unicodeScalars)
    }
    return String(scalars)
  }

  /// The text as the letters compare it, by Foundation's functions for whole texts.
  private func reduced(_ text: String, _ options: TextOptions) -> String {
    var letters: String.CompareOptions = []
    if options.contains(.caseInsensitive) { letters.insert(.caseInsensitive) }
    if options.contains(.diacriticInsensitive) { letters.insert(.diacriticInsensitive) }
    if letters.isEmpty { return text }
    let folded = text.folding(options: letters, locale: nil).precomposedStringWithCanonicalMapping
    guard options.contains(.diacriticInsensitive) else { return folded }
    var kept = String.UnicodeScalarView()
    for scalar in folded.unicodeScalars {
      let isMark =
        (0x300...0x36F).contains(scalar.value) || (0x20D0...0x20FF).contains(scalar.value)
      if !isMark { kept.append(scalar) }
    }
    return String(kept)
  }

  private func expected(
    _ left: String,
    _ relation: Relation,
    _ right: String,
    _ options: TextOptions
  ) -> Bool {
    let text = Array(reduced(left, options).utf8)
    let part = Array(reduced(right, options).utf8)
    switch relation {
    case .equal: return text == part
    case .notEqual: return text != part
    case .beginsWith: return !part.isEmpty && text.starts(with: part)
    case .endsWith: return !part.isEmpty && text.reversed().starts(with: part.reversed())
    case .lessThan: return text.lexicographicallyPrecedes(part)
    case .in: return occurs(text, in: part)
    default: return occurs(part, in: text)
    }
  }

  private func occurs(_ part: [UInt8], in text: [UInt8]) -> Bool {
    if part.isEmpty || part.count > text.count { return false }
    return (0...text.count - part.count).contains { text[$0...].starts(with: part) }
  }

  @Test func `Searches agree with whole texts folded by Foundation`() throws {
    var dice = Dice(11)
    let options: [TextOptions] = [
      [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
    ]
    let relations: [Relation] = [
      .equal, .notEqual, .beginsWith, .endsWith, .contains, .contains, .in, .lessThan,
    ]
    var found = 0
    for _ in 0..<40_000 {
      let letters = dice.pick(options)
      let relation = dice.pick(relations)
      let left = text(&dice, 24)
      var right = text(&dice, 3)
      // Parts of the text itself are found more often, in another case or without marks.
      if Bool.random(using: &dice) {
        let scalars = Array(left.unicodeScalars)
        let start = Int.random(in: 0...scalars.count, using: &dice)
        var part = String.UnicodeScalarView()
        part.append(contentsOf: scalars[start...].prefix(Int.random(in: 0...4, using: &dice)))
        right = dice.pick([String(part), String(part).uppercased(), reduced(String(part), letters)])
      }
      let wanted = expected(left, relation, right, letters)
      let needle = TextNeedle(right, relation: relation, options: letters)
      let bytes = Array(left.utf8)
      let answer = try bytes.withUnsafeBufferPointer { try needle.matches($0) }
      #expect(
        try answer == wanted && needle.matches(left) == wanted,
        "\(shown(left)) \(relation)\(letters.rawValue) \(shown(right))"
      )
      found += wanted ? 1 : 0
    }
    #expect(found > 5_000)
  }

  private func shown(_ text: String) -> String {
    "'\(text)' " + text.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ")
  }

  @Test func `Long texts and bytes that are no text neither trap nor change the answer`() throws {
    let both: TextOptions = [.caseInsensitive, .diacriticInsensitive]
    let needle = TextNeedle("Ab", relation: .contains, options: both)
    for length in [255, 256, 341, 342, 1_000, 70_000] {
      #expect(try needle.matches(String(repeating: "é", count: length) + "áB"))
      #expect(try !needle.matches(String(repeating: "é", count: length) + "b"))
      #expect(try needle.matches(String(repeating: "-", count: length) + "aB"))
    }
    var dice = Dice(3)
    for _ in 0..<5_000 {
      let bytes = (0..<Int.random(in: 0...20, using: &dice)).map { _ in
        UInt8.random(in: 0x70...0xFF, using: &dice)
      }
      for options in [TextOptions.caseInsensitive, .diacriticInsensitive, both] {
        let needle = TextNeedle("\u{7F}\u{301}", relation: .contains, options: options)
        let again = try bytes.withUnsafeBufferPointer { try needle.matches($0) }
        #expect(try bytes.withUnsafeBufferPointer { try needle.matches($0) } == again)
      }
    }
  }

  @Test func `LIKE agrees with a search that tries everything`() throws {
    var dice = Dice(5)
    var held = 0
    for _ in 0..<20_000 {
      let options: TextOptions = Bool.random(using: &dice) ? [] : .caseInsensitive
      let text = (0..<Int.random(in: 0...7, using: &dice)).map { _ in
        dice.pick(["a", "B", "é", "b"])
      }
      .joined()
      let pattern = (0..<Int.random(in: 0...5, using: &dice)).map { _ in
        dice.pick(["a", "b", "B", "é", "*", "*", "?", "\\*", "\\"])
      }.joined()
      let wanted = fits(
        Array(reduced(pattern, options).unicodeScalars)[...],
        Array(reduced(text, options).unicodeScalars)[...]
      )
      let needle = TextNeedle(pattern, relation: .like, options: options)
      #expect(try needle.matches(text) == wanted, "\(text) LIKE \(pattern)")
      held += wanted ? 1 : 0
    }
    #expect(held > 500)
  }

  private func fits(
    _ pattern: ArraySlice<Unicode.Scalar>,
    _ text: ArraySlice<Unicode.Scalar>
  ) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    switch first {
    case "*": return fits(rest, text) || !text.isEmpty && fits(pattern, text.dropFirst())
    case "?": return !text.isEmpty && fits(rest, text.dropFirst())
    case "\\" where !rest.isEmpty:
      return text.first == rest.first && fits(rest.dropFirst(), text.dropFirst())
    default: return text.first == first && fits(rest, text.dropFirst())
    }
  }
}
