// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

/// The statements that write rows, and the parameters of each.
struct PostgresStatements: Sendable {
  /// The value of one parameter, or of one field of COPY.
  struct Step: Sendable {
    enum Role: Sendable { case value, part(Int), reference, entityNumber }
    let role: Role
    let kind: SlotKind
    let slot: Int
    /// The type of a null.
    let type: UInt32
    /// The function of a derived attribute, whose value is made from that of `slot`.
    var function: TextFunction?
  }
  /// The insertion of rows of one entity.
  struct Insert: Sendable {
    let text: String
    /// The table and columns for COPY.
    let target: String
    /// The columns, and the values or parameters of each.
    let names: [String]
    let values: [String]
    let steps: [Step]
  }
  let layout: Layout
  let derivations: ServerDerivations
  let inserts: [Insert]
  let constraints: UniquenessConstraints

  init(_ layout: Layout) {
    self.layout = layout
    let derivations = ServerDerivations(layout)
    self.derivations = derivations
    inserts = layout.entities.map { Self.insert($0, derivations.own[$0.entity]) }
    constraints = UniquenessConstraints(layout.model)
  }

  /// The version of a row as objects keep it: the lowest 32 bits.
  private static let version = "(z_opt & 4294967295)"

  private static func insert(
    _ entity: EntityLayout,
    _ derived: [Int: ServerDerivations.Own]
  ) -> Insert {
    var names = ["z_pk", "z_ent", "z_opt"]
    var steps: [Step] = []
    for column in entity.columns { append(column, derived: derived[column.slot], &names, &steps) }
    let marks = (1...(names.count - 2)).map { "$\($0)" }
    let target = "\(entity.table) (\(names.joined(separator: ", ")))"
    let values = [marks[0], "\(entity.number)", "1"] + marks.dropFirst()
    return Insert(
      text: "INSERT INTO \(target) VALUES (\(values.joined(separator: ", ")))",
      target: target,
      names: names,
      values: values,
      steps: steps
    )
  }

  private static func append(
    _ column: PropertyColumn,
    derived: ServerDerivations.Own?,
    _ names: inout [String],
    _ steps: inout [Step]
  ) {
    if column.parts.isEmpty {
      names.append(column.name)
      let role: Step.Role = column.kind == .reference ? .reference : .value
      var step = step(role, column.kind, derived?.source ?? column.slot)
      step.function = derived?.function
      steps.append(step)
    }
    for (index, part) in column.parts.enumerated() {
      names.append(part.column.name)
      steps.append(step(.part(index), part.column.kind, column.slot))
    }
    if let entityColumn = column.entityColumn {
      names.append(entityColumn)
      steps.append(
        Step(
          role: .entityNumber,
          kind: .reference,
          slot: column.slot,
          type: PostgresType.integer
        )
      )
    }
  }

  private static func step(_ role: Step.Role, _ kind: SlotKind, _ slot: Int) -> Step {
    Step(role: role, kind: kind, slot: slot, type: type(kind))
  }

  private static func type(_ kind: SlotKind) -> UInt32 {
    switch kind {
    case .integer, .reference: PostgresType.bigint
    case .boolean: PostgresType.boolean
    case .double, .date: PostgresType.double
    case .decimal: PostgresType.numeric
    case .text, .url: PostgresType.text
    case .uuid: PostgresType.uuid
    case .data, .opaque, .none: PostgresType.bytea
    }
  }

  /// A statement with its parameters; the primary key follows them and, if the version is checked, the version.
  struct Update: Sendable {
    let text: String
    let steps: [Step]
  }

  /// Returns the UPDATE of some slots in one row.
  func update(_ entity: Int, slots: SlotSet, checksVersion: Bool) -> Update {
    let (head, steps) = settings(entity, slots) { "$\($0)" }
    return Update(
      text: "\(head) WHERE z_pk = $\(steps.count + 1)"
        + (checksVersion ? " AND \(Self.version) = $\(steps.count + 2)" : ""),
      steps: steps
    )
  }

  /// Returns the UPDATE of some slots in the rows of an array of keys, which is the last parameter.
  func updateMany(_ entity: Int, slots: SlotSet) -> Update {
    let (head, steps) = settings(entity, slots) { "$\($0)" }
    return Update(text: "\(head) WHERE z_pk = ANY($\(steps.count + 1))", steps: steps)
  }

