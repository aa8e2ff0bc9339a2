// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite

/// Collects the rows whose derived attributes were computed by triggers.
///
/// Apple's triggers report each such row: they call `NSCoreDataDATriggerUpdatedAffectedObjectValue` or
/// `NSCoreDataDATriggerInsertUpdatedAffectedObjectValue` with the table, entity number, primary key,
/// attribute and value. A connection without these functions cannot write to tables with such triggers.
/// Source: observed, stores of frameworks 1340 and 1344.
final class DerivedValues {
  struct Row: Hashable {
    let entityNumber: Int64
    let number: Int64
  }

  @exclusivity(unchecked) private var rows: Set<Row> = []

  var isEmpty: Bool { rows.isEmpty }

  /// Removes and returns the rows reported since the last call.
  func removeAll() -> Set<Row> {
    defer { rows.removeAll(keepingCapacity: false) }
    return rows
  }

  /// Removes the rows reported since the last call of `removeAll()`.
  func discardAll() { if !rows.isEmpty { rows = [] } }

  private static let names = [
    "NSCoreDataDATriggerUpdatedAffectedObjectValue",
    "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
  ]

  /// Registers the functions with a connection, which must retain this object.
  func register(on handle: OpaquePointer) {
    let owner = Unmanaged.passUnretained(self).toOpaque()
    for name in Self.names {
      sqlite3_create_function_v2(handle, name, 5, SQLITE_UTF8, owner, Self.call, nil, nil, nil)
    }
  }

  private static let call:
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
      context,
      count,
      arguments in
      if count == 5, let arguments, let owner = sqlite3_user_data(context) {
        let row = Row(
          entityNumber: sqlite3_value_int64(arguments[1]),
          number: sqlite3_value_int64(arguments[2])
        )
        // The object is alive, because the connection retains it.
        Unmanaged<DerivedValues>.fromOpaque(owner).takeUnretainedValue().rows.insert(row)
      }
      sqlite3_result_null(context)
    }
}
