// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A value in a statement or in its result, in one of SQLite's storage classes.
package enum Binding: Hashable, Sendable {
  case null
  case integer(Int64)
  case double(Double)
  case text(String)
  case blob(Data)
}

extension Binding {
  /// The value as an SQL literal; `NULL` for NaN or an infinite number.
  package var literal: String {
    switch self {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .double(let number): number.isFinite ? number.description : "NULL"
    case .text(let text):
      "'"
        + text.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "''") + "'"
    case .blob(let data):
      "x'" + data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    }
  }
}
