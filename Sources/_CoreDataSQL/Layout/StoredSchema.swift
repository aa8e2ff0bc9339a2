// SPDX-License-Identifier: Apache-2.0

/// The schema of an existing file: entity numbers, tables and their columns.
package struct StoredSchema: Sendable {
  /// Entity name → `Z_ENT`.
  package var numbers: [String: Int64]
  /// Table name → the names of its columns, in the order of the table.
  package var columns: [String: [String]]
  package init(numbers: [String: Int64], columns: [String: [String]]) {
    self.numbers = numbers
    self.columns = columns
  }

  func hasColumn(_ column: String, in table: String) -> Bool {
    columns[table]?.contains(column) ?? false
  }

  /// Returns the column of `table` whose name is `base`, or `base` followed by a number; nil if there is no
  /// such column.
  ///
  /// Never returns the column `taken`.
  func column(like base: String, in table: String, except taken: String? = nil) -> String? {
    guard let names = columns[table] else { return nil }
    if names.contains(base), base != taken { return base }
    return names.first { name in
      name != taken && name.hasPrefix(base) && name.count > base.count
        && name.dropFirst(base.count).allSatisfy(\.isNumber)
    }
  }
}
