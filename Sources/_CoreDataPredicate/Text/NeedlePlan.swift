// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The prepared state of a `TextNeedle`.
///
/// The needle's bytes are in a buffer instead of an array, so that a comparison does not retain anything.
final class NeedlePlan: @unchecked Sendable {
  // Unchecked: immutable after `init`; the bytes are freed with the object.
  private enum Test {
    case never, bytes, pattern, order, locale
  }
  let text: String
  let isInvalid: Bool
  private let test: Test
  private let relation: Relation
  private let folding: TextFolding
  private let needle: UnsafeBufferPointer<UInt8>
  private let parts: [LikePattern.Part]
  private let pattern: NSRegularExpression?
  private let scan: ByteScan

  init(_ text: String, _ relation: Relation, _ options: TextOptions) {
    let folding = TextFolding(options)
    var needle: [UInt8] = []
    var parts: [LikePattern.Part] = []
    var searched = relation
    var pattern: NSRegularExpression?
    switch relation {
    case .equal, .notEqual, .contains, .beginsWith, .endsWith, .in:
      test = folding.isLocaleSensitive ? .locale : .bytes
      needle = folding.folded(text)
    case .like:
      (searched, needle, parts) = Self.like(LikePattern(text, folding: folding))
      test = .bytes
    case .matches:
      pattern = PatternCache.pattern(text, folding)
      test = pattern == nil ? .never : .pattern
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      test = folding.isLocaleSensitive ? .locale : .order
      needle = folding.folded(text)
    case .between, .customSelector: test = .never
    }
    self.text = text
    self.relation = searched
    self.folding = folding
    self.parts = parts
    self.pattern = pattern
    isInvalid = relation == .matches && pattern == nil
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: needle.count)
    _ = copy.initialize(from: needle)
    self.needle = UnsafeBufferPointer(copy)
    scan = ByteScan(self.needle, ignoresCase: folding.ignoresCase)
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

  func matches(_ haystack: String) throws -> Bool {
    switch test {
    case .pattern: return try matchesPattern(haystack)
    case .locale: return matchesLocale(haystack)
    case .never: return false
    case .bytes, .order: break
    }
    let fast = try haystack.utf8.withContiguousStorageIfAvailable { try matches($0) }
    if let fast { return fast }
    var haystack = haystack
    return try haystack.withUTF8 { try matches($0) }
  }

  func matches(_ haystack: UnsafeBufferPointer<UInt8>) throws -> Bool {
    switch test {
    case .never: return false
    case .pattern: return try matchesPattern(String(decoding: haystack, as: UTF8.self))
    case .locale: return matchesLocale(String(decoding: haystack, as: UTF8.self))
    case .order: return isOrdered(haystack)
    case .bytes: break
    }
    if relation == .contains { return contains(haystack) }
    if folding.isIdentity { return matchesFolded(haystack) }
    if TextSearch.isASCII(haystack), let answer = matchesASCII(haystack) { return answer }
    return folding.withFolded(haystack) { matchesFolded($0) }
  }

  /// Compares ASCII text with the needle without folding the text first; folding ASCII does not change its
  /// length.
  ///
  /// If case is ignored, returns nil for all relations other than `==`, `!=`, `BEGINSWITH` and `ENDSWITH`.
  private func matchesASCII(_ haystack: UnsafeBufferPointer<UInt8>) -> Bool? {
    if !folding.ignoresCase { return matchesFolded(haystack) }
    let spare = haystack.count - needle.count
    switch relation {
    case .equal: return spare == 0 && TextSearch.startsASCII(haystack, 0, needle)
    case .notEqual: return !(spare == 0 && TextSearch.startsASCII(haystack, 0, needle))
    case .beginsWith:
      return !needle.isEmpty && spare >= 0 && TextSearch.startsASCII(haystack, 0, needle)
    case .endsWith:
      return !needle.isEmpty && spare >= 0 && TextSearch.startsASCII(haystack, spare, needle)
    default: return nil
    }
  }

  /// Searches the text for the needle.
  ///
  /// `CONTAINS` is common, so the text is folded only if a scan of the unfolded text cannot decide.
  private func contains(_ haystack: UnsafeBufferPointer<UInt8>) -> Bool {
    guard !needle.isEmpty else { return false }
    if folding.isIdentity { return TextSearch.contains(haystack, needle) }
    switch scan.find(in: haystack, needle) {
    case .found: return true
    // The match is certain only if diacritics are ignored and the needle is ASCII, because otherwise a
    // combining mark after the match could change the last letter of the match.
    case .foundAmongNonASCII where folding.ignoresDiacritics && scan.isNeedleASCII: return true
    case .absent: return false
    case .foundAmongNonASCII, .absentBesideOthers:
      return folding.withFolded(haystack) { TextSearch.contains($0, needle) }
    }
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

  private func isOrdered(_ haystack: UnsafeBufferPointer<UInt8>) -> Bool {
    let order =
      folding.isIdentity
      ? TextSearch.compare(haystack, needle)
      : folding.withFolded(haystack) { TextSearch.compare($0, needle) }
    return isOrdered(order)
  }

  private func isOrdered(_ order: Int) -> Bool {
    switch relation {
    case .lessThan: order < 0
    case .lessThanOrEqual: order <= 0
    case .greaterThan: order > 0
    default: order >= 0
    }
  }

  private func matchesLocale(_ haystack: String) -> Bool {
    switch relation {
    case .equal: folding.localizedOrder(haystack, text) == 0
    case .notEqual: folding.localizedOrder(haystack, text) != 0
    case .contains: occurs(text, in: haystack, [])
    case .in: occurs(haystack, in: text, [])
    case .beginsWith: occurs(text, in: haystack, .anchored)
    case .endsWith: occurs(text, in: haystack, [.anchored, .backwards])
    default: isOrdered(folding.localizedOrder(haystack, text))
    }
  }

  private func occurs(_ part: String, in text: String, _ place: String.CompareOptions) -> Bool {
    let options = folding.compareOptions.union(place)
    return !part.isEmpty && text.range(of: part, options: options, locale: .current) != nil
  }

  private func matchesPattern(_ text: String) throws -> Bool {
    guard let pattern else { return false }
    let subject = PatternCache.plain(text, folding)
    switch PatternSearch(subject).run(pattern) {
    case .match: return true
    case .none: return false
    case .tooManySteps:
      throw EvaluationError(
        .invalidArgument,
        "Can't do regex matching, reason: the pattern \(self.text) needs too many steps for a text of "
          + "\(Self.characters(subject)). A repetition inside a repetition, such as (a+)+, is the usual "
          + "cause: write a+"
      )
    case .engineFailed:
      throw EvaluationError(
        .invalidArgument,
        "Can't do regex matching, reason: the pattern \(self.text) probably needs too much memory for a "
          + "text of \(Self.characters(subject)). A repetition of alternatives, such as (a|b)*, is the usual "
          + "cause: write [ab]*"
      )
    }
  }

  private static func characters(_ text: String) -> String {
    text.count == 1 ? "1 character" : "\(text.count) characters"
  }
}
