// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A value in a statement or in its result, in one of SQLite's storage classes, or as the text of a value that
/// a database server converts.
package enum Binding: Hashable, Sendable {
  case null
  case integer(Int64)
  case double(Double)
  case text(String)
  case blob(Data)
  /// A value in the server's text form; only in statements for a database server.
  case converted(String, ServerType)
}

/// A type of a database server that has no case of `Binding` for itself.
package enum ServerType: UInt8, Hashable, Sendable {
  case boolean, numeric, uuid, integers, reals, numerics, texts, uuids, blobs

  /// The name of the type in PostgreSQL.
  package var name: String {
    switch self {
    case .boolean: "boolean"
    case .numeric: "numeric"
    case .uuid: "uuid"
    case .integers: "bigint[]"
    case .reals: "double precision[]"
    case .numerics: "numeric[]"
    case .texts: "text[]"
    case .uuids: "uuid[]"
    case .blobs: "bytea[]"
    }
  }
}

extension Binding {
  /// The value as an SQL literal; `NULL` for NaN or an infinite number.
  package var literal: String {
    switch self {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .double(let number): number.isFinite ? number.description : "NULL"
    case .text(let text), .converted(let text, _):
      "'"
        + text.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "''") + "'"
    case .blob(let data):
      "x'" + data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    }
  }
}
