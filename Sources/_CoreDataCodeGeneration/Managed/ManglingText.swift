// SPDX-License-Identifier: Apache-2.0

/// A mangled name under construction, with the identifiers, types and words that it abbreviates when they
/// occur again.
struct ManglingText {
  private(set) var bytes = "$s"
  /// The substitution index of each identifier and type, counted in the order of first use.
  private var substitutions: [String: Int] = [:]
  private var count = 0
  private var words: [String] = []
  private var last: LastSubstitution?

  /// The substitution that was appended last; a substitution that directly follows can be merged with it.
  private struct LastSubstitution {
    /// The offset of the letter or, if the substitution is repeated, of the count before the letter.
    let start: Int
    /// The offset of the byte after the letter.
    let end: Int
    let repeats: Int
    let isStandard: Bool
    let letter: String
  }

  mutating func append(_ text: String) { bytes += text }

  // MARK: Substitutions

  mutating func remember(_ key: String) {
    substitutions["type " + key] = count
    count += 1
  }

  /// Appends a type's substitution if the type has occurred before; otherwise returns false.
  mutating func appendSubstitution(of key: String) -> Bool {
    guard let index = substitutions["type " + key] else { return false }
    append(substitution: index)
    return true
  }

  private mutating func append(substitution index: Int) {
    if index >= 26 {
      bytes += "A" + (index == 26 ? "_" : "\(index - 27)_")
      return
    }
    append(letter(index, first: "A"), isStandard: false)
  }

  /// Appends the substitution of a type of the standard library; `letter` is its code, such as `i` for `Int`.
  mutating func append(standard letter: String) { append(letter, isStandard: true) }

  /// Appends a substitution, and merges it with a directly preceding one: `SSSS` becomes `S2S`, and `ABAC`
  /// becomes `AbC`.
  private mutating func append(_ letter: String, isStandard: Bool) {
    let size = bytes.utf8.count
    if let last, last.end == size, last.isStandard == isStandard, last.repeats < 2048 {
      if last.letter == letter {
        bytes = String(bytes.prefix(last.start)) + "\(last.repeats + 1)" + letter
        self.last = LastSubstitution(
          start: last.start,
          end: bytes.utf8.count,
          repeats: last.repeats + 1,
          isStandard: isStandard,
          letter: letter
        )
        return
      }
      if !isStandard {
        bytes = String(bytes.dropLast()) + last.letter.lowercased() + letter
        self.last = LastSubstitution(
          start: size,
          end: bytes.utf8.count,
          repeats: 1,
          isStandard: false,
          letter: letter
        )
        return
      }
    }
    bytes += (isStandard ? "S" : "A") + letter
    last = LastSubstitution(
      start: size + 1,
      end: size + 1 + letter.utf8.count,
      repeats: 1,
      isStandard: isStandard,
      letter: letter
    )
  }

  private func letter(_ index: Int, first: Unicode.Scalar) -> String {
    String(UnicodeScalar(UInt8(first.value) + UInt8(index)))
  }

  // MARK: Identifiers

  mutating func append(identifier: String) {
    if let index = substitutions["name " + identifier] { return append(substitution: index) }
    substitutions["name " + identifier] = count
    count += 1
    if identifier.utf8.contains(where: { $0 >= 128 }) {
      let encoded = Punycode.encode(identifier)
      let separator = encoded.first.map { $0 == "_" || $0.isNumber } == true ? "_" : ""
      bytes += "00\(encoded.utf8.count)\(separator)\(encoded)"
    } else {
      append(words: Array(identifier.utf8))
    }
  }

  /// Appends an identifier, and abbreviates each word in it that has occurred before to one letter.
  private mutating func append(words identifier: [UInt8]) {
    let found = replacements(in: identifier)
    if found.isEmpty {
      bytes += "\(identifier.count)" + Self.string(identifier)
      return
    }
    bytes += "0"
    var position = 0
    for (number, word) in found.enumerated() {
      if position < word.start {
        bytes += "\(word.start - position)" + Self.string(identifier[position..<word.start])
      }
      position = word.start + words[word.index].utf8.count
      let isLast = number == found.count - 1
      bytes += letter(word.index, first: isLast ? "A" : "a")
      if isLast, position == identifier.count { bytes += "0" }
    }
    if position < identifier.count {
      bytes += "\(identifier.count - position)" + Self.string(identifier[position...])
    }
  }

  /// Returns the offset and the index in `words` of each word of the identifier that has occurred before.
  ///
  /// Adds new words to `words`, up to the limit of 26.
  private mutating func replacements(in identifier: [UInt8]) -> [(start: Int, index: Int)] {
    var found: [(start: Int, index: Int)] = []
    var start: Int?
    for position in 0...identifier.count {
      let byte: UInt8 = position < identifier.count ? identifier[position] : 0
      if let first = start, Self.endsWord(byte, after: identifier[position - 1]) {
        let word = Self.string(identifier[first..<position])
        if let index = words.firstIndex(of: word) {
          found.append((first, index))
        } else if word.utf8.count >= 2, words.count < 26 {
          words.append(word)
        }
        start = nil
      }
      if start == nil, byte != 0, byte != 95, !(48...57).contains(byte) { start = position }
    }
    return found
  }

  private static func endsWord(_ byte: UInt8, after previous: UInt8) -> Bool {
    byte == 95 || byte == 0 || (65...90).contains(byte) && !(65...90).contains(previous)
  }

  private static func string(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: Array(bytes), as: UTF8.self)
  }
}

/// Punycode (RFC 3492) in the form that mangled names use.
///
/// Source: documented, “Mangling” of the Swift project: the delimiter is `_`, and the digits are `a` to `z`
/// and `A` to `J`.
package enum Punycode {
  package static func encode(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { Int($0.value) }
    var output = text.unicodeScalars.filter(\.isASCII).map { String($0) }.joined()
    let basic = output.utf8.count
    if basic > 0 { output += "_" }
    var (code, delta, bias, handled) = (128, 0, 72, basic)
    while handled < scalars.count {
      // `min()` is not nil: while `handled` is less than the count, a scalar not less than `code` exists.
      let next = scalars.filter { $0 >= code }.min() ?? code
      delta += (next - code) * (handled + 1)
      code = next
      for scalar in scalars {
        if scalar < code { delta += 1 }
        if scalar == code {
          output += digits(of: delta, bias: bias)
          bias = adapt(delta, points: handled + 1, isFirst: handled == basic)
          delta = 0
          handled += 1
        }
      }
      delta += 1
      code += 1
    }
    return output
  }

  private static func digits(of value: Int, bias: Int) -> String {
    var (rest, output, position) = (value, "", 36)
    while true {
      let threshold = position <= bias ? 1 : position >= bias + 26 ? 26 : position - bias
      if rest < threshold { return output + digit(rest) }
      output += digit(threshold + (rest - threshold) % (36 - threshold))
      rest = (rest - threshold) / (36 - threshold)
      position += 36
    }
  }

  private static func digit(_ value: Int) -> String {
    String(UnicodeScalar(UInt8(value < 26 ? 97 + value : 65 + value - 26)))
  }

  private static func adapt(_ delta: Int, points: Int, isFirst: Bool) -> Int {
    var value = isFirst ? delta / 700 : delta / 2
    value += value / points
    var step = 0
    while value > 455 {
      value /= 35
      step += 36
    }
    return step + 36 * value / (value + 38)
  }
}
