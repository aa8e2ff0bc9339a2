// SPDX-License-Identifier: Apache-2.0

/// Determines whether one version of a model is newer than another.
///
/// The versions of a model have no dates. Their order follows from the numbers in their names, otherwise from
/// the numbers in their version identifiers. If neither determines the order, the current version is newer
/// than every other version.
package struct VersionOrder {
  package struct Version {
    package let name: String?
    package let identifiers: [String]

    /// `name` is nil if the version is not one of the model's versions.
    package init(name: String?, identifiers: [String]) {
      self.name = name
      self.identifiers = identifiers
    }
  }

  private let current: String?

  /// Creates the order; `current` is the name of the model's current version, or nil if that name is unknown.
  package init(current: String?) { self.current = current }

  /// Returns whether `version` is newer than `other`; false if their order is unknown.
  package func isNewer(_ version: Version, than other: Version) -> Bool {
    if let name = version.name, let otherName = other.name,
      let isNewer = Self.isNewer(name, than: otherName)
    {
      return isNewer
    }
    if version.identifiers.count == 1, other.identifiers.count == 1,
      let isNewer = Self.isNewer(version.identifiers[0], than: other.identifiers[0])
    {
      return isNewer
    }
    return current != nil && version.name == current && other.name != current
  }

  /// Returns whether `text` has the higher numbers; nil unless the numbers are the only difference of the
  /// texts.
  private static func isNewer(_ text: String, than other: String) -> Bool? {
    let (left, right) = (parts(text), parts(other))
    if left.words != right.words || left.numbers == right.numbers { return nil }
    for (number, otherNumber) in zip(left.numbers, right.numbers) where number != otherNumber {
      return number > otherNumber
    }
    return left.numbers.count > right.numbers.count
  }

  /// Splits a text such as `Shop v1.10` into `shopv` and the numbers 1 and 10.
  private static func parts(_ text: String) -> (words: String, numbers: [Int]) {
    var words = ""
    var numbers: [Int] = []
    var digits = ""
    func endNumber() {
      if let number = Int(digits) { numbers.append(number) }
      digits = ""
    }
    for character in text.lowercased() {
      if character.isASCII, character.isNumber {
        digits.append(character)
      } else {
        endNumber()
        if character.isLetter { words.append(character) }
      }
    }
    endNumber()
    return (words, numbers)
  }
}
