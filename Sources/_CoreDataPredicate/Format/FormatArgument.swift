// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The argument for a placeholder, such as `%@`, `%K` or `%d`, of a format string.
package enum FormatArgument: Sendable {
  case value(Value)
  /// A predicate for `%@`; allowed only where the format can have a condition.
  case condition(Condition)
  /// An expression that replaces `%@`, or a key path that replaces `%K`.
  case term(Term)
}

extension FormatArgument {
  var height: Int {
    switch self {
    case .value: 0
    case .condition(let condition): condition.height
    case .term(let term): term.height
    }
  }

  var kindName: String {
    switch self {
    case .value(let value): value.kindName
    case .condition: "a predicate"
    case .term: "an expression"
    }
  }
}
