// SPDX-License-Identifier: Apache-2.0

/// Divides Swift source text into tokens; omits comments, and returns the tokens of interpolations
/// separately.
///
/// The lexer reads the bytes through a pointer, because it runs on every source with `@NSManaged` in debug
/// builds, in which array subscripts are slow.
///
/// Source: documented, The Swift Programming Language, “Lexical Structure”.
package struct SwiftLexer {
  // Unsafe: the pointer is valid only while `tokens(of:)` runs. The lexer does not outlive this call.
  private let bytes: UnsafePointer<UInt8>
  private let count: Int
  private var position = 0
  private var line = 1
  private var tokens: [SwiftToken] = []
  private var interpolations: [[SwiftToken]] = []
  private var unfinishedLine: Int?

  /// Returns the tokens of a source file, the last of which has the kind `end`.
  package static func tokens(of bytes: [UInt8]) -> SwiftTokens {
    // The terminating zeros let the lexer look ahead without leaving the buffer.
    let padded = bytes + [0, 0, 0]
    return padded.withUnsafeBufferPointer { buffer in
      // The address is never nil, because the buffer is not empty.
      guard let start = buffer.baseAddress else {
        return SwiftTokens(bytes: bytes, tokens: [], unfinishedLine: nil)
      }
      var lexer = SwiftLexer(bytes: start, count: bytes.count)
      lexer.run()
      var result = SwiftTokens(
        bytes: bytes,
        tokens: lexer.tokens,
        unfinishedLine: lexer.unfinishedLine
      )
      result.interpolations = lexer.interpolations
      return result
    }
  }

  private init(bytes: UnsafePointer<UInt8>, count: Int) {
    self.bytes = bytes
    self.count = count
  }

  private mutating func run() {
    tokens.reserveCapacity(count / 6)
    skipStart()
    while position < count { next() }
    append(.end, from: count)
  }

  /// Skips a byte-order mark, and the line `#!…` of a script.
  private mutating func skipStart() {
    if count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { position = 3 }
    guard bytes[position] == Byte.hash, bytes[position + 1] == Byte.exclamation else { return }
    while position < count, bytes[position] != Byte.newline { position += 1 }
  }

  private mutating func append(_ kind: SwiftToken.Kind, from start: Int, quoted: Bool = false) {
    tokens.append(
      SwiftToken(
        kind: kind,
        first: start < position ? bytes[start] : 0,
        isQuoted: quoted,
        start: start,
        end: position,
        line: line
      )
    )
  }

  private mutating func next() {
    let byte = bytes[position]
    switch byte {
    case Byte.newline:
      line += 1
      position += 1
    case Byte.space, Byte.tab, Byte.carriageReturn, 0: position += 1
    case Byte.slash: slash()
    case Byte.quote: string(hashes: 0)
    case Byte.hash: hash()
    case Byte.backtick: quotedIdentifier()
    case Byte.zero...Byte.nine: number()
    default:
      if Byte.isIdentifier(byte) {
        identifier()
      } else {
        let start = position
        let isArrow = byte == Byte.minus && bytes[position + 1] == Byte.greater
        position += isArrow ? 2 : 1
        append(.punctuation, from: start)
      }
    }
  }

  private mutating func identifier() {
    let start = position
    while Byte.isIdentifier(bytes[position]) || Byte.isDigit(bytes[position]) { position += 1 }
    append(.identifier, from: start)
  }

  private mutating func quotedIdentifier() {
    position += 1
    let start = position
    while position < count, bytes[position] != Byte.backtick, bytes[position] != Byte.newline {
      position += 1
    }
    append(.identifier, from: start, quoted: true)
    if bytes[position] == Byte.backtick { position += 1 }
  }

  private mutating func number() {
    let start = position
    while Byte.isIdentifier(bytes[position]) || Byte.isDigit(bytes[position]) { position += 1 }
    append(.literal, from: start)
  }

  // MARK: Comments and regular expressions

  private mutating func slash() {
    switch bytes[position + 1] {
    case Byte.slash:
      while position < count, bytes[position] != Byte.newline { position += 1 }
    case Byte.star: blockComment()
    default:
      if !regularExpression() {
        position += 1
        append(.punctuation, from: position - 1)
      }
    }
  }

  private mutating func blockComment() {
    let first = line
    var depth = 0
    repeat {
      if position >= count {
        unfinishedLine = unfinishedLine ?? first
        return
      }
      if bytes[position] == Byte.slash, bytes[position + 1] == Byte.star {
        depth += 1
        position += 2
      } else if bytes[position] == Byte.star, bytes[position + 1] == Byte.slash {
        depth -= 1
        position += 2
      } else {
        if bytes[position] == Byte.newline { line += 1 }
        position += 1
      }
    } while depth > 0
  }

  /// Reads a regular-expression literal `/…/` on one line; returns false if the slash at the position is an
  /// operator.
  private mutating func regularExpression() -> Bool {
    let following = bytes[position + 1]
    if following == Byte.space || following == Byte.tab || following == Byte.newline {
      return false
    }
    if let last = tokens.last {
      switch last.kind {
      case .literal: return false
      case .identifier: return false
      case .punctuation:
        let openers: [UInt8] = Array("(,=:[{!&|?;<>~+-*%^".utf8)
        if !openers.contains(last.first) { return false }
      case .condition, .end: break
      }
    }
    var end = position + 1
    while end < count, bytes[end] != Byte.newline {
      if bytes[end] == Byte.backslash {
        end += 2
        continue
      }
      if bytes[end] == Byte.slash {
        let start = position
        position = end + 1
        append(.literal, from: start)
        return true
      }
      end += 1
    }
    return false
  }

  // MARK: Strings

  /// Reads a string literal whose opening quote is at the position, after `hashes` characters `#`.
  private mutating func string(hashes: Int) {
    let start = position - hashes
    let first = line
    let isMultiline = bytes[position + 1] == Byte.quote && bytes[position + 2] == Byte.quote
    position += isMultiline ? 3 : 1
    while position < count {
      let byte = bytes[position]
      if byte == Byte.newline {
        if !isMultiline { break }
        line += 1
        position += 1
      } else if byte == Byte.backslash, hasHashes(hashes, at: position + 1) {
        position += 1 + hashes
        if bytes[position] == Byte.open {
          interpolation()
        } else if position < count, bytes[position] != Byte.newline {
          position += 1
        }
      } else if byte == Byte.quote, endsString(isMultiline, hashes) {
        position += (isMultiline ? 3 : 1) + hashes
        append(.literal, from: start)
        return
      } else {
        position += 1
      }
    }
    unfinishedLine = unfinishedLine ?? first
    append(.literal, from: start)
  }

  private func endsString(_ isMultiline: Bool, _ hashes: Int) -> Bool {
    if isMultiline {
      return bytes[position + 1] == Byte.quote && bytes[position + 2] == Byte.quote
        && hasHashes(hashes, at: position + 3)
    }
    return hasHashes(hashes, at: position + 1)
  }

  private func hasHashes(_ hashes: Int, at place: Int) -> Bool {
    (0..<hashes).allSatisfy { place + $0 < count && bytes[place + $0] == Byte.hash }
  }

  /// Reads `(…)` in a string, which can contain other strings.
  private mutating func interpolation() {
    let kept = tokens.count
    var depth = 0
    repeat {
      if position >= count { return }
      let byte = bytes[position]
      if byte == Byte.open { depth += 1 }
      if byte == Byte.close { depth -= 1 }
      next()
    } while depth > 0
    // An empty interpolation has only its two parentheses, to which no rule applies.
    if tokens.count - kept > 2 {
      append(.end, from: position)
      interpolations.append(Array(tokens[kept...]))
    }
    tokens.removeSubrange(kept...)
  }

  // MARK: Conditions

  private mutating func hash() {
    var hashes = 0
    while bytes[position + hashes] == Byte.hash { hashes += 1 }
    if bytes[position + hashes] == Byte.quote {
      position += hashes
      return string(hashes: hashes)
    }
    if bytes[position + hashes] == Byte.slash, extendedRegularExpression(hashes: hashes) { return }
    let start = position
    position += 1
    while Byte.isIdentifier(bytes[position]) { position += 1 }
    switch String(
      decoding: UnsafeBufferPointer(start: bytes + start, count: position - start),
      as: UTF8.self
    ) {
    case "#if", "#elseif": condition(from: start)
    case "#else", "#endif": append(.condition, from: start)
    default: append(.punctuation, from: start)
    }
  }

  /// Reads `#/…/#`, which can span several lines; returns false if it does not end.
  private mutating func extendedRegularExpression(hashes: Int) -> Bool {
    var end = position + hashes + 1
    while end < count {
      if bytes[end] == Byte.backslash {
        end += 1
      } else if bytes[end] == Byte.slash, hasHashes(hashes, at: end + 1) {
        let start = position
        for place in start..<end where bytes[place] == Byte.newline { line += 1 }
        position = end + 1 + hashes
        append(.literal, from: start)
        return true
      }
      end += 1
    }
    return false
  }

  /// Reads the condition of `#if` or `#elseif`, which ends at a comment or at the end of the line.
  private mutating func condition(from start: Int) {
    while position < count, bytes[position] != Byte.newline {
      if bytes[position] == Byte.slash, bytes[position + 1] == Byte.slash { break }
      if bytes[position] == Byte.slash, bytes[position + 1] == Byte.star { break }
      position += 1
    }
    append(.condition, from: start)
  }
}

/// The ASCII codes that the lexer distinguishes.
private enum Byte {
  static let newline: UInt8 = 10, carriageReturn: UInt8 = 13, space: UInt8 = 32, tab: UInt8 = 9
  static let slash: UInt8 = 47, star: UInt8 = 42, quote: UInt8 = 34, hash: UInt8 = 35
  static let backtick: UInt8 = 96, backslash: UInt8 = 92, open: UInt8 = 40, close: UInt8 = 41
  static let exclamation: UInt8 = 33, minus: UInt8 = 45, greater: UInt8 = 62, zero: UInt8 = 48,
    nine: UInt8 = 57

  /// Returns whether the byte can be part of an identifier, as every byte outside ASCII can.
  ///
  /// An operator with a character outside ASCII therefore becomes an identifier token, which does no harm.
  static func isIdentifier(_ byte: UInt8) -> Bool {
    byte >= 97 && byte <= 122 || byte >= 65 && byte <= 90 || byte == 95 || byte >= 128 || byte == 36
  }

  static func isDigit(_ byte: UInt8) -> Bool { byte >= zero && byte <= nine }
}
