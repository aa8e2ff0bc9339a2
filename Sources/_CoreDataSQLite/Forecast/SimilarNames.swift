// SPDX-License-Identifier: Apache-2.0

import _CoreDataPredicate

/// Compares names of properties, to recognize a renamed property.
enum SimilarNames {
  private static let shortestWord = 3
  private static let shortestPrefix = 4

  /// Returns whether one name contains the other, both have a word or the first half in common, or they differ in
  /// few letters.
  ///
  /// Words shorter than three letters, such as `is`, do not count, and neither do prefixes shorter than four.
  static func areSimilar(_ left: String, _ right: String) -> Bool {
    let (old, new) = (left.lowercased(), right.lowercased())
    let shorter = min(old.count, new.count)
    if shorter >= shortestWord, old.contains(new) || new.contains(old) { return true }
    let prefix = zip(old, new).prefix { $0 == $1 }.count
    if prefix >= shortestPrefix, prefix * 2 >= shorter { return true }
    if !words(left).isDisjoint(with: words(right)) { return true }
    return FormatVocabulary.distance(Array(old), Array(new)) <= max(1, shorter / 3)
  }

  /// Returns the words of a name such as `lastUpdated` or `last_updated`, in lower case.
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
