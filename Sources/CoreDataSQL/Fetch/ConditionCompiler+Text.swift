// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// The engine's function for comparing texts: `CDText(subject, other, code)`.
///
/// It gives 1 or 0, and NULL where a side is NULL.
package struct TextCall: Sendable {
  package static let name = "CDText"
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
  func textCall(_ relation: Relation, _ left: SQL, _ right: SQL, _ options: TextOptions) -> SQL {
    let code = TextCall(relation, options).code
    return "\(name: TextCall.name)(\(left), \(right), \(name: String(code)))"
  }

  /// CONTAINS, BEGINSWITH, ENDSWITH, LIKE and MATCHES: false where a side is nil.
  func text(
    _ left: Operand,
    _ relation: Relation,
    _ right: Operand,
    _ options: TextOptions
  ) throws -> SQL {
    guard let subject = try textPiece(left), let other = try textPiece(right) else { return "0" }
    return textCall(relation, subject, other, options)
  }

  /// Nil for a null constant.
  private func textPiece(_ operand: Operand) throws -> SQL? {
    switch operand {
    case .column(let piece, let type):
      guard type == .text || type == .url || type == .any else {
        throw unsupported("a text operator on a value that is no string")
      }
      return piece
    case .constant(.null): return nil
    case .constant(.text(let text)): return SQL([.value(.text(text))])
    case .constant(.url(let url)): return SQL([.value(.text(url.absoluteString))])
    case .members(let path):
      throw StoreError(.invalidRequest, "to-many key not allowed here: \(path.keyPath)")
    case .constant, .list:
      throw unsupported("a text operator on a value that is no string")
    }
  }
}
