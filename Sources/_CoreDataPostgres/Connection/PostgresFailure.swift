// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CCoreDataPostgres
import _CoreDataStore

/// What a server or libpq reports about a failure.
///
/// Source: PostgreSQL, “Appendix A. PostgreSQL Error Codes”.
struct PostgresFailure {
  /// The SQLSTATE; empty if the failure does not come from the server.
  var state = ""
  var message = ""
  var detail: String?
  var constraint: String?
  var table: String?
  var column: String?

  /// The beginning of the text of every error for a lost connection.
  static let lossPrefix = "the connection to the PostgreSQL server was lost"

  /// The beginning of the text of every error for a server that cannot be reached.
  static let unreachablePrefix = "the PostgreSQL server cannot be reached"

  init(_ message: String) { self.message = Self.oneLine(message) }

  init(_ result: OpaquePointer) {
    func field(_ code: Character) -> String? {
      PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
    }
    state = field("C") ?? ""
    message = field("M") ?? Self.oneLine(String(cString: PQresultErrorMessage(result)))
    detail = field("D")
    constraint = field("n")
    table = field("t")
    column = field("c")
  }

  /// Returns a text with its lines joined by spaces.
  static func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// Returns the error for a statement that failed on a store at `path`.
  func error(path: String, statement: String? = nil) -> StoreError {
    var error = StoreError(code, text, path: path, statement: statement)
    error.serverCode = state.isEmpty ? nil : state
    return error
  }

  private var code: StoreError.Code {
    switch state {
    case "": .busy
    case "23505": .constraint
    case "23503", "40001", "40P01": .conflict
    case "25006", "42501": .readOnly
    case "53100": .cannotWrite
    case "57014": .cancelled
    case "22003", "22021", "22P05", "23502", "23514", "22P02", "54000": .invalidRequest
    case "42P01", "42703", "42804", "3F000": .corrupt
    case "53200", "53300", "55P03", "57P01", "57P02", "57P03", "57P05", "25P03": .busy
    case _ where state.hasPrefix("08"): .busy
    case _ where state.hasPrefix("58"), "53000": .cannotWrite
    default: .engine
    }
  }

  private var text: String {
    let told = message + (detail.map { " (\($0))" } ?? "")
    return switch state {
    case "":
      "\(Self.lossPrefix): \(told). Unsaved changes are kept; try again when the "
        + "server can be reached"
    case "22021", "22P05":
      "the PostgreSQL server refuses a text: \(told). Remove the zero byte or the invalid character"
    case "22003": "a value is out of the range of its column: \(told). Change the value"
    case "54000":
      "a value is too large for the PostgreSQL server: \(told). Shorten the value, or remove the fetch index or "
        + "uniqueness constraint that contains it"
    case "23502", "23514":
      "the table \(table ?? "") has a rule that the model does not have: \(told). Change the value, or drop "
        + "the rule"
    case "23505":
      "another row has the same values in the properties of a uniqueness constraint: \(told). Change the "
        + "values, or set a merge policy"
    case "23503":
      "a relationship of this save refers to a row that another save has deleted: \(told); refresh the "
        + "objects, or set a merge policy, and save again"
    case "25006":
      "the PostgreSQL server only allows reading: \(told). Connect to the primary server, for example with "
        + "target_session_attrs=read-write in the URL"
    case "42501":
      "the user of the PostgreSQL store lacks a permission: \(told). Grant it, or use another user in the URL"
    case "42P01", "42703", "42804", "3F000":
      "the schema in the database does not have the tables and columns of the store, so another program has "
        + "changed it: \(told). Restore the definition that docs/postgresql.md describes"
    case "53100":
      "the disk of the PostgreSQL server is full: \(told). Free space on the server, and save again"
    case "53300":
      "the PostgreSQL server accepts no further connections: \(told). Close connections, raise its "
        + "max_connections, or lower the store's limit of connections"
    case "55P03": "another connection holds a lock: \(told). Try again"
    case "57014":
      "the PostgreSQL server cancelled the statement: \(told). If the statement timeout of the store is too "
        + "short, raise it"
    case "57P01", "57P02", "57P03", "57P05":
      "the PostgreSQL server ended the connection: \(told). Unsaved changes are kept; try again when the "
        + "server accepts connections"
    case "25P03":
      "the PostgreSQL server ended the connection, because a transaction was idle for too long: \(told). Save "
        + "again"
    case "40001", "40P01":
      "another save interfered with this save: \(told). Save again"
    default: "the PostgreSQL server reports an error: \(told)"
    }
  }
}
#endif