  /// Returns the UPDATE of some slots in many rows, with different values for each row.
  ///
  /// Each parameter is an array: the values of each step, the keys and, if they are checked, the versions. The
  /// statement returns the keys of the rows that were updated.
  func updateEach(_ entity: Int, slots: SlotSet, checksVersion: Bool) -> Update {
    let (head, steps) = settings(entity, slots) { "v.z_c\($0)" }
    let keys = [PostgresType.bigint, PostgresType.bigint].prefix(checksVersion ? 2 : 1)
    let types = steps.map(\.type) + keys
    // The planner must not know how many rows there are, or it might read the whole table instead of its index.
    let arrays = types.enumerated().map {
      "(SELECT $\($0 + 1)::\(PostgresType.arrayName(of: $1)))"
    }
    let names = types.indices.map { "z_c\($0 + 1)" }
    return Update(
      text:
        "\(head) FROM unnest(\(arrays.joined(separator: ", "))) AS v(\(names.joined(separator: ", "))) "
        + "WHERE z_pk = v.z_c\(steps.count + 1)"
        + (checksVersion ? " AND \(Self.version) = v.z_c\(steps.count + 2)" : "")
        + " RETURNING z_pk",
      steps: steps
    )
  }

  /// Returns an UPDATE up to its WHERE clause, and its parameters; `value` returns the SQL of the value with a
  /// number, from 1.
  private func settings(
    _ entity: Int,
    _ slots: SlotSet,
    value: (Int) -> String
  ) -> (text: String, steps: [Step]) {
    let table = layout.entities[entity]
    var parts = ["z_opt = z_opt + 1"]
    var steps: [Step] = []
    for slot in written(slots, entity) {
      guard let column = table.column(slot) else { continue }
      var names: [String] = []
      var own: [Step] = []
      Self.append(column, derived: derivations.own[entity][slot], &names, &own)
      for (name, step) in zip(names, own) {
        steps.append(step)
        parts.append("\(name) = \(value(steps.count))")
      }
      if let order = column.orderColumn {
        let reference = value(steps.count - own.count + 1)
        parts.append(
          "\(order) = CASE WHEN \(column.name) IS NOT DISTINCT FROM \(reference) THEN \(order) END"
        )
      }
    }
    return ("UPDATE \(table.table) SET \(parts.joined(separator: ", "))", steps)
  }

  /// Returns the slots that are written with `slots`: without derived attributes, and with those that are made
  /// from the values of these slots.
  func written(_ slots: SlotSet, _ entity: Int) -> [Int] {
    let derived = derivations.slots[entity]
    if derived.isEmpty { return Array(slots) }
    return slots.filter { !derived.contains($0) }
      + derivations.own[entity].filter { slots.contains($0.value.source) }.keys.sorted()
  }

  /// Returns the statement that sets columns of uniqueness constraints to null, and keeps the version; nil if
  /// the slots have no such column.
  func clear(_ entity: Int, slots: SlotSet) -> String? {
    let table = layout.entities[entity]
    let unique = Set(constraints.byEntity[entity].flatMap { constraints.all[$0].slots })
    let names = unique.filter(slots.contains).sorted().flatMap { table.column($0)?.names ?? [] }
    if names.isEmpty { return nil }
    let parts = names.map { "\($0) = NULL" }.joined(separator: ", ")
    return "UPDATE \(table.table) SET \(parts) WHERE z_pk = $1"
  }

  func delete(_ entity: Int, checksVersion: Bool) -> String {
    "DELETE FROM \(layout.entities[entity].table) WHERE z_pk = $1"
      + (checksVersion ? " AND \(Self.version) = $2" : "")
  }

  /// Returns the query for the version of a row, which no other transaction can change or delete until the end
  /// of this one.
  func version(_ entity: Int) -> String {
    "SELECT \(Self.version) FROM \(layout.entities[entity].table) WHERE z_pk = $1 FOR SHARE"
  }

  /// Returns the query for those of an array of keys that have a row.
  func present(_ entity: Int) -> String {
    "SELECT z_pk FROM \(layout.entities[entity].table) WHERE z_pk = ANY($1)"
  }
}

/// The statements for the pairs of to-many relationships, whose parameters are owner and member.
extension MemberLayout {
  var addPair: String {
    isJoin
      ? "INSERT INTO \(table) (\(ownerColumn), \(memberColumn)) VALUES ($1, $2) ON CONFLICT DO NOTHING"
      : "UPDATE \(table) SET \(ownerColumn) = $1 WHERE \(memberColumn) = $2"
  }

  var removePair: String {
    let order = orderColumn.map { ", \($0) = NULL" } ?? ""
    return
      (isJoin ? "DELETE FROM \(table)" : "UPDATE \(table) SET \(ownerColumn) = NULL\(order)")
      + " WHERE \(ownerColumn) = $1 AND \(memberColumn) = $2"
  }

  /// The query for members and their positions, by the owner; nil if the relationship is not ordered.
  var positions: String? {
    orderColumn.map { "SELECT \(memberColumn), \($0) FROM \(table) WHERE \(ownerColumn) = $1" }
  }

  /// The statement that sets the position of a member; the parameters are position, owner and member.
  var setPosition: String? {
    orderColumn.map {
      "UPDATE \(table) SET \($0) = $1 WHERE \(ownerColumn) = $2 AND \(memberColumn) = $3"
    }
  }
}
#endif
