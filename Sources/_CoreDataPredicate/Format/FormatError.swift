// SPDX-License-Identifier: Apache-2.0

/// The error for a format string that cannot be parsed.
///
/// The error has the reason and the position, which its debug description shows:
///
///     Expected an operator, found CONATINS; did you mean CONTAINS?
///     name CONATINS "a"
///          ^~~~~~~~
package struct FormatError: Error, Sendable {
  /// The kind of failure.
  ///
  /// This is a struct, not an enum, so that kinds can be added without breaking switches.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package static let unexpected = Code(rawValue: "unexpected")
    package static let unexpectedEnd = Code(rawValue: "unexpectedEnd")
    package static let unterminatedText = Code(rawValue: "unterminatedText")
    package static let malformedNumber = Code(rawValue: "malformedNumber")
    package static let malformedText = Code(rawValue: "malformedText")
    package static let unknownFunction = Code(rawValue: "unknownFunction")
    package static let missingArgument = Code(rawValue: "missingArgument")
    package static let wrongArgument = Code(rawValue: "wrongArgument")
    package static let tooDeep = Code(rawValue: "tooDeep")
  }
  package let code: Code
  package let format: String
  /// The range of the offending part, in bytes of the format's UTF-8; empty if the error is at the end of the
  /// format.
  package let range: Range<Int>
  /// The alternatives that the parser expected, or the limit that was exceeded, as phrases of the error text.
  package let expected: [String]
  /// The probable correction, such as the known word that is most similar to the offending word; nil if no
  /// correction is known.
  package let suggestion: String?

  package init(
    _ code: Code,
    in format: String,
    at range: Range<Int>,
    expected: [String] = [],
    suggestion: String? = nil
  ) {
    self.code = code
    self.format = format
    self.range = range
    self.expected = expected
    self.suggestion = suggestion
  }

  /// The offset of the offending part, in bytes of the format's UTF-8.
  package var position: Int { range.lowerBound }
  /// The text of the offending part.
  package var found: String { String(decoding: Array(format.utf8)[range], as: UTF8.self) }
}

extension FormatError: CustomStringConvertible, CustomDebugStringConvertible {
  /// The error on one line, without the text of the format, because the format can contain user data.
  package var description: String { "\(sentence) at byte \(position) of the format" }

  /// The error, the line of the format that has the offending part, and a caret below that part.
  package var debugDescription: String {
    let bytes = Array(format.utf8)
    let start = bytes[..<range.lowerBound].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let end = bytes[range.lowerBound...].firstIndex(of: 0x0A) ?? bytes.count
    let indent = String(decoding: bytes[start..<range.lowerBound], as: UTF8.self).count
    let last = max(range.lowerBound, min(range.upperBound, end))
    let width = String(decoding: bytes[range.lowerBound..<last], as: UTF8.self).count
    let line = String(decoding: bytes[start..<end], as: UTF8.self)
    let caret = String(repeating: " ", count: indent) + "^"
    let tail = String(repeating: "~", count: max(0, width - 1))
    let hint = suggestion.map { "; did you mean \($0)?" } ?? ""
    return "\(sentence)\(shownPart)\(hint)\n\(line)\n\(caret)\(tail)"
  }

  private var shownPart: String {
    switch code {
    case .tooDeep, .missingArgument, .wrongArgument, .unterminatedText: ""
    case .unknownFunction: expected.isEmpty ? " \(found)" : ""
    default: found.isEmpty ? "" : ", found \(found)"
    }
  }

  private var sentence: String {
    switch code {
    case .unterminatedText: "A quoted string is not terminated"
    case .malformedNumber:
      expected.isEmpty
        ? "Malformed number: a letter or a point follows the digits"
        : "The number must have \(choices)"
    case .malformedText: "Malformed escape sequence: expected \(choices)"
    case .unknownFunction:
      expected.isEmpty ? "Unknown function" : "This function takes \(choices)"
    case .missingArgument: "This placeholder needs \(choices)"
    case .wrongArgument: "This placeholder needs \(choices)"
    case .tooDeep: "More than \(choices)"
    default: expected.isEmpty ? "Unexpected character" : "Expected \(choices)"
    }
  }

  private var choices: String {
    guard expected.count > 1, let last = expected.last else { return expected.first ?? "" }
    return expected.dropLast().joined(separator: ", ") + " or " + last
  }
}
