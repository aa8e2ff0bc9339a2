// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// What stands for a `%@`, `%K` or `%d` of a format.
package enum FormatArgument: Sendable {
  case value(Value)
  /// A predicate given for `%@`; allowed wherever a condition is.
  case condition(Condition)
  /// An expression given for `%@`; takes the placeholder's place in the tree.
  case term(Term)
}

extension FormatArgument {
  /// The levels of the tree that takes the placeholder's place.
  var height: Int {
    switch self {
    case .value: 0
    case .condition(let condition): condition.height
    case .term(let term): term.height
    }
  }

  /// The word for the kind in the wording of errors.
  var kindName: String {
    switch self {
    case .value(let value): value.kindName
    case .condition: "a predicate"
    case .term: "an expression"
    }
  }
}
