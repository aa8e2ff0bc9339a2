// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

extension SQLiteDialect {
  func textCall(
    _ relation: Relation,
    _ left: SQL,
    _ right: SQL,
    options: TextOptions
  ) -> SQL {
    let code = TextCall(relation, options).code
    return "\(function: TextCall.name)(\(left), \(right), \(name: String(code)))"
  }

  package func text(
    _ subject: SQL,
    _ relation: Relation,
    _ other: SQL,
    needle: String?,
    options: TextOptions,
    bound: Bound?
  ) throws(Unsayable) -> SQL {
    if options.isEmpty, let needle, let piece = indexable(subject, relation, needle) {
      return piece
    }
    return textCall(relation, subject, other, options: options)
  }

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
    guard let end = TextRange.end(of: prefix) else { return nil }
    return "(\(subject) >= \(bind: .text(prefix)) AND \(subject) < \(bind: .text(end)))"
  }
}

/// The range of the texts that start with a prefix, in the order of UTF-8 bytes.
enum TextRange {
  /// Returns the smallest text after all texts that start with `prefix`.
  ///
  /// Returns nil if `prefix` is empty or contains only U+10FFFF, because there is no such text.
  static func end(of prefix: String) -> String? {
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
