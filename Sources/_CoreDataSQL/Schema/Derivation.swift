// SPDX-License-Identifier: Apache-2.0

import _CoreDataPredicate

/// The parsed expression of a derived attribute.
///
/// The expression can be an attribute, a to-one's attribute, `canonical:`, `uppercase:` or `lowercase:` of
/// either, the count of a to-many, the sum of an attribute of a to-many's members, or `now()`. Source:
/// documented, “NSDerivedAttributeDescription”.
enum Derivation {
  case count(String)
  case value(relationship: String, key: String)
  /// A text function of an attribute of the object itself, or the attribute's value if the function is nil.
  case own(function: TextFunction?, key: String)
  /// A text function of an attribute of a to-one's destination.
  case function(TextFunction, relationship: String, key: String)
  case sum(relationship: String, key: String)
  case now

  /// Parses an expression; nil if the form of the expression is not supported.
  init?(_ text: String) {
    // A text that is not an expression is treated like an unknown derivation, which is not computed, so the
    // error is ignored.
    switch try? Term(format: text) {
    case .keyPath(let path)?: self.init(keys: path.split(separator: ".").map(String.init))
    case .function(.now, _)?: self = .now
    case .function(let function, let arguments)?:
      guard arguments.count == 1, case .keyPath(let path) = arguments[0] else { return nil }
      self.init(function, of: path.split(separator: ".").map(String.init))
    default: return nil
    }
  }

  private init?(keys: [String]) {
    switch (keys.count, keys.last) {
    case (1, let key?) where !key.hasPrefix("@"): self = .own(function: nil, key: key)
    case (2, "@count"?): self = .count(keys[0])
    case (2, let key?) where !key.hasPrefix("@"): self = .value(relationship: keys[0], key: key)
    case (3, "@sum"?): self = .sum(relationship: keys[0], key: keys[1])
    case (3, let key?) where keys[1] == "@sum": self = .sum(relationship: keys[0], key: key)
    default: return nil
    }
  }

  private init?(_ function: Function, of keys: [String]) {
    if keys.contains(where: { $0.hasPrefix("@") }) { return nil }
    switch (function, keys.count) {
    case (.aggregate(.count), 1): self = .count(keys[0])
    case (.aggregate(.sum), 2): self = .sum(relationship: keys[0], key: keys[1])
    case (.text(let function), 1) where function.isDerivation:
      self = .own(function: function, key: keys[0])
    case (.text(let function), 2) where function.isDerivation:
      self = .function(function, relationship: keys[0], key: keys[1])
    default: return nil
    }
  }
}

extension TextFunction {
  /// Whether Apple documents the function for derived attributes.
  ///
  /// All such functions return strings.
  fileprivate var isDerivation: Bool {
    switch self {
    case .uppercase, .lowercase, .canonical: true
    case .length: false
    }
  }
}
