// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// What one engine's SQL says differently from that of other engines.
///
/// The compilers of this module ask the dialect of their `Layout` for every piece that depends on the engine,
/// so that they contain no distinction between engines. A condition that a dialect returns may be NULL instead
/// of false. A dialect throws `Unsayable` for what the engine cannot calculate exactly as in memory; the
/// condition is then evaluated in memory.
package protocol Dialect: Sendable {
  /// The names of the columns that each table of rows has.
  var columns: RowColumns { get }
  /// The condition that is true for every row.
  var always: SQL { get }
  /// The condition that is false for every row.
  var never: SQL { get }

  // MARK: Statements

  /// Returns the rendered statement, with the engine's marks for bound values.
  func statement(_ piece: SQL) -> Statement
  /// Returns the right side of a comparison with keys that are bound later.
  func comparison(with keys: KeyCount) -> SQL
  /// Returns the condition that `key` is one of `numbers`, of which there are many.
  func isOne(_ key: SQL, of numbers: [Int64]) -> SQL
  /// Returns the clause for a limit (0 for none) and an offset, at least one of which is not 0.
  func window(limit: Int, offset: Int) -> SQL
  /// Returns the statement that counts the rows of another statement.
  func count(of select: SQL) -> SQL
  /// Returns the piece as a column of a result, from which the value in memory can be read.
  func column(_ piece: TypedPiece) -> SQL
  /// Returns the columns of a composite attribute as one value.
  func record(_ columns: [SQL], _ kinds: [SlotKind]) -> SQL
  /// Returns the reason why the engine cannot parse a condition; nil if the engine can parse it.
  ///
  /// `depth` is the number of parser states that the enclosing condition needs.
  func obstacle(_ piece: SQL, height: Int, leaving depth: Int) -> String?
  /// Returns the expression of one sort key.
  func order(_ piece: TypedPiece, _ comparison: SortKey.Comparison, ascending: Bool) throws -> SQL
  /// Returns an element of an index; `isColumn` says whether the text is a column and not an expression.
  func indexElement(_ text: String, isColumn: Bool, ascending: Bool) -> String
  /// Returns a bound value as a literal, which has the type of the bound value.
  func literal(_ value: Binding) -> String
  /// Whether conditions that the engine cannot express can be bounded.
  var hasBounds: Bool { get }
  /// Whether a grouped statement may select only what it groups by, and aggregates.
  var groupsStrictly: Bool { get }

  // MARK: Comparisons with constants, which are not null

  /// Returns the value as a piece that has the value's type; nil if the engine cannot hold the value exactly.
  func exact(_ value: Value) -> SQL?
  /// Returns the value as a column of a result; nil if the engine has no such value.
  func selected(_ value: Value) -> SQL?
  /// Returns the condition that the piece equals the value; nil if it never does.
  func equal(_ piece: TypedPiece, _ value: Value) throws(Unsayable) -> SQL?
  /// Returns the condition that the piece is null or differs from the value; nil if it is so in every row.
  func differs(_ piece: TypedPiece, _ value: Value) throws(Unsayable) -> SQL?
  /// Returns the condition that the piece is less or greater than the value; nil if they have no order.
  func ordered(_ piece: TypedPiece, _ relation: Relation, _ value: Value) throws(Unsayable) -> SQL?
  /// Returns the condition that the piece equals one of the values; nil if it never does.
  ///
  /// If `isAlone` is true, nothing else is in the list.
  func isOne(
    _ piece: TypedPiece,
    of values: [Value],
    _ options: TextOptions,
    isAlone: Bool
  ) throws(Unsayable) -> SQL?

  // MARK: Comparisons of two pieces

  /// Returns the condition that two pieces are equal, or that both are null in memory.
  func same(_ one: TypedPiece, _ other: TypedPiece) throws(Unsayable) -> SQL
  /// Returns the condition that two pieces are not equal; nil if it must be compiled as the contrary of
  /// `same`.
  func differ(_ one: TypedPiece, _ other: TypedPiece) throws(Unsayable) -> SQL?
  /// Returns the condition that one piece is less or greater than the other.
  func ordered(
    _ one: TypedPiece,
    _ relation: Relation,
    _ other: TypedPiece
  ) throws(Unsayable) -> SQL
  /// Returns the condition that a relation between two texts holds.
  ///
  /// `needle` is the text on the right side, if it is a constant. If `bound` is not nil, the condition may hold
  /// for more rows, or for fewer.
  func text(
    _ subject: SQL,
    _ relation: Relation,
    _ other: SQL,
    needle: String?,
    options: TextOptions,
    bound: Bound?
  ) throws(Unsayable) -> SQL

  // MARK: Functions

  /// Returns the piece without its indexes.
  func unindexed(_ piece: TypedPiece) -> SQL
  /// Returns a column as a number for arithmetic; nil if it is not a number.
  func number(_ piece: TypedPiece) -> TypedPiece?
  func arithmetic(
    _ function: ArithmeticFunction,
    _ left: Number,
    _ right: Number
  ) throws(Unsayable) -> TypedPiece
  func numeric(_ function: NumericFunction, _ value: Number) throws(Unsayable) -> TypedPiece
  func text(_ function: TextFunction, _ text: SQL) throws(Unsayable) -> TypedPiece
  /// Returns the piece converted to a class; nil if only memory can convert it.
  func cast(_ piece: TypedPiece, to type: ValueType, named name: String) -> TypedPiece?
  /// Returns the choice between two pieces, at least one of which has a type.
  ///
  /// The types are those of `ValueType.chosen(_:_:)`.
  func choice(
    if test: SQL,
    _ yes: (piece: SQL, type: ValueType?),
    _ no: (piece: SQL, type: ValueType?),
    type: ValueType
  ) throws(Unsayable) -> TypedPiece

  // MARK: Aggregates

  /// Returns an aggregate of the members' values, equal to that in memory.
  ///
  /// If `bound` is not nil, the aggregate may be NULL where it is not certain.
  func ofMembers(
    _ function: AggregateFunction,
    _ piece: TypedPiece,
    distinct: Bool,
    bound: Bound?
  ) throws(Unsayable) -> TypedPiece
  /// Returns an aggregate of a statement's rows; the function is neither a median, mode nor deviation.
  func ofRows(_ function: AggregateFunction, _ piece: TypedPiece) throws(Unsayable) -> TypedPiece
}

