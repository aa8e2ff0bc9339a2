// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a `TextNeedle` looks for.
///
/// The bytes are kept outside an array, so that a comparison counts no references.
final class NeedlePlan: @unchecked Sendable {
  // Unchecked: everything is set once; the bytes are freed with the object.
  private enum Test {
    case never, bytes, like, pattern, order
  }
  let text: String
  let isInvalid: Bool
  private let test: Test
  private let relation: Relation
  private let folding: TextFolding
  private let needle: UnsafeBufferPointer<UInt8>
  private let parts: [LikePattern.Part]
  private let pattern: NSRegularExpression?
  private let locale: Locale?

  init(_ text: String, _ relation: Relation, _ options: TextOptions) {
    let folding = TextFolding(options)
    var needle: [UInt8] = []
    var parts: [LikePattern.Part] = []
    var searched = relation
    var pattern: NSRegularExpression?
    switch relation {
    case .equal, .notEqual, .contains, .beginsWith, .endsWith, .in:
      test = .bytes
      needle = folding.folded(text)
    case .like:
      (searched, needle, parts) = Self.like(LikePattern(text, folding: folding))
      test = searched == .like ? .like : .bytes
    case .matches:
      pattern = PatternCache.pattern(text, folding)
      test = pattern == nil ? .never : .pattern
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      test = .order
      needle = folding.folded(text)
    case .between, .customSelector: test = .never
    }
    self.text = text
    self.relation = searched
    self.folding = folding
    self.parts = parts
    self.pattern = pattern
    isInvalid = relation == .matches && pattern == nil
    locale = options.contains(.localeSensitive) ? .current : nil
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: needle.count)
    _ = copy.initialize(from: needle)
    self.needle = UnsafeBufferPointer(copy)
  }

  deinit { needle.deallocate() }

  private static func like(_ pattern: LikePattern) -> (Relation, [UInt8], [LikePattern.Part]) {
    switch pattern.shape {
    case .equal(let bytes): (.equal, bytes, [])
    case .prefix(let bytes): (.beginsWith, bytes, [])
    case .suffix(let bytes): (.endsWith, bytes, [])
    case .middle(let bytes): (.contains, bytes, [])
    case .general(let parts): (.like, [], parts)
    }
  }

  func matches(_ haystack: String) -> Bool {
    if test == .pattern { return matchesPattern(haystack) }
    var haystack = haystack
    return haystack.withUTF8 { matches($0) }
  }

  func matches(_ haystack: UnsafeBufferPointer<UInt8>) -> Bool {
    switch test {
    case .never: return false
    case .pattern: return matchesPattern(String(decoding: haystack, as: UTF8.self))
    case .order: return isOrdered(haystack)
    case .bytes, .like: break
    }
    if folding.isIdentity { return matchesFolded(haystack) }
    guard TextSearch.isASCII(haystack) else {
      return folding.folded(haystack).withUnsafeBufferPointer { matchesFolded($0) }
    }
    guard folding.ignoresCase else { return matchesFolded(haystack) }
    return matchesASCII(haystack)
  }

  private func matchesFolded(_ haystack: UnsafeBufferPointer<UInt8>) -> Bool {
    switch relation {
    case .equal: TextSearch.equal(haystack, needle)
    case .notEqual: !TextSearch.equal(haystack, needle)
    case .beginsWith: !needle.isEmpty && TextSearch.hasPrefix(haystack, needle)
    case .endsWith: !needle.isEmpty && TextSearch.hasSuffix(haystack, needle)
    case .contains: !needle.isEmpty && TextSearch.contains(haystack, needle)
    case .in: !haystack.isEmpty && TextSearch.contains(needle, haystack)
    case .like: LikePattern.matches(parts, haystack)
    default: false
    }
  }

  /// The same for ASCII text whose case does not matter, folded on the way.
  private func matchesASCII(_ haystack: UnsafeBufferPointer<UInt8>) -> Bool {
    let spare = haystack.count - needle.count
    switch relation {
    case .equal: return spare == 0 && TextSearch.startsASCII(haystack, 0, needle)
    case .notEqual: return !(spare == 0 && TextSearch.startsASCII(haystack, 0, needle))
    case .beginsWith:
      return !needle.isEmpty && spare >= 0 && TextSearch.startsASCII(haystack, 0, needle)
    case .endsWith:
      return !needle.isEmpty && spare >= 0 && TextSearch.startsASCII(haystack, spare, needle)
    case .contains: return !needle.isEmpty && TextSearch.containsASCII(haystack, needle)
    default: return folding.folded(haystack).withUnsafeBufferPointer { matchesFolded($0) }
    }
  }

  private func isOrdered(_ haystack: UnsafeBufferPointer<UInt8>) -> Bool {
    let order: Int
    if let locale {
      var options: String.CompareOptions = []
      if folding.ignoresCase { options.insert(.caseInsensitive) }
      if folding.ignoresDiacritics { options.insert(.diacriticInsensitive) }
      let left = String(decoding: haystack, as: UTF8.self)
      order = left.compare(text, options: options, locale: locale).rawValue
    } else if folding.isIdentity {
      order = TextSearch.compare(haystack, needle)
    } else {
      order = folding.folded(haystack).withUnsafeBufferPointer { TextSearch.compare($0, needle) }
    }
    switch relation {
    case .lessThan: return order < 0
    case .lessThanOrEqual: return order <= 0
    case .greaterThan: return order > 0
    default: return order >= 0
    }
  }

  private func matchesPattern(_ text: String) -> Bool {
    let range = NSRange(location: 0, length: text.utf16.count)
    return pattern?.firstMatch(in: text, options: .anchored, range: range) != nil
  }
}
