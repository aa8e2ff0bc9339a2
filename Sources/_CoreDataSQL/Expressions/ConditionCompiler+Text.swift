// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

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
