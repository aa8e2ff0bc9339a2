// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The right side of a text comparison, folded or compiled once and asked for many left sides.
///
/// `x CONTAINS[cd] "ab"` is `TextNeedle("ab", relation: .contains, options: [...]).matches(x)`.
/// For `.in` the needle is the text that is searched and the haystack is what must occur in it.
package struct TextNeedle: Sendable {
  private enum Test: Sendable {
    case bytes(Relation)
    case like([LikePattern.Part])
    case pattern(NSRegularExpression)
    case ordered(Relation, locale: Locale?)
    case never
  }
  private let test: Test
  private let bytes: [UInt8]
  private let text: String
  private let folding: TextFolding
  /// The text itself where it is no valid regular expression; such a needle matches nothing.
  package let invalidPattern: String?

  /// A needle for the text on the right of `relation`.
  ///
  /// `[l]` matters to the orderings alone. `BETWEEN` and custom selectors match nothing.
  package init(_ text: String, relation: Relation, options: TextOptions) {
    let folding = TextFolding(options)
    self.folding = folding
    self.text = text
    var invalid: String?
    switch relation {
    case .equal, .notEqual, .contains, .beginsWith, .endsWith, .in:
      test = .bytes(relation)
      bytes = folding.folded(text)
    case .like:
      (test, bytes) = Self.like(LikePattern(text, folding: folding))
    case .matches:
      bytes = []
      if let pattern = PatternCache.pattern(text, folding) {
        test = .pattern(pattern)
      } else {
        test = .never
        invalid = text
      }
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      test = .ordered(relation, locale: options.contains(.localeSensitive) ? .current : nil)
      bytes = folding.folded(text)
    case .between, .customSelector:
      test = .never
      bytes = []
    }
    invalidPattern = invalid
  }

  private static func like(_ pattern: LikePattern) -> (Test, [UInt8]) {
    switch pattern.shape {
    case .equal(let bytes): (.bytes(.equal), bytes)
    case .prefix(let bytes): (.bytes(.beginsWith), bytes)
    case .suffix(let bytes): (.bytes(.endsWith), bytes)
    case .middle(let bytes): (.bytes(.contains), bytes)
    case .general(let parts): (.like(parts), [])
    }
  }

  /// Whether the UTF-8 text stands in the relation to the needle.
  ///
  /// - Complexity: O(haystack) for ASCII, without an allocation.
  package func matches(_ haystack: UnsafeBufferPointer<UInt8>) -> Bool {
    switch test {
    case .never: return false
    case .pattern(let pattern): return Self.matches(pattern, String(decoding: haystack, as: UTF8.self))
    case .ordered(let relation, let locale):
      return ordered(relation, locale, haystack)
    case .bytes, .like: break
    }
    if folding.isIdentity { return folded(haystack) }
    guard TextSearch.isASCII(haystack) else {
      return folding.folded(haystack).withUnsafeBufferPointer { folded($0) }
    }
    guard folding.ignoresCase else { return folded(haystack) }
    return ascii(haystack)
  }

  /// Whether the text stands in the relation to the needle.
  package func matches(_ haystack: String) -> Bool {
    if case .pattern(let pattern) = test { return Self.matches(pattern, haystack) }
    var haystack = haystack
    return haystack.withUTF8 { matches($0) }
  }

  private func folded(_ haystack: UnsafeBufferPointer<UInt8>) -> Bool {
    if case .like(let parts) = test { return LikePattern.matches(parts, haystack) }
    guard case .bytes(let relation) = test else { return false }
    return bytes.withUnsafeBufferPointer { needle in
      switch relation {
      case .equal: TextSearch.equal(haystack, needle)
      case .notEqual: !TextSearch.equal(haystack, needle)
      case .beginsWith: !needle.isEmpty && TextSearch.hasPrefix(haystack, needle)
      case .endsWith: !needle.isEmpty && TextSearch.hasSuffix(haystack, needle)
      case .contains: !needle.isEmpty && TextSearch.contains(haystack, needle)
      case .in: !haystack.isEmpty && TextSearch.contains(needle, haystack)
      default: false
      }
    }
  }

  /// The same for ASCII text whose case does not matter, folded on the way.
  private func ascii(_ haystack: UnsafeBufferPointer<UInt8>) -> Bool {
    guard case .bytes(let relation) = test, relation != .in else {
      return folding.folded(haystack).withUnsafeBufferPointer { folded($0) }
    }
    return bytes.withUnsafeBufferPointer { needle in
      let spare = haystack.count - needle.count
      switch relation {
      case .equal: return spare == 0 && TextSearch.startsASCII(haystack, 0, needle)
      case .notEqual: return !(spare == 0 && TextSearch.startsASCII(haystack, 0, needle))
      case .beginsWith:
        return !needle.isEmpty && spare >= 0 && TextSearch.startsASCII(haystack, 0, needle)
      case .endsWith:
        return !needle.isEmpty && spare >= 0 && TextSearch.startsASCII(haystack, spare, needle)
      default: return !needle.isEmpty && TextSearch.containsASCII(haystack, needle)
      }
    }
  }

  private func ordered(
    _ relation: Relation, _ locale: Locale?, _ haystack: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    let order: Int
    if let locale {
      var options: String.CompareOptions = []
      if folding.ignoresCase { options.insert(.caseInsensitive) }
      if folding.ignoresDiacritics { options.insert(.diacriticInsensitive) }
      let left = String(decoding: haystack, as: UTF8.self)
      order = left.compare(text, options: options, locale: locale).rawValue
    } else if folding.isIdentity {
      order = bytes.withUnsafeBufferPointer { TextSearch.compare(haystack, $0) }
    } else {
      order = folding.folded(haystack).withUnsafeBufferPointer { left in
        bytes.withUnsafeBufferPointer { TextSearch.compare(left, $0) }
      }
    }
    switch relation {
    case .lessThan: return order < 0
    case .lessThanOrEqual: return order <= 0
    case .greaterThan: return order > 0
    default: return order >= 0
    }
  }

  private static func matches(_ pattern: NSRegularExpression, _ text: String) -> Bool {
    let range = NSRange(location: 0, length: text.utf16.count)
    return pattern.firstMatch(in: text, options: .anchored, range: range) != nil
  }
}
