// SPDX-License-Identifier: Apache-2.0

/// A piece of SQL: its texts and bound values in order, and its traits.
///
/// A piece is usually written as a string literal, with these interpolations:
/// - `\(piece)`: another piece;
/// - `\(bind: value)`: a bound value;
/// - `\(name: text)`: an identifier that needs no quotes, such as the names of a `Layout`;
/// - `\(column: name, of: table)`: a column;
/// - `\(function: name)`: the name of a function that only this library's connections have.
///
/// Rendering (`statement`) is the last step.
package struct SQL: Hashable, Sendable, ExpressibleByStringInterpolation {
  package enum Segment: Hashable, Sendable {
    case text(String)
    /// The name of a table in front of a column, rendered with a dot; a `CREATE INDEX` leaves out the name.
    case qualifier(String)
    case value(Binding)
  }

  /// Properties of a piece that its creator knows, so that code that uses the piece need not parse the text.
  package struct Traits: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The piece calls functions that other programs' connections do not have.
    package static let callsOwnFunctions = Traits(rawValue: 1)
    /// The piece contains a subselect.
    package static let hasSubselect = Traits(rawValue: 2)
    /// The piece is one column and nothing else; an index can serve comparisons with such a piece.
    package static let isColumn = Traits(rawValue: 4)
    /// The piece is the primary key column of a table.
    package static let isPrimaryKey = Traits(rawValue: 8)
    /// The statement passes its rows to an aggregate instead of returning them (`RowCollection`).
    package static let collectsRows = Traits(rawValue: 16)
    /// Equal values are one parameter, so that the engine recognises equal expressions.
    package static let sharesValues = Traits(rawValue: 32)
    /// The traits that a piece passes on to the piece into which it is inserted.
    static let inherited: Traits = [.callsOwnFunctions, .hasSubselect]
  }

  package private(set) var segments: [Segment]
  package private(set) var traits: Traits = []

  package init(_ segments: [Segment]) { self.segments = segments }
  package init(stringLiteral text: String) { segments = [.text(text)] }
  package init(stringInterpolation: StringInterpolation) {
    segments = stringInterpolation.segments
    traits = stringInterpolation.traits
  }

  /// Creates a piece that consists of one parameter, to which `value` is bound.
  package init(bind value: Binding) { segments = [.value(value)] }

  static func column(_ name: String, of table: String) -> SQL {
    SQL([.qualifier(table), .text(name)]).with(.isColumn)
  }

  /// Returns the right side of an IN: a subselect of the elements of a JSON array, which is bound as one
  /// value.
  static func elements(ofJSON array: String) -> SQL {
    let piece: SQL = "(SELECT value FROM json_each(\(bind: .text(array))))"
    return piece.with(.hasSubselect)
  }

  package struct StringInterpolation: StringInterpolationProtocol {
    var segments: [Segment] = []
    var traits: Traits = []
    package init(literalCapacity: Int, interpolationCount: Int) {
      segments.reserveCapacity(interpolationCount * 2 + 1)
    }
    package mutating func appendLiteral(_ text: String) {
      if !text.isEmpty { segments.append(.text(text)) }
    }
    package mutating func appendInterpolation(_ piece: SQL) {
      segments.append(contentsOf: piece.segments)
      traits.formUnion(piece.traits.intersection(.inherited))
    }
    package mutating func appendInterpolation(bind value: Binding) {
      segments.append(.value(value))
    }
    package mutating func appendInterpolation(name: String) { segments.append(.text(name)) }
    package mutating func appendInterpolation(column name: String, of table: String) {
      segments.append(.qualifier(table))
      segments.append(.text(name))
    }
    package mutating func appendInterpolation(function name: String) {
      segments.append(.text(name))
      traits.insert(.callsOwnFunctions)
    }
  }

  package mutating func append(_ piece: SQL) {
    segments.append(contentsOf: piece.segments)
    traits = traits.union(piece.traits).intersection(.inherited)
  }

  /// Returns the piece with additional traits.
  package func with(_ more: Traits) -> SQL {
    var piece = self
    piece.traits.formUnion(more)
    return piece
  }

  /// A copy whose text is in one segment; a piece with bound values is returned unchanged.
  var flattened: SQL {
    let rendered = statement
    return rendered.bindings.isEmpty ? SQL([.text(rendered.text)]).with(traits) : self
  }

  /// The rendered statement: its text, and its bound values in the order of the parameters.
  package var statement: Statement {
    var text = ""
    var bindings: [Binding] = []
    for segment in segments {
      switch segment {
      case .text(let piece): text += piece
      case .qualifier(let table):
        text += table
        text += "."
      case .value(let value):
        text += "?"
        bindings.append(value)
      }
    }
    return Statement(text: text, bindings: bindings, traits: traits)
  }
}

extension Sequence<SQL> {
  /// Returns one piece that contains all pieces in order, with `separator` between them.
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
