// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataPredicate

/// Aggregates that give what memory gives.
extension PostgresDialect {
  package func ofMembers(
    _ function: AggregateFunction,
    _ piece: TypedPiece,
    distinct: Bool,
    bound: Bound?
  ) throws(Unsayable) -> TypedPiece {
    switch function {
    case .minimum, .maximum: return try extreme(function, piece)
    case .sum, .average: break
    default: throw .function(.aggregate(function))
    }
    guard piece.type == .boolean else {
      if bound != nil, let made = bounded(function, piece, distinct: distinct) { return made }
      // The result in memory depends on the order of the members where it is not exact.
      throw Unsayable(
        "\(Function.aggregate(function).spelling) of \(piece.type.kindName), which memory may round"
      )
    }
    let values: SQL = "\(name: distinct ? "DISTINCT " : "")\(piece.piece)::integer"
    let sum: SQL = "COALESCE(SUM(\(values)), 0)::bigint"
    if function == .sum { return TypedPiece(sum, .integer) }
    let count: SQL = distinct ? "COUNT(\(values))" : "COUNT(*)"
    return TypedPiece("\(sum)::double precision / NULLIF(\(count), 0)", .real)
  }

  package func ofRows(
    _ function: AggregateFunction,
    _ piece: TypedPiece
  ) throws(Unsayable) -> TypedPiece {
    switch function {
    case .count: return TypedPiece("COUNT(\(piece.piece))", .integer)
    case .minimum, .maximum: return try extreme(function, piece)
    case .sum, .average: break
    default: throw .function(.aggregate(function))
    }
    let name = function == .sum ? "SUM" : "AVG"
    switch piece.type {
    case .integer, .boolean:
      let number = piece.type == .boolean ? "\(piece.piece)::integer" : piece.piece
      if function == .sum { return TypedPiece("SUM(\(number))", .number) }
      return TypedPiece("AVG(\(number)::double precision)", .real)
    case .decimal: return TypedPiece("\(name: name)(\(piece.piece))", .decimal)
    case .real, .date: return TypedPiece("\(name: name)(\(piece.piece))", .real)
    default: throw .function(.aggregate(function))
    }
  }

  /// Returns the least or greatest value, for types of which the server has none, through an exact conversion.
  private func extreme(
    _ function: AggregateFunction,
    _ piece: TypedPiece
  ) throws(Unsayable) -> TypedPiece {
    let isLeast = function == .minimum
    let name = isLeast ? "MIN" : "MAX"
    let sql = piece.piece
    switch piece.type {
    case .boolean:
      return TypedPiece("\(name: isLeast ? "bool_and" : "bool_or")(\(sql))", .boolean)
    case .text, .url: return TypedPiece("\(name: name)(\(sql) COLLATE \"C\")", piece.type)
    case .uuid: return TypedPiece("\(name: name)(\(sql)::text COLLATE \"C\")::uuid", .uuid)
    case .data:
      return TypedPiece("decode(\(name: name)(encode(\(sql), 'hex') COLLATE \"C\"), 'hex')", .data)
    case .integer, .real, .decimal, .number, .date, .reference, .computed:
      return TypedPiece("\(name: name)(\(sql))", piece.type)
    case .mixed, .sealed, .entity, .any:
      throw Unsayable("\(Function.aggregate(function).spelling) of \(piece.type.kindName)")
    }
  }
}
#endif
