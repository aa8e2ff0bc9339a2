// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataPredicate

@Suite struct TextNeedleTests {
  private func holds(
    _ left: String,
    _ relation: Relation,
    _ right: String,
    _ letters: String = ""
  )
    -> Bool
  {
    var options: TextOptions = []
    if letters.contains("c") { options.insert(.caseInsensitive) }
    if letters.contains("d") { options.insert(.diacriticInsensitive) }
    if letters.contains("n") { options.insert(.normalized) }
    if letters.contains("l") { options.insert(.localeSensitive) }
    return (try? TextNeedle(right, relation: relation, options: options).matches(left)) == true
  }

  @Test func `Without options texts are compared byte for byte`() {
    #expect(holds("abc", .equal, "abc"))
    #expect(!holds("abc", .equal, "ABC"))
    #expect(!holds("é", .equal, "e\u{301}"))
    #expect(holds("abc", .contains, "bc"))
    #expect(holds("bc", .in, "abc"))
    #expect(!holds("abc", .contains, "bd"))
  }

  @Test func `The letters fold case and marks, n overrides both`() {
    #expect(holds("ABC", .equal, "abc", "c"))
    #expect(holds("naïve", .equal, "naive", "d"))
    #expect(!holds("naïve", .equal, "naive", "c"))
    #expect(holds("NAÏVE", .contains, "aiv", "cd"))
    #expect(!holds("ABC", .equal, "abc", "cn"))
    #expect(!holds("ø", .contains, "o", "d"))
    #expect(!holds("Ü", .contains, "U", "c"))
    #expect(holds("Ü", .contains, "ü", "c"))
    #expect(holds("U\u{308}ber", .beginsWith, "über", "c"))
    #expect(holds("testą", .like, "TESTA", "cd"))
    #expect(holds("Straße", .equal, "STRASSE", "c"))
    #expect(holds("ΌΣΟΣ", .equal, "όσος", "c"))
    #expect(holds("ΌΣΟΣ", .endsWith, "οσος", "cd"))
    #expect(holds("日本語 İ", .beginsWith, "日本", "cd"))
    #expect(holds("ǅ ế", .equal, "ǆ e", "cd"))
  }

  @Test func `An empty needle is found nowhere, yet equals the empty text`() {
    for relation in [Relation.contains, .beginsWith, .endsWith] {
      for letters in ["", "c", "cd"] { #expect(!holds("abc", relation, "", letters)) }
    }
    #expect(!holds("", .in, "abc"))
    #expect(holds("", .equal, "", "c"))
    #expect(holds("", .like, "*"))
    #expect(holds("", .like, ""))
  }

  @Test func `LIKE matches the whole text with wildcards and escapes`() {
    #expect(holds("abcfebbcce", .like, "a*b*c?e"))
    #expect(!holds("acde", .like, "a*b*c?e"))
    #expect(holds("aazz?", .like, "?a*z?\\?"))
    #expect(holds("a*c", .like, "a\\*c"))
    #expect(!holds("abc", .like, "a\\*c"))
    #expect(holds("Grüße", .like, "gr?ße", "c"))
    #expect(!holds("", .like, "*?"))
    #expect(holds("AbC", .like, "*b*", "c"))
    #expect(!holds("a_txt", .like, "*.txt"))
  }

  @Test func `MATCHES is a whole-text regular expression`() {
    #expect(holds("abc", .matches, "a|abc"))
    #expect(!holds("abc", .matches, "b"))
    #expect(holds("ABC", .matches, "a.c", "c"))
    #expect(TextNeedle("(", relation: .matches, options: []).invalidPattern == "(")
  }

  @Test func `Orderings go by bytes, folded where asked`() {
    #expect(holds("ABC", .lessThan, "abc"))
    #expect(holds("B", .greaterThan, "a", "c"))
    #expect(holds("abc", .lessThanOrEqual, "ABC", "c"))
    #expect(holds("b", .greaterThan, "ab"))
  }
}
