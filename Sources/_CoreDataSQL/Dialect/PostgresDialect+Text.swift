// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataPredicate

/// Comparisons of texts by their bytes; the server does not fold texts as memory does.
extension PostgresDialect {
  package func text(
    _ subject: SQL,
    _ relation: Relation,
    _ other: SQL,
    needle: String?,
    options: TextOptions,
    bound: Bound?
  ) throws(Unsayable) -> SQL {
    guard options.isEmpty else {
      if let bound, let needle {
        return try bounded(subject, relation, needle, options: options, bound: bound)
      }
      throw Unsayable(
        "a string comparison with the options [\(options.letters)], which PostgreSQL does not have exactly"
      )
    }
    if let needle {
      guard let piece = try constant(subject, relation, needle) else { return never }
      return piece
    }
    switch relation {
    case .contains: return "(\(other) <> '' AND strpos(\(subject), \(other)) > 0)"
    case .beginsWith:
      return "(\(other) <> '' AND left(\(subject), char_length(\(other))) = \(other))"
    case .endsWith:
      return "(\(other) <> '' AND right(\(subject), char_length(\(other))) = \(other))"
    default: throw Unsayable("\(relation.spelling) with a pattern that is not a constant")
    }
  }

  /// Returns the condition that a relation with a constant holds; nil if it never does.
  private func constant(
    _ subject: SQL,
    _ relation: Relation,
    _ needle: String
  ) throws(Unsayable) -> SQL? {
    // The server's texts have no null characters.
    if needle.utf8.contains(0) {
      if relation == .matches {
        throw Unsayable("a text with a null character, which PostgreSQL cannot hold")
      }
      return nil
    }
    switch relation {
    case .equal: return "\(subject) = \(bind: .text(needle))"
    case .contains: return needle.isEmpty ? nil : Self.contains(subject, needle)
    case .beginsWith: return needle.isEmpty ? nil : Self.begins(subject, needle)
    case .endsWith: return needle.isEmpty ? nil : Self.ends(subject, needle)
    case .like: return Self.like(subject, needle)
    case .matches:
      guard needle.utf8.allSatisfy(Self.isPlain) else {
        throw Unsayable("MATCHES with a regular expression, whose rules differ in PostgreSQL")
      }
      return "\(subject) = \(bind: .text(needle))"
    default: throw Unsayable("\(relation.spelling) between strings")
    }
  }

  /// Whether the byte stands for itself in a regular expression.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: " "), UInt8(ascii: "_"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }

  static func contains(_ subject: SQL, _ needle: String) -> SQL {
    "strpos(\(subject), \(bind: .text(needle))) > 0"
  }

  /// Returns the range of the texts that start with `prefix`, for which the server can use an index.
  static func begins(_ subject: SQL, _ prefix: String) -> SQL {
    guard let end = TextRange.end(of: prefix) else {
      return
        "left(\(subject), \(name: String(prefix.unicodeScalars.count))) = \(bind: .text(prefix))"
    }
    return """
      (\(subject) COLLATE "C" >= \(bind: .text(prefix)) \
      AND \(subject) COLLATE "C" < \(bind: .text(end)))
      """
  }

  static func ends(_ subject: SQL, _ suffix: String) -> SQL {
    "right(\(subject), \(name: String(suffix.unicodeScalars.count))) = \(bind: .text(suffix))"
  }

  /// Returns the condition for a pattern of LIKE, in which `*` is `%` and `?` is `_` in SQL.
  static func like(_ subject: SQL, _ pattern: String) -> SQL {
    switch LikeParts(pattern) {
    case .equal(let text): return "\(subject) = \(bind: .text(text))"
    case .prefix(let text): return begins(subject, text)
    case .general(let pattern):
      return "\(subject) COLLATE \"C\" LIKE \(bind: .text(pattern))"
    }
  }
}

/// A pattern of LIKE in the forms that SQL has.
enum LikeParts {
  case equal(String)
  case prefix(String)
  /// A pattern of SQL, with backslashes before characters that stand for themselves.
  case general(String)

  init(_ pattern: String) {
    var literal = String.UnicodeScalarView()
    var sql = String.UnicodeScalarView()
    var (isEscaped, wildcards, endsWithAny) = (false, 0, false)
    for scalar in pattern.unicodeScalars {
      if !isEscaped, scalar == "\\" {
        isEscaped = true
        continue
      }
      if !isEscaped, scalar == "*" || scalar == "?" {
        wildcards += 1
        endsWithAny = scalar == "*"
        sql.append(scalar == "*" ? "%" : "_")
        continue
      }
      Self.add(scalar, &literal, &sql)
      (isEscaped, endsWithAny) = (false, false)
    }
    // A backslash at the end stands for itself.
    if isEscaped {
      Self.add("\\", &literal, &sql)
      endsWithAny = false
    }
    if wildcards == 0 {
      self = .equal(String(literal))
    } else if wildcards == 1, endsWithAny, !literal.isEmpty {
      self = .prefix(String(literal))
    } else {
      self = .general(String(sql))
    }
  }

  private static func add(
    _ scalar: Unicode.Scalar,
    _ literal: inout String.UnicodeScalarView,
    _ sql: inout String.UnicodeScalarView
  ) {
    literal.append(scalar)
    if scalar == "%" || scalar == "_" || scalar == "\\" { sql.append("\\") }
    sql.append(scalar)
  }
}

extension TextOptions {
  /// The letters of the options, as predicates contain them.
  var letters: String {
    let all: [(TextOptions, String)] = [
      (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"),
      (.localeSensitive, "l"),
    ]
    return all.filter { contains($0.0) }.map(\.1).joined()
  }
}
#endif
