// SPDX-License-Identifier: Apache-2.0

/// Plans the migration of an old table to a new one, either with `ALTER TABLE` or by copying the rows.
struct TableMigration {
  let table: TableSource
  let source: String
  /// The old table's columns, in their order.
  private let stored: [String]
  /// Column of the old layout → the numbers of the entities that use it.
  private let users: [String: Set<Int64>]
  /// The numbers of the old entities whose rows are not in the new table.
  private let gone: [Int64]
  /// Column of the new table → the column of the old table that becomes it.
  private var claims: [String: String] = [:]
  private let isConstrained: Bool
  /// The columns of the old table that the old model does not describe.
  private let others: [ProgramColumn]
  /// Whether columns that no new column uses are renamed, to be dropped later.
  private let isDeferring: Bool

  static let temporary = "CDM_"
  private static let own: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]

  init(
    _ table: TableSource,
    source: String,
    old: Layout,
    file: StoredObjects,
    isDeferring: Bool
  ) {
    self.table = table
    self.source = source
    self.isDeferring = isDeferring
    stored = file.schema.columns[source] ?? []
    let kept = Set(table.numbers)
    var users: [String: Set<Int64>] = [:]
    var numbers: Set<Int64> = []
    for entity in old.entities where entity.table == source {
      numbers.insert(entity.number)
      for column in entity.columns {
        let names = column.names + [column.entityColumn, column.orderColumn].compactMap(\.self)
        for name in names { users[name, default: []].insert(entity.number) }
      }
    }
    for entity in old.entities {
      for members in entity.members.values where members.isHidden && members.table == source {
        for name in [members.ownerColumn, members.orderColumn].compactMap(\.self) {
          users[name] = numbers
        }
      }
    }
    gone = numbers.subtracting(kept).sorted()
    users = users.filter { name, _ in file.schema.hasColumn(name, in: source) }
    self.users = users
    let known = Self.own.union(users.keys)
    others = ProgramColumn.of(
      source,
      in: file,
      known: known.union(stored.filter(Leftover.isName)),
      taken: Self.own.union(table.columns.map(\.name))
    )
    isConstrained = TableDefinition(file.definitions[source] ?? "")
      .isConstrained { !known.contains($0.name) }
    claim()
  }

  // MARK: Matching columns

  /// Returns the old column whose values become the values of the new column, unchanged in every row; nil if
  /// there is no such column.
  private func plainColumn(of column: ColumnSource) -> String? {
    guard let name = column.mainColumn, let users = users[name] else { return nil }
    let isPlain = table.numbers.allSatisfy { number in
      let value = column.values[number] ?? .null
      return value == .column(name) || value == .null && !users.contains(number)
    }
    return isPlain ? name : nil
  }

  private mutating func claim() {
    var taken: Set<String> = []
    func claim(_ column: ColumnSource, _ name: String?, _ claims: inout [String: String]) {
      guard claims[column.name] == nil, let name, users[name] != nil, !taken.contains(name) else {
        return
      }
      claims[column.name] = name
      taken.insert(name)
    }
    var found: [String: String] = [:]
    let plain = table.columns.map { ($0, plainColumn(of: $0)) }
    for (column, name) in plain where name == column.name { claim(column, name, &found) }
    for (column, name) in plain { claim(column, name, &found) }
    for column in table.columns where column.mainColumn == column.name {
      claim(column, column.name, &found)
    }
    for column in table.columns { claim(column, column.mainColumn, &found) }
    claims = found
  }

  /// The columns of the old layout that do not become new columns, and the leftovers of earlier migrations.
  private var unused: [String] {
    let used = Set(claims.values)
    return stored.filter { (users[$0] != nil || Leftover.isName($0)) && !used.contains($0) }
  }

  var isCopied: Bool {
    if !table.isSuccessor || isConstrained { return true }
    // Dropping a column rewrites all rows, so one copy is faster than dropping several columns. A copy loses
    // indexes and triggers that the program has created, and a table with columns of the program may have
    // such indexes and triggers.
    return unused.count > 1 && others.isEmpty && !isDeferring
  }

  /// Old column → new column, including columns that keep their name; dropped columns are left out.
  var renamedColumns: [String: String] {
    var names = Dictionary(uniqueKeysWithValues: stored.map { ($0, $0) })
    for name in unused { names[name] = nil }
    for other in others { names[other.name] = other.newName }
    for (new, old) in claims { names[old] = new }
    return names
  }

  private var isGoneCondition: String { "Z_ENT IN (\(SQLList.text(gone)))" }

  // MARK: Copying

  /// Returns the steps that create the new table as `name` and copy the rows.
  func copying(to name: String, _ new: Layout) -> [MigrationStep] {
    let members = table.members
    let filter = "Z_ENT IN (\(SQLList.text(table.numbers)))"
    let kept = others.filter { !$0.isGenerated }
    let columns =
      ["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map(\.name)
      + kept.map { ProgramColumn.quoted($0.newName) }
    let values =
      ["Z_PK", SQLList.renumbered("Z_ENT", members.map { ($0.old, $0.new) }), "Z_OPT"]
      + table.columns.map { $0.expression(over: table.numbers) }
      + kept.map { ProgramColumn.quoted($0.name) }
    let copy =
      "INSERT INTO \(name)(\(columns.joined(separator: ", "))) "
      + "SELECT \(values.joined(separator: ", ")) FROM \(source) WHERE \(filter)"
    let lost = table.isSuccessor ? losses : []
    return lost + [
      MigrationStep(
        .createTable,
        table.layout.name,
        statements: [new.create(table.layout, as: name, with: others.map(\.definition))]
      ),
      MigrationStep(.copyRows(from: source), table.layout.name, [copy])
        .touching("SELECT COUNT(*) FROM \(source) WHERE \(filter)"),
    ]
  }

  /// Steps without statements, which only count the values and rows that the copy loses.
  private var losses: [MigrationStep] {
    let columns = unused.filter { !Leftover.isName($0) }.map { name in
      MigrationStep(.dropColumn(name), source)
        .losing("SELECT COUNT(*) FROM \(source) WHERE \(name) IS NOT NULL")
    }
    if gone.isEmpty { return columns }
    return columns + [
      MigrationStep(.deleteRows, source)
        .losing("SELECT COUNT(*) FROM \(source) WHERE \(isGoneCondition)")
    ]
  }

  // MARK: In place

  /// The steps that alter the old table in place, under its old name.
  var altering: [MigrationStep] {
    var steps: [MigrationStep] = []
    if !gone.isEmpty {
      let count = "SELECT COUNT(*) FROM \(source) WHERE \(isGoneCondition)"
      steps.append(
        MigrationStep(.deleteRows, source, ["DELETE FROM \(source) WHERE \(isGoneCondition)"])
          .touching(count).losing(count)
      )
    }
    let moved = others.filter(\.isRenamed)
    steps += moved.map { renaming($0.name, $0.newName, isQuoted: true) }
    let present = Set(stored).subtracting(moved.map(\.name)).union(moved.map(\.newName))
    var physical = claims
    var updates: [Update] = []
    for column in table.columns {
      if claims[column.name] == nil {
        let name = present.contains(column.name) ? Self.temporary + column.name : column.name
        physical[column.name] = name
        steps.append(adding(column, as: name, &updates))
      } else if plainColumn(of: column) != claims[column.name] {
        updates.append(update(of: column, in: physical[column.name] ?? column.name))
      }
    }
    if let renumbering { updates.append(renumbering) }
    steps += statements(of: updates)
    steps += removals
    let renames = physical.filter { $0.key != $0.value }
    let left = present.subtracting(unused).union(physical.values)
    for (from, to) in Renaming.steps(renames.map { ($0.value, $0.key) }, taken: left) {
      steps.append(renaming(from, to))
    }
    return steps
  }

  private func renaming(_ from: String, _ to: String, isQuoted: Bool = false) -> MigrationStep {
    // SQLite keeps the quotes of a new name in the definitions of tables and indexes. Only columns of the
    // program are quoted, so that the other definitions are the same as in a new file.
    let (old, new) = isQuoted ? (ProgramColumn.quoted(from), ProgramColumn.quoted(to)) : (from, to)
    return MigrationStep(
      .renameColumn(from, to: to),
      source,
      ["ALTER TABLE \(source) RENAME COLUMN \(old) TO \(new)"]
    )
  }

  /// The steps that drop the unused columns, or rename them to be dropped later.
  private var removals: [MigrationStep] {
    var taken = Set(stored)
    return unused.compactMap { name in
      let isLeftover = Leftover.isName(name)
      let lost = "SELECT COUNT(*) FROM \(source) WHERE \(name) IS NOT NULL"
      if isDeferring {
        if isLeftover { return nil }
        let later = Leftover.name(for: name, taken: taken)
        taken.insert(later)
        return MigrationStep(
          .deferColumn(name, as: later),
          source,
          ["ALTER TABLE \(source) RENAME COLUMN \(name) TO \(later)"]
        ).losing(lost)
      }
      let step = MigrationStep(
        .dropColumn(name),
        source,
        ["ALTER TABLE \(source) DROP COLUMN \(name)"]
      ).touching("SELECT COUNT(*) FROM \(source)")
      return isLeftover ? step : step.losing(lost)
    }
  }

  private struct Update {
    let column: String
    let value: String
    /// The condition for the rows that change; nil for all rows.
    let condition: String?
  }

  private var renumbering: Update? {
    let changed = table.members.filter { $0.old != $0.new }.map { ($0.old, $0.new) }
    if changed.isEmpty { return nil }
    let isAll = changed.count == table.members.count
    return Update(
      column: "Z_ENT",
      value: changed.count == 1 && isAll
        ? "\(changed[0].1)" : SQLList.renumbered("Z_ENT", changed),
      condition: isAll ? nil : "Z_ENT IN (\(SQLList.text(changed.map(\.0))))"
    )
  }

  /// Returns the step that adds a column as `name`.
  ///
  /// A constant that is the same for all rows becomes the column's default, so that no row is written. All
  /// other values except NULL are written by an update, which is appended to `updates`.
  private func adding(
    _ column: ColumnSource,
    as name: String,
    _ updates: inout [Update]
  ) -> MigrationStep {
    var definition = "\(name) \(column.type)"
    switch column.common(to: table.numbers) {
    case .null: break
    case .constant(let literal): definition += " DEFAULT \(literal)"
    default: updates.append(update(of: column, in: name))
    }
    return MigrationStep(
      .addColumn(column.name),
      source,
      ["ALTER TABLE \(source) ADD COLUMN \(definition)"]
    )
  }

  private func update(of column: ColumnSource, in name: String) -> Update {
    switch column.common(to: table.numbers) {
    case .filled(name, let constant):
      Update(column: name, value: constant, condition: "\(name) IS NULL")
    case .converted(let other, let expression):
      Update(column: name, value: expression, condition: "\(other) IS NOT NULL")
    default:
      Update(column: name, value: column.expression(over: table.numbers), condition: nil)
    }
  }

  /// Returns one step for all updates if one of the updates changes all rows; otherwise returns one step for
  /// each update.
  private func statements(of updates: [Update]) -> [MigrationStep] {
    if updates.isEmpty { return [] }
    let shared = updates.filter { $0.condition == nil || updates.contains { $0.condition == nil } }
    func text(_ updates: [Update], _ condition: String?) -> String {
      let parts = updates.map { update in
        guard condition == nil, let own = update.condition else {
          return "\(update.column) = \(update.value)"
        }
        return "\(update.column) = iif(\(own), \(update.value), \(update.column))"
      }
      return "UPDATE \(source) SET " + parts.joined(separator: ", ")
        + (condition.map { " WHERE \($0)" } ?? "")
    }
    if !shared.isEmpty {
      return [
        MigrationStep(.changeRows, source, [text(updates, nil)])
          .touching("SELECT COUNT(*) FROM \(source)")
      ]
    }
    // The updates can run one after the other, because no update changes a column that the condition of
    // another update reads.
    return updates.map { update in
      MigrationStep(.changeRows, source, [text([update], update.condition)])
        .touching("SELECT COUNT(*) FROM \(source) WHERE \(update.condition ?? "1")")
    }
  }
}

enum Renaming {
  /// Orders the renamings so that each new name is free when it is needed; a temporary name breaks a cycle.
  ///
  /// `taken` contains the names in use before the first renaming.
  static func steps(
    _ pairs: [(from: String, to: String)],
    taken: Set<String>
  ) -> [(from: String, to: String)] {
    var taken = taken
    var pending = pairs.sorted { $0.from < $1.from }
    var steps: [(from: String, to: String)] = []
    while !pending.isEmpty {
      if let index = pending.firstIndex(where: { !taken.contains($0.to) }) {
        let pair = pending.remove(at: index)
        steps.append(pair)
        taken.remove(pair.from)
        taken.insert(pair.to)
      } else {
        let between = "CDT_" + pending[0].from
        steps.append((pending[0].from, between))
        taken.remove(pending[0].from)
        taken.insert(between)
        pending[0].from = between
      }
    }
    return steps
  }
}
