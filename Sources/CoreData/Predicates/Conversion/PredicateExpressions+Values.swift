// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

extension PredicateExpressions.Variable: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term { try conversion.value(of: key) }
}

extension PredicateExpressions.Value: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    .literal(value)
  }
}

extension PredicateExpressions.NilLiteral: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term { .null }
}

extension PredicateExpressions.ForcedUnwrap: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term { try conversion.term(inner) }
}

extension PredicateExpressions.KeyPath: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    let base = try conversion.term(root)
    switch kind {
    case .collectionCount:
      return Root.Output.self == String.self
        ? .function("length:", [base], operand: nil) : base.appending("@count")
    case .collectionIsEmpty:
      let isText = Root.Output.self == String.self
      return .truth(
        isText
          ? .compare(base, .equal, .literal(""))
          : .compare(base.appending("@count"), .equal, .literal(0))
      )
    case .collectionFirst:
      return .function("objectFrom:withIndex:", [base, .symbolicIndex(.first)], operand: nil)
    case .bidirectionalCollectionLast:
      return .function("objectFrom:withIndex:", [base, .symbolicIndex(.last)], operand: nil)
    default: break
    }
    switch KeyPathNames.search(keyPath) {
    case .name(let name): return base.appending(name)
    case .nameless(let reason):
      throw PredicateConversionError(part: "\(keyPath)", "is no key: \(reason)")
    }
  }
}

extension PredicateExpressions.Arithmetic: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    let left = try conversion.term(lhs)
    let right = try conversion.term(rhs)
    return switch op {
    case .add: .function("add:to:", [left, right], operand: nil)
    case .subtract: .function("from:subtract:", [left, right], operand: nil)
    case .multiply: .function("multiply:by:", [left, right], operand: nil)
    @unknown default: throw PredicateConversion.unsupported(self)
    }
  }
}

extension PredicateExpressions.IntDivision: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    .function(
      "divide:by:",
      [try conversion.term(lhs), try conversion.term(rhs)],
      operand: nil
    )
  }
}

extension PredicateExpressions.FloatDivision: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    .function(
      "divide:by:",
      [try conversion.term(lhs), try conversion.term(rhs)],
      operand: nil
    )
  }
}

extension PredicateExpressions.IntRemainder: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    .function(
      "modulus:by:",
      [try conversion.term(lhs), try conversion.term(rhs)],
      operand: nil
    )
  }
}

extension PredicateExpressions.UnaryMinus: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    let minusOne = Term.literal(-1)
    return .function("multiply:by:", [try conversion.term(wrapped), minusOne], operand: nil)
  }
}

extension PredicateExpressions.NilCoalesce: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    try conversion.term(lhs).coalesced(try conversion.term(rhs))
  }
}

extension PredicateExpressions.OptionalFlatMap: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    let base = try conversion.term(wrapped)
    let result = try conversion.binding(variable.key, to: base) { try conversion.term(transform) }
    return result.reads(base) ? result : .ternary(base.isNull, .null, result)
  }
}

extension PredicateExpressions.Conditional: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    .ternary(
      try conversion.condition(test),
      try conversion.term(trueBranch),
      try conversion.term(falseBranch)
    )
  }
}

extension PredicateExpressions.Filter: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    try conversion.members(of: sequence, variable.key, where: filter)
  }
}

extension PredicateExpressions.SequenceMinimum: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    .function("min:", [try conversion.term(elements)], operand: nil)
  }
}

extension PredicateExpressions.SequenceMaximum: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    .function("max:", [try conversion.term(elements)], operand: nil)
  }
}

extension PredicateExpressions.CollectionIndexSubscript: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    .function(
      "objectFrom:withIndex:",
      [try conversion.term(wrapped), try conversion.term(index)],
      operand: nil
    )
  }
}

extension PredicateExpressions.DictionaryKeySubscript: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    .function(
      "objectFrom:withIndex:",
      [try conversion.term(wrapped), try conversion.term(key)],
      operand: nil
    )
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    let element = Term.function(
      "objectFrom:withIndex:",
      [try conversion.term(wrapped), try conversion.term(key)],
      operand: nil
    )
    return element.coalesced(try conversion.term(`default`))
  }
}

/// A cast that always succeeds, because the value has the type already.
extension PredicateExpressions.ConditionalCast: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    guard Input.Output.self == Desired.self else { throw PredicateConversion.unsupported(self) }
    return try conversion.term(input)
  }
}