/// How a condition may differ from the one in memory, where the engine cannot express that exactly.
package enum Bound: Sendable {
  /// The condition holds for all rows for which it holds in memory, and may hold for others.
  case possible
  /// The condition holds only for rows for which it holds in memory.
  case certain
  /// The bound of a condition whose contrary has this bound.
  var contrary: Bound { self == .possible ? .certain : .possible }
}

/// The names of the columns that each table of rows has, as statements contain them.
package struct RowColumns: Hashable, Sendable {
  /// The column of the primary key.
  package let key: String
  /// The column of the entity number.
  package let entity: String
  /// The column of the row's version.
  package let version: String

  package init(key: String, entity: String, version: String) {
    self.key = key
    self.entity = entity
    self.version = version
  }
}

/// A piece of SQL and the type of its value.
package struct TypedPiece: Sendable {
  package let piece: SQL
  package let type: ValueType
  package init(_ piece: SQL, _ type: ValueType) {
    self.piece = piece
    self.type = type
  }
  /// The condition that the value in memory is null.
  var absent: SQL { type.absent(piece) }
}

/// An operand of arithmetic.
package struct Number: Sendable {
  let piece: SQL
  let type: ValueType
  /// The operand's value, if it is a constant.
  let constant: Value?
  /// The condition that the operand is null in memory.
  let absent: SQL
  var typed: TypedPiece { TypedPiece(piece, type) }
  var isComputed: Bool { type.isComputed }
}

/// The error for what an engine cannot calculate exactly as in memory.
package struct Unsayable: Error {
  /// A noun phrase for the construct.
  package let what: String
  init(_ what: String) { self.what = what }
}
