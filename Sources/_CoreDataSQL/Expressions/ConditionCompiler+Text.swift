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
  func textCall(_ relation: Relation, _ left: SQL, _ right: SQL, options: TextOptions) -> SQL {
    let code = TextCall(relation, options).code
    return "\(function: TextCall.name)(\(left), \(right), \(name: String(code)))"
  }

  /// Compiles CONTAINS, BEGINSWITH, ENDSWITH, LIKE and MATCHES, which are false if either side is nil.
  func text(
    _ left: Operand,
    _ relation: Relation,
    _ right: Operand,
    options: TextOptions
  ) throws -> SQL {
    if case .constant(.null) = left { return "0" }
    if case .constant(.null) = right { return "0" }
    let subject = try textPiece(left)
    let other = try textPiece(right)
    if options.isEmpty, case .constant(.text(let needle)) = right {
      if let piece = indexable(subject, relation, needle) { return piece }
    }
    if relation == .matches, case .constant(.text(let pattern)) = right,
      TextNeedle(pattern, relation: .matches, options: options).invalidPattern != nil
    {
      throw unsupported("MATCHES with the invalid regular expression “\(pattern)”")
    }
    return textCall(relation, subject, other, options: options)
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

  // MARK: Forms that can use an index

  /// Returns the condition as a range or an equality for which SQLite can use an index; nil if the condition
  /// has no such form.
  private func indexable(_ subject: SQL, _ relation: Relation, _ needle: String) -> SQL? {
    guard subject.traits.contains(.isColumn) else { return nil }
    switch relation {
    case .beginsWith: return needle.isEmpty ? "0" : range(subject, from: needle)
    case .like:
      if needle.contains("\\") || needle.contains("?") { return nil }
      guard let star = needle.firstIndex(of: "*") else {
        return "\(subject) = \(bind: .text(needle))"
      }
      let prefix = String(needle[..<star])
      if prefix.isEmpty || needle.index(after: star) != needle.endIndex { return nil }
      return range(subject, from: prefix)
    default: return nil
    }
  }

  private func range(_ subject: SQL, from prefix: String) -> SQL? {
    guard let end = Self.successor(of: prefix) else { return nil }
    return "(\(subject) >= \(bind: .text(prefix)) AND \(subject) < \(bind: .text(end)))"
  }

  /// Returns the smallest text after all texts that start with `prefix`, in the order of UTF-8 bytes.
  ///
  /// Returns nil if `prefix` is empty or contains only U+10FFFF, because there is no such text.
  static func successor(of prefix: String) -> String? {
    var scalars = Array(prefix.unicodeScalars)
    while let last = scalars.popLast() {
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(next) else { continue }
      var end = String.UnicodeScalarView(scalars)
      end.append(scalar)
      return String(end)
    }
    return nil
  }
}
