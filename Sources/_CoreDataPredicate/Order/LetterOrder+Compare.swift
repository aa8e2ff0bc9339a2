// SPDX-License-Identifier: Apache-2.0

extension LetterOrder {
  enum Rule {
    /// The rule of `localizedCompare:`.
    case all
    /// The rule of `localizedCaseInsensitiveCompare:`.
    case caseInsensitive
    /// The rule of `localizedStandardCompare:`, which also compares runs of digits as numbers.
    case numeric
  }

  /// Compares two UTF-8 texts; returns a negative number, zero or a positive number, or nil if only
  /// Foundation can compare them.
  ///
  /// - Complexity: O(bytes), without an allocation.
  func order(
    _ left: UnsafeBufferPointer<UInt8>,
    _ right: UnsafeBufferPointer<UInt8>,
    _ rule: Rule
  ) -> Int? {
    letters.withUnsafeBufferPointer { order(left, right, rule, in: $0) }
  }

  private func order(
    _ left: UnsafeBufferPointer<UInt8>,
    _ right: UnsafeBufferPointer<UInt8>,
    _ rule: Rule,
    in letters: UnsafeBufferPointer<Letter>
  ) -> Int? {
    var (at, other) = (0, 0)
    var (secondary, tertiary) = (0, 0)
    while at < left.count, other < right.count {
      if rule == .numeric, Self.isDigit(left[at]), Self.isDigit(right[other]) {
        guard let order = Self.digits(left, from: &at, and: right, from: &other) else { return nil }
        if order == 0 { continue }
        return hasCollationKey(left, at, letters) && hasCollationKey(right, other, letters)
          ? order : nil
      }
      let a = next(left, &at, letters)
      let b = next(right, &other, letters)
      if a.primary == 0 || b.primary == 0 { return nil }
      if a.primary != b.primary {
        // A character without a rank may be a combining mark, which would change the order of the letter
        // before it.
        guard hasCollationKey(left, at, letters), hasCollationKey(right, other, letters) else {
          return nil
        }
        return Int(a.primary) - Int(b.primary)
      }
      if secondary == 0 { secondary = Int(a.secondary) - Int(b.secondary) }
      if tertiary == 0 { tertiary = Int(a.tertiary) - Int(b.tertiary) }
    }
    guard hasCollationKey(left, at, letters), hasCollationKey(right, other, letters) else {
      return nil
    }
    if at < left.count { return 1 }
    if other < right.count { return -1 }
    if secondary != 0 { return secondary }
    return rule == .caseInsensitive ? 0 : tertiary
  }

  private func hasCollationKey(
    _ text: UnsafeBufferPointer<UInt8>,
    _ index: Int,
    _ letters: UnsafeBufferPointer<Letter>
  ) -> Bool {
    var index = index
    return index == text.count || next(text, &index, letters).primary != 0
  }

  @inline(__always)
  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  /// Compares the runs of digits at two indices, and moves each index to the end of its run; nil if only
  /// Foundation can compare the runs.
  private static func digits(
    _ left: UnsafeBufferPointer<UInt8>,
    from at: inout Int,
    and right: UnsafeBufferPointer<UInt8>,
    from other: inout Int
  ) -> Int? {
    if left[at] == 0x30 || right[other] == 0x30 { return nil }
    let (start, otherStart) = (at, other)
    while at < left.count, isDigit(left[at]) { at += 1 }
    while other < right.count, isDigit(right[other]) { other += 1 }
    let length = at - start
    if length != other - otherStart { return length - (other - otherStart) }
    // Foundation parses each run as a number, which can overflow with more than 9 digits. Only Foundation can
    // reproduce the resulting order.
    if length > 9 { return nil }
    for index in 0..<length where left[start + index] != right[otherStart + index] {
      return Int(left[start + index]) - Int(right[otherStart + index])
    }
    return 0
  }

  /// Appends the sort key of a text and returns true; returns false and appends nothing if the text has no
  /// sort key.
  ///
  /// Comparing the bytes of two keys gives the order of their texts. A text has no key if it contains a
  /// character without a rank, or a digit where `rule` is `.numeric`.
  func appendKey(
    _ text: UnsafeBufferPointer<UInt8>,
    _ rule: Rule,
    to key: inout [UInt8]
  ) -> Bool {
    letters.withUnsafeBufferPointer { letters in
      let start = key.count
      var (lastAccent, lastCapital) = (0, 0)
      var index = 0
      var count = 0
      while index < text.count {
        if rule == .numeric, Self.isDigit(text[index]) { break }
        let letter = next(text, &index, letters)
        if letter.primary == 0 { break }
        key.append(letter.primary)
        count += 1
        if letter.secondary != 0 { lastAccent = count }
        if letter.tertiary != 0, rule != .caseInsensitive { lastCapital = count }
        if index == text.count {
          appendLevels(text, lastAccent: lastAccent, lastCapital: lastCapital, letters, to: &key)
          return true
        }
      }
      key.removeLast(key.count - start)
      return text.isEmpty
    }
  }

  /// Appends the accent level and the case level of a sort key.
  ///
  /// The accent level ends at the last accented letter, and the case level at the last upper-case letter. The
  /// byte 1, which is less than every rank, comes before each level.
  private func appendLevels(
    _ text: UnsafeBufferPointer<UInt8>,
    lastAccent: Int,
    lastCapital: Int,
    _ letters: UnsafeBufferPointer<Letter>,
    to key: inout [UInt8]
  ) {
    if lastAccent > 0 || lastCapital > 0 { key.append(1) }
    var index = 0
    for _ in 0..<lastAccent { key.append(next(text, &index, letters).secondary + 2) }
    if lastCapital == 0 { return }
    key.append(1)
    index = 0
    for _ in 0..<lastCapital { key.append(next(text, &index, letters).tertiary + 2) }
  }
}
