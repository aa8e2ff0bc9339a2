// SPDX-License-Identifier: Apache-2.0

import _CoreDataPredicate

/// Compares names of properties, to recognize a renamed property.
enum SimilarNames {
  private static let shortestWord = 3
  private static let shortestPrefix = 4

  /// Returns whether two names are similar.
  ///
  /// Names are similar in four cases:
  /// - One name contains the other, which has at least three letters.
  /// - Both begin with the same letters: at least four, and at least half of the shorter name.
  /// - Both have a word of at least three letters in common.
  /// - They differ in one letter, or in at most a third of the shorter name's letters.
  static func areSimilar(_ left: String, _ right: String) -> Bool {
    let (old, new) = (left.lowercased(), right.lowercased())
    let shorter = min(old.count, new.count)
    if shorter >= shortestWord, old.contains(new) || new.contains(old) { return true }
    let prefix = zip(old, new).prefix { $0 == $1 }.count
    if prefix >= shortestPrefix, prefix * 2 >= shorter { return true }
    if !words(left).isDisjoint(with: words(right)) { return true }
    return FormatVocabulary.distance(Array(old), Array(new)) <= max(1, shorter / 3)
  }

  /// Returns the words of a name such as `lastUpdated` or `last_updated` in lower case, except words
  /// of one or two letters.
  private static func words(_ name: String) -> Set<String> {
    var words: [String] = [""]
    for character in name {
      if !character.isLetter {
        words.append("")
      } else if character.isUppercase {
        words.append(character.lowercased())
      } else {
        words[words.count - 1].append(character)
      }
    }
    return Set(words.filter { $0.count >= shortestWord })
  }
}
