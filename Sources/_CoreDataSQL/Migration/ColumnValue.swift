// SPDX-License-Identifier: Apache-2.0

/// The value of a column in a migrated row, computed from the old row.
enum ColumnValue: Hashable {
  case null
  /// The value of an old column.
  case column(String)
  /// An SQL literal.
  case constant(String)
  /// The value of an old column or, if the value is NULL, an SQL literal.
  case filled(String, constant: String)
  /// An expression over one old column; the result is NULL if the column is NULL.
  case converted(String, expression: String)

  var text: String {
    switch self {
    case .null: "NULL"
    case .column(let name): name
    case .constant(let literal): literal
    case .filled(let name, let constant): "COALESCE(\(name), \(constant))"
    case .converted(_, let expression): expression
    }
  }

  var column: String? {
    switch self {
    case .null, .constant: nil
    case .column(let name), .filled(let name, _), .converted(let name, _): name
    }
  }
}

/// A column of a new table, with its values for the rows of each old entity.
struct ColumnSource {
  let name: String
  let type: String
  /// Old entity number → value; the value is NULL for any other entity.
  private(set) var values: [Int64: ColumnValue] = [:]

  init(name: String, type: String) {
    self.name = name
    self.type = type
  }

  mutating func set(_ value: ColumnValue, for number: Int64) { values[number] = value }

  /// Returns the value that all entities with the numbers `members` have in common; nil if their values
  /// differ.
  func common(to members: [Int64]) -> ColumnValue? {
    guard let first = members.first else { return .null }
    let value = values[first] ?? .null
    return members.allSatisfy { (values[$0] ?? .null) == value } ? value : nil
  }

  /// Returns an SQL expression for the value in rows of the entities with the numbers `members`.
  func expression(over members: [Int64]) -> String {
    if let common = common(to: members) { return common.text }
    var numbers: [String: [Int64]] = [:]
    for (number, value) in values where value != .null {
      numbers[value.text, default: []].append(number)
    }
    let cases = numbers.map { ($0.key, $0.value.sorted()) }.sorted { $0.1[0] < $1.1[0] }
    let texts = cases.map { "WHEN Z_ENT IN (\(SQLList.text($0.1))) THEN \($0.0)" }
    return "CASE " + texts.joined(separator: " ") + " END"
  }

  /// The old column to which this column corresponds; nil if no value uses an old column.
  ///
  /// This is the old column with the same name if the value for any entity uses it, and otherwise the old
  /// column that the values for the most entities use.
  var mainColumn: String? {
    var counts: [String: Int] = [:]
    for value in values.values { value.column.map { counts[$0, default: 0] += 1 } }
    if counts[name] != nil { return name }
    return counts.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }.first?.key
  }
}

enum SQLList {
  static func text(_ numbers: some Sequence<Int64>) -> String {
    numbers.map(String.init).joined(separator: ", ")
  }

  /// Returns an SQL expression that replaces each old entity number in `column` with the new one, and leaves
  /// other values unchanged.
  static func renumbered(_ column: String, _ numbers: [(old: Int64, new: Int64)]) -> String {
    let changed = numbers.filter { $0.old != $0.new }
    if changed.isEmpty { return column }
    let cases = changed.map { "WHEN \($0.old) THEN \($0.new)" }.joined(separator: " ")
    return "CASE \(column) \(cases) ELSE \(column) END"
  }
}
