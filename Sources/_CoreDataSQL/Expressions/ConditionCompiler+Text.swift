// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// A call of `CDText(subject, other, code)`, the SQL function that compares two texts.
///
/// The function returns 1 or 0; it returns NULL if a text is NULL or a pattern is invalid.
package struct TextCall: Sendable {
  package static let name = "CDText"
  /// The SQLite result code for a comparison that throws an error; SQLite itself does not use this code.
  package static let failure: Int32 = 1 | 77 << 8
  package let relation: Relation
  package let options: TextOptions

  package var code: Int64 { Int64(relation.rawValue << 8 | options.rawValue) }

  package init(_ relation: Relation, _ options: TextOptions) {
    self.relation = relation
    self.options = options
  }

  package init?(code: Int64) {
    guard code >= 0, let relation = Relation(rawValue: UInt(code) >> 8) else { return nil }
    self.relation = relation
    options = TextOptions(rawValue: UInt(code) & 0xFF)
  }
}

extension ConditionCompiler {
  /// Compiles CONTAINS, BEGINSWITH, ENDSWITH, LIKE and MATCHES, which are false if either side is nil.
  func text(
    _ left: Operand,
    _ relation: Relation,
    _ right: Operand,
    options: TextOptions
  ) throws -> SQL {
    if case .constant(.null) = left { return never }
    if case .constant(.null) = right { return never }
    let subject = try textPiece(left)
    let other = try textPiece(right)
    var needle: String?
    if case .constant(.text(let text)) = right { needle = text }
    if relation == .matches, let pattern = needle,
      TextNeedle(pattern, relation: .matches, options: options).invalidPattern != nil
    {
      throw unsupported("MATCHES with the invalid regular expression “\(pattern)”")
    }
    return try asked { () throws(Unsayable) in
      try dialect.text(subject, relation, other, needle: needle, options: options, bound: bound)
    }
  }

  private func textPiece(_ operand: Operand) throws -> SQL {
    switch operand {
    case .column(let piece, let type):
      guard type == .text || type == .url || type == .any else {
        throw unsupported("a string operator with \(type.kindName), which is not a string")
      }
      return piece
    case .constant(.text(let text)): return SQL(bind: .text(text))
    case .constant(.url(let url)): return SQL(bind: .text(url.absoluteString))
    case .members(let source): throw toMany(source.path)
    case .constant, .list:
      throw unsupported("a string operator with \(operand.kindName), which is not a string")
    }
  }
}
