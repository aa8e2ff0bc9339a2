// SPDX-License-Identifier: Apache-2.0

/// A piece of SQL as a value: texts and bound values in their order; rendering is the last step.
///
/// Written as a string literal; `\(piece)` puts a piece in, `\(bind: value)` a bound value,
/// `\(name: text)` an identifier that needs no quotes, as the names of a `Layout` are.
package struct SQL: Hashable, Sendable, ExpressibleByStringInterpolation {
  package enum Segment: Hashable, Sendable {
    case text(String)
    case value(Binding)
  }
  package private(set) var segments: [Segment]

  package init(_ segments: [Segment]) { self.segments = segments }
  package init(stringLiteral text: String) { segments = [.text(text)] }
  package init(stringInterpolation: StringInterpolation) {
    segments = stringInterpolation.segments
  }

  package struct StringInterpolation: StringInterpolationProtocol {
    var segments: [Segment] = []
    package init(literalCapacity: Int, interpolationCount: Int) {
      segments.reserveCapacity(interpolationCount * 2 + 1)
    }
    package mutating func appendLiteral(_ text: String) {
      if !text.isEmpty { segments.append(.text(text)) }
    }
    package mutating func appendInterpolation(_ piece: SQL) {
      segments.append(contentsOf: piece.segments)
    }
    package mutating func appendInterpolation(bind value: Binding) {
      segments.append(.value(value))
    }
    package mutating func appendInterpolation(name: String) { segments.append(.text(name)) }
  }

  package mutating func append(_ piece: SQL) { segments.append(contentsOf: piece.segments) }

  /// Text and values for an engine.
  package var statement: Statement {
    var text = ""
    var bindings: [Binding] = []
    for segment in segments {
      switch segment {
      case .text(let piece): text += piece
      case .value(let value):
        text += "?"
        bindings.append(value)
      }
    }
    return Statement(text: text, bindings: bindings)
  }
}

extension Sequence<SQL> {
  /// The pieces in a row, with `separator` between them.
  package func joined(separator: String) -> SQL {
    var result = SQL([])
    var isFirst = true
    for piece in self {
      if !isFirst { result.append(SQL([.text(separator)])) }
      result.append(piece)
      isFirst = false
    }
    return result
  }
}
