// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataPredicate

/// Bounds of comparisons that fold texts.
///
/// The server folds ASCII texts as memory does; only memory folds the others.
extension PostgresDialect {
  func bounded(
    _ subject: SQL,
    _ relation: Relation,
    _ needle: String,
    options: TextOptions,
    bound: Bound
  ) throws(Unsayable) -> SQL {
    if !options.isSubset(of: [.caseInsensitive, .diacriticInsensitive]) {
      throw Unsayable("a string comparison by the rules of a language")
    }
    let folding = TextFolding(options)
    let text: SQL = folding.ignoresCase ? "lower(\(subject) COLLATE \"C\")" : subject
    let holds = try ascii(text, relation, needle, folding: folding)
    if holds == never {
      return bound == .certain ? never : "octet_length(\(subject)) <> char_length(\(subject))"
    }
    switch bound {
    case .possible:
      return "(octet_length(\(subject)) <> char_length(\(subject)) OR \(holds))"
    case .certain:
      return "(octet_length(\(subject)) = char_length(\(subject)) AND \(holds))"
    }
  }

  /// Returns the condition that the relation holds for an ASCII text that is folded.
  private func ascii(
    _ text: SQL,
    _ relation: Relation,
    _ needle: String,
    folding: TextFolding
  ) throws(Unsayable) -> SQL {
    if relation == .like {
      // The parts between the wildcards are folded one by one.
      guard needle.utf8.allSatisfy({ $0 < 0x80 && $0 > 0 }) else {
        throw Unsayable("a folded pattern that is not ASCII")
      }
      return Self.like(text, folding.ignoresCase ? needle.lowercased() : needle)
    }
    let bytes = folding.folded(needle)
    let folded = String(decoding: bytes, as: UTF8.self)
    let isASCII = bytes.allSatisfy { $0 < 0x80 && $0 > 0 }
    switch relation {
    case .equal: return isASCII ? "\(text) = \(bind: .text(folded))" : never
    case .contains: return isASCII && !bytes.isEmpty ? Self.contains(text, folded) : never
    case .beginsWith: return isASCII && !bytes.isEmpty ? Self.begins(text, folded) : never
    case .endsWith: return isASCII && !bytes.isEmpty ? Self.ends(text, folded) : never
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      if bytes.contains(0) { throw Unsayable("a text with a null character") }
      return """
        \(text) COLLATE "C" \(name: relation.spelling) \(bind: .text(folded))
        """
    default: throw Unsayable("\(relation.spelling) with folded texts")
    }
  }

  /// Returns the sum or average of the members' numbers; NULL where memory may have rounded it, which depends
  /// on the order of the members.
  func bounded(
    _ function: AggregateFunction,
    _ piece: TypedPiece,
    distinct: Bool
  ) -> TypedPiece? {
    let values: SQL = "\(name: distinct ? "DISTINCT " : "")\(piece.piece)"
    let sum: SQL = "COALESCE(SUM(\(values)), 0)"
    switch (piece.type, function) {
    case (.integer, _):
      // No sum of some of the members is out of range.
      let isExact: SQL = """
        COALESCE(SUM(abs(\(piece.piece)::numeric)), 0) <= 9223372036854775807
        """
      if function == .sum {
        return TypedPiece("CASE WHEN \(isExact) THEN \(sum)::bigint END", .integer)
      }
      let count: SQL = distinct ? "COUNT(\(values))" : "COUNT(*)"
      return TypedPiece(
        "CASE WHEN \(isExact) THEN \(sum)::bigint::double precision / NULLIF(\(count), 0) END",
        .real
      )
    case (.decimal, .sum):
      // A decimal has 38 digits: 18 before the point, 10 after it, and 9 for the number of members.
      return TypedPiece(
        """
        CASE WHEN COALESCE(MAX(abs(\(piece.piece))), 0) < 1000000000000000000 \
        AND COALESCE(MAX(scale(\(piece.piece))), 0) <= 10 AND COUNT(*) < 1000000000 THEN \(sum) END
        """,
        .decimal
      )
    default: return nil
    }
  }
}
#endif
