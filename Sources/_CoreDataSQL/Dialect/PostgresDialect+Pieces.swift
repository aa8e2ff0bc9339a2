// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataPredicate

/// Comparisons of two pieces.
extension PostgresDialect {
  /// The longest piece of which a statement contains copies.
  static let longest = 2_000

  package func same(_ one: TypedPiece, _ other: TypedPiece) throws(Unsayable) -> SQL {
    if let plain = plain(one, other) {
      if one.type.isPlain, other.type.isPlain {
        return "\(plain.left) IS NOT DISTINCT FROM \(plain.right)"
      }
      return "(\(plain.left) = \(plain.right) OR (\(one.absent) AND \(other.absent)))"
    }
    let equal = try compared(one, .equal, other)
    return "(\(equal) OR (\(one.absent) AND \(other.absent)))"
  }

  package func differ(_ one: TypedPiece, _ other: TypedPiece) -> SQL? {
    guard one.type.isPlain, other.type.isPlain, let plain = plain(one, other) else { return nil }
    return "\(plain.left) IS DISTINCT FROM \(plain.right)"
  }

  package func ordered(
    _ one: TypedPiece,
    _ relation: Relation,
    _ other: TypedPiece
  ) throws(Unsayable) -> SQL {
    try compared(one, relation, other)
  }

  private func compared(
    _ one: TypedPiece,
    _ relation: Relation,
    _ other: TypedPiece
  ) throws(Unsayable) -> SQL {
    let sign = relation == .equal ? "=" : relation.spelling
    if let plain = plain(one, other) {
      return "\(plain.left) \(name: sign) \(plain.right)"
    }
    if one.piece.length + other.piece.length > Self.longest {
      throw Unsayable("a comparison of numbers of two kinds, whose expressions are long")
    }
    switch (one.type, other.type) {
    case (.mixed(let real, _), _):
      let whole = try compared(TypedPiece(one.piece, .integer), relation, other)
      let rest = try compared(TypedPiece(real, .real), relation, other)
      return "CASE WHEN \(one.piece) IS NOT NULL THEN \(whole) ELSE \(rest) END"
    case (_, .mixed):
      return try compared(other, relation.mirrored, one)
    case (.integer, .real), (.integer, .computed), (.integer, .date):
      return "(\(Self.order(whole: one.piece, real: other.piece))) \(name: sign) 0"
    case (.real, .integer), (.computed, .integer), (.date, .integer):
      return try compared(other, relation.mirrored, one)
    case (.boolean, _):
      return try compared(TypedPiece("\(one.piece)::integer", .integer), relation, other)
    case (_, .boolean):
      return try compared(one, relation, TypedPiece("\(other.piece)::integer", .integer))
    default: break
    }
    throw Unsayable("a comparison of \(one.type.kindName) with \(other.type.kindName)")
  }

  /// Returns the pieces as the server compares them exactly; nil if it does not.
  private func plain(_ one: TypedPiece, _ other: TypedPiece) -> (left: SQL, right: SQL)? {
    switch (one.type, other.type) {
    case (.integer, .integer), (.boolean, .boolean), (.decimal, .decimal), (.uuid, .uuid),
      (.data, .data), (.reference, .reference), (.entity, .entity), (.integer, .decimal),
      (.decimal, .integer), (.number, .integer), (.integer, .number), (.number, .number),
      (.number, .decimal), (.decimal, .number):
      return (one.piece, other.piece)
    case (.text, .text), (.url, .url):
      return ("\(one.piece) COLLATE \"C\"", other.piece)
    case (.boolean, .integer), (.boolean, .number), (.boolean, .decimal):
      return ("\(one.piece)::integer", other.piece)
    case (.integer, .boolean), (.number, .boolean), (.decimal, .boolean):
      return (one.piece, "\(other.piece)::integer")
    case (.decimal, _) where other.type.isFloating:
      return ("\(one.piece)::double precision", other.piece)
    case (_, .decimal) where one.type.isFloating:
      return (one.piece, "\(other.piece)::double precision")
    case (_, _) where one.type.isFloating && other.type.isFloating:
      return (one.piece, other.piece)
    default: return nil
    }
  }

  /// Returns -1, 0 or 1 for an integer less than, equal to or greater than a floating-point number, without
  /// rounding the integer; NULL if either is NULL.
  private static func order(whole: SQL, real: SQL) -> SQL {
    """
    CASE WHEN \(whole) IS NULL THEN NULL WHEN \(real) >= 9223372036854775808 THEN -1 \
    WHEN \(real) < -9223372036854775808 THEN 1 WHEN \(whole) < floor(\(real))::bigint THEN -1 \
    WHEN \(whole) > floor(\(real))::bigint THEN 1 WHEN \(real) > floor(\(real)) THEN -1 \
    WHEN \(real) IS NOT NULL THEN 0 END
    """
  }
}

extension ValueType {
  /// Whether the piece is a floating-point number of the server.
  fileprivate var isFloating: Bool {
    switch self {
    case .real, .computed, .date: true
    default: false
    }
  }
}

extension SQL {
  /// An estimate of the length of the piece's text.
  var length: Int {
    segments.reduce(0) { sum, segment in
      switch segment {
      case .text(let text), .qualifier(let text): sum + text.utf8.count
      case .value: sum + 12
      }
    }
  }
}
#endif
