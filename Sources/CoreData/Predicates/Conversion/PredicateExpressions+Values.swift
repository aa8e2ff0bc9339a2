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
        ? .function(.text(.length), [base]) : base.appending("@count")
    case .collectionIsEmpty:
      let isText = Root.Output.self == String.self
      return .truth(
        isText
          ? .compare(base, .equal, .literal(""))
          : .compare(base.appending("@count"), .equal, .literal(0))
      )
    case .collectionFirst:
      return .function(.element, [base, .symbolicIndex(.first)])
    case .bidirectionalCollectionLast:
      return .function(.element, [base, .symbolicIndex(.last)])
    default: break
    }
    switch KeyPathNames.search(keyPath) {
    case .name(let name): return base.appending(name)
    case .nameless(let reason):
      throw PredicateConversionError(part: "\(keyPath)", "has no key name: \(reason)")
    }
  }
}

extension PredicateExpressions.Arithmetic: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    let left = try conversion.term(lhs)
    let right = try conversion.term(rhs)
    return switch op {
    case .add: .function(.arithmetic(.add), [left, right])
    case .subtract: .function(.arithmetic(.subtract), [left, right])
    case .multiply: .function(.arithmetic(.multiply), [left, right])
    @unknown default:
      throw PredicateConversion.unsupported(
        self,
        "with the operator \(op) is not supported in Core Data predicates"
      )
    }
  }
}

extension PredicateExpressions.IntDivision: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    .function(
      .arithmetic(.divide),
      [try conversion.term(lhs), try conversion.term(rhs)]
    )
  }
}

extension PredicateExpressions.FloatDivision: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    .function(
      .arithmetic(.divide),
      [try conversion.term(lhs), try conversion.term(rhs)]
    )
  }
}

extension PredicateExpressions.IntRemainder: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    .function(
      .arithmetic(.modulus),
      [try conversion.term(lhs), try conversion.term(rhs)]
    )
  }
}

extension PredicateExpressions.UnaryMinus: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    let minusOne = Term.literal(-1)
    return .function(.arithmetic(.multiply), [try conversion.term(wrapped), minusOne])
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
    .function(.aggregate(.minimum), [try conversion.term(elements)])
  }
}

extension PredicateExpressions.SequenceMaximum: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    .function(.aggregate(.maximum), [try conversion.term(elements)])
  }
}

extension PredicateExpressions.CollectionIndexSubscript: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    .function(
      .element,
      [try conversion.term(wrapped), try conversion.term(index)]
    )
  }
}

extension PredicateExpressions.DictionaryKeySubscript: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    .function(
      .element,
      [try conversion.term(wrapped), try conversion.term(key)]
    )
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    let element = Term.function(
      .element,
      [try conversion.term(wrapped), try conversion.term(key)]
    )
    return element.coalesced(try conversion.term(`default`))
  }
}

/// Only a cast to the static type of the operand is converted, because such a cast always succeeds.
extension PredicateExpressions.ConditionalCast: TermConvertible {
  func term(_ conversion: PredicateConversion) throws -> Term {
    guard Input.Output.self == Desired.self else {
      throw PredicateConversion.unsupported(
        self,
        "from \(Input.Output.self) to \(Desired.self) is not supported in Core Data predicates, which cast "
          + "only to the type that the value already has"
      )
    }
    return try conversion.term(input)
  }
}
