// SPDX-License-Identifier: Apache-2.0

/// What a column of a migrated row gets, in terms of the row as it was.
enum ColumnValue: Hashable {
  case null
  /// A column's value, as it is.
  case column(String)
  /// A value that is written out in SQL.
  case constant(String)
  /// A column's value, or a constant where it is NULL.
  case filled(String, constant: String)
  /// An expression over one column, NULL where that is NULL.
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

  /// The column that the value is made of.
  var column: String? {
    switch self {
    case .null, .constant: nil
    case .column(let name), .filled(let name, _), .converted(let name, _): name
    }
  }
}

/// A column of a new table, and what rows of each old entity give it.
struct ColumnSource {
  let name: String
  let type: String
  /// Old entity number → value; entities without one get NULL.
  private(set) var values: [Int64: ColumnValue] = [:]

  init(name: String, type: String) {
    self.name = name
    self.type = type
  }

  mutating func set(_ value: ColumnValue, for number: Int64) { values[number] = value }

  /// The value where rows of all `members` get the same one.
  func common(to members: [Int64]) -> ColumnValue? {
    guard let first = members.first else { return .null }
    let value = values[first] ?? .null
    return members.allSatisfy { (values[$0] ?? .null) == value } ? value : nil
  }

  /// The value as an expression over a row of any of `members`.
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

  /// The column that most entities take the value from.
  var mainColumn: String? {
    var counts: [String: Int] = [:]
    for value in values.values { value.column.map { counts[$0, default: 0] += 1 } }
    if counts[name] != nil { return name }
    return counts.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }.first?.key
  }
}

/// Lists of numbers in statements.
enum SQLList {
  static func text(_ numbers: some Sequence<Int64>) -> String {
    numbers.map(String.init).joined(separator: ", ")
  }

  /// `column` with each number replaced by its new one; the column alone where none changes.
  static func renumbered(_ column: String, _ numbers: [(old: Int64, new: Int64)]) -> String {
    let changed = numbers.filter { $0.old != $0.new }
    if changed.isEmpty { return column }
    let cases = changed.map { "WHEN \($0.old) THEN \($0.new)" }.joined(separator: " ")
    return "CASE \(column) \(cases) ELSE \(column) END"
  }
}
