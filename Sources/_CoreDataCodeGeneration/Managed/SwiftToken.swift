// SPDX-License-Identifier: Apache-2.0

/// A token of Swift source text.
package struct SwiftToken {
  package enum Kind: UInt8 {
    /// A name or keyword; backticks are not part of the text.
    case identifier
    /// One character of an operator or other punctuation, or `->`.
    case punctuation
    /// A number, a string or a regular expression.
    case literal
    /// `#if`, `#elseif`, `#else` or `#endif`; the text of the first two includes the condition.
    case condition
    case end
  }

  package let kind: Kind
  /// The first byte of the text.
  package let first: UInt8
  /// Whether the identifier is in backticks, so that it is not a keyword.
  package let isQuoted: Bool
  package let start: Int
  package let end: Int
  /// The line number, from 1.
  package let line: Int
}

/// The bytes of a source file and its tokens.
package struct SwiftTokens {
  package let bytes: [UInt8]
  package let tokens: [SwiftToken]
  /// The tokens of each interpolation `(…)` in a string; a nested interpolation has a separate list.
  package var interpolations: [[SwiftToken]] = []
  /// The line on which the first unterminated string or comment begins; nil if all are terminated.
  package let unfinishedLine: Int?

  package func text(_ token: SwiftToken) -> String {
    String(decoding: bytes[token.start..<token.end], as: UTF8.self)
  }

  package init(bytes: [UInt8], tokens: [SwiftToken], unfinishedLine: Int?) {
    self.bytes = bytes
    self.tokens = tokens
    self.unfinishedLine = unfinishedLine
  }
}
