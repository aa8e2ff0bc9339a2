// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataPredicate

/// How a store in a database server keeps derived attributes up to date.
///
/// Counts, sums, attributes of a to-one's destination and `now()` are kept by triggers, also for the writes of
/// other programs. Texts that are folded are computed by this library when it writes a row, because a server
/// folds other characters.
package struct ServerDerivations: Sendable {
  /// An attribute that is computed from another attribute of the same row.
  package struct Own: Sendable {
    package let source: Int
    /// Nil for the value itself.
    package let function: TextFunction?
  }

  /// A text that is computed from an attribute of a to-one's destination.
  package struct Followed: Sendable {
    package let entity: Int
    /// The slot of the to-one.
    package let link: Int
    package let destination: Int
    /// The slot of the destination's attribute.
    package let source: Int
    package let function: TextFunction
    /// The statement for the texts of an array of destinations, whose rows stay locked.
    package let select: String
    /// The statement that writes an array of texts to the rows that refer to an array of destinations, and
    /// returns entity numbers and keys.
    package let update: String
    /// The statement that writes null to those of an array of rows that refer to nothing.
    package let clear: String
  }

  /// Entity index → slot of a derived attribute → how it is computed.
  package private(set) var own: [[Int: Own]]
  package private(set) var followed: [Followed] = []
  /// The statements that create functions and triggers.
  package private(set) var statements: [String] = []
  /// The statements that compute the values of all rows.
  package private(set) var computations: [String] = []
  /// The derived attributes that are not computed, as `Entity.attribute`, with their expressions.
  package private(set) var uncomputed: [(name: String, expression: String)] = []
  /// Entity index → the slots of its derived attributes.
  package private(set) var slots: [SlotSet]

  private let layout: Layout
  private var count = 0

  package init(_ layout: Layout) {
    self.layout = layout
    own = layout.model.entities.map { _ in [:] }
    slots = layout.model.entities.map { _ in SlotSet() }
    for entity in layout.model.entities {
      for property in entity.properties where property.declaringEntity == entity.index {
        guard let text = property.attribute?.derivation else { continue }
        if property.isStored {
          for member in entity.family { slots[member].insert(property.slot) }
        }
        if !add(property, of: entity, text) {
          uncomputed.append(("\(entity.name).\(property.name)", text))
        }
      }
    }
  }

  /// Whether no attribute of the model is derived.
  package var isEmpty: Bool { slots.allSatisfy(\.isEmpty) }

  /// The setting of a transaction that makes the triggers report the rows that they change.
  package static let reporting = "coredata.derived"
  /// The statement that begins the reports of a transaction.
  package static let begin =
    "CREATE TEMPORARY TABLE IF NOT EXISTS z_derived (z_ent integer, z_row bigint) ON COMMIT DELETE ROWS"
  /// The query for the reported rows: entity numbers and keys.
  package static let reported = "SELECT DISTINCT z_ent, z_row FROM pg_temp.z_derived"
  /// The beginning of the names of all functions of derived attributes.
  package static let prefix = "z_set_"

  // MARK: Kinds

  /// Adds an attribute; false if its expression is not supported.
  private mutating func add(
    _ property: PropertyDefinition,
    of entity: EntityDefinition,
    _ text: String
  ) -> Bool {
    let place = layout.entities[entity.index]
    guard property.isStored, let derivation = Derivation(text),
      let column = place.column(property.slot), let name = column.singleName
    else { return false }
    let numbers = entity.family.map { "\(layout.entities[$0].number)" }.joined(separator: ", ")
    let target = Target(
      table: place.table,
      column: name,
      condition: place.sharesTable && entity.parent != nil ? "NEW.z_ent IN (\(numbers))" : nil
    )
    switch derivation {
    case .now:
      if column.kind != .date { return false }
      addTime(target)
    case .own(let function, let key):
      guard let slot = source(key, of: entity.index, like: column, function) else { return false }
      for member in entity.family {
        own[member][property.slot] = Own(source: slot, function: function)
      }
    case .value(let link, let key):
      return addValue(of: key, through: link, of: entity, column, target)
    case .function(let function, let link, let key):
      return addFollowed(function, of: key, through: link, of: entity, column, target)
    case .count(let relationship):
      guard column.kind.isNumber, let slot = entity.slotByName[relationship],
        let members = place.members[slot]
      else { return false }
      addSum(members, source: nil, target)
    case .sum(let relationship, let key):
      guard column.kind.isNumber, let slot = entity.slotByName[relationship],
        let members = place.members[slot], !members.isJoin,
        let other = entity.properties[slot].relationship?.destination,
        let source = layout.model.entities[other].slotByName[key]
          .flatMap({ layout.entities[other].column($0) }),
        source.kind.isNumber, let sourceName = source.singleName
      else { return false }
      addSum(members, source: sourceName, target)
    }
    return true
  }

  /// Returns the slot of an attribute whose values, or their folded texts, a column can hold.
  private func source(
    _ key: String,
    of entity: Int,
    like column: PropertyColumn,
    _ function: TextFunction?
  ) -> Int? {
    let definition = layout.model.entities[entity]
    guard let slot = definition.slotByName[key], definition.properties[slot].attribute != nil,
      let source = layout.entities[entity].column(slot), source.singleName != nil,
      source.kind == column.kind, function == nil || source.kind == .text
    else { return nil }
    return slot
  }

  /// An attribute of a to-one's destination, and the to-one.
  private struct LinkedSource {
    /// The slot and the column of the to-one.
    let link: Int
    let column: String
    let destination: Int
    let table: String
    /// The slot and the column of the destination's attribute.
    let sourceSlot: Int
    let source: String
  }

  /// Returns the attribute `key` of the destination of the to-one `name`; nil if there is no such attribute with
  /// values, or folded texts, that a column can hold.
  private func linkedSource(
    _ key: String,
    through name: String,
    of entity: EntityDefinition,
    _ column: PropertyColumn,
    _ function: TextFunction?
  ) -> LinkedSource? {
    guard let link = entity.slotByName[name],
      let linkColumn = layout.entities[entity.index].column(link),
      let destination = entity.properties[link].relationship?.destination,
      let sourceSlot = source(key, of: destination, like: column, function),
      let source = layout.entities[destination].column(sourceSlot)
    else { return nil }
    return LinkedSource(
      link: link,
      column: linkColumn.name,
      destination: destination,
      table: layout.entities[destination].table,
      sourceSlot: sourceSlot,
      source: source.name
    )
  }

  // MARK: Triggers

  private struct Target {
    let table: String
    let column: String
    /// The condition of triggers on the table; nil if every row has the attribute.
    let condition: String?

    func when(_ other: String? = nil) -> String {
      let parts = [condition, other].compactMap(\.self)
      return parts.isEmpty ? "" : "WHEN (\(parts.joined(separator: " AND "))) "
    }

    /// Returns the statements of a function that change the attribute in the rows that meet a condition, and
    /// report them.
    func update(_ value: String, where rows: String) -> String {
      let update = "UPDATE \(table) SET \(column) = \(value) WHERE \(rows)"
      return
        "IF coalesce(current_setting('\(ServerDerivations.reporting)', true), '') = '' THEN \(update); "
        + "ELSE WITH u AS (\(update) RETURNING z_ent, z_pk) "
        + "INSERT INTO pg_temp.z_derived SELECT z_ent, z_pk FROM u; END IF;"
    }
  }

  /// Adds a function and returns its name.
  private mutating func function(_ body: String, returns row: String) -> String {
    count += 1
    let name = "\(Self.prefix)\(count)"
    statements.append(
      "CREATE FUNCTION \(name)() RETURNS trigger LANGUAGE plpgsql AS $z$BEGIN \(body) RETURN \(row); END$z$"
    )
    return name
  }

  private mutating func trigger(
    _ function: String,
    _ suffix: String,
    _ event: String,
    on table: String,
    when: String = ""
  ) {
    statements.append(
      "CREATE TRIGGER \(function)_\(suffix) \(event) ON \(table) FOR EACH ROW \(when)"
        + "EXECUTE FUNCTION \(function)()"
    )
  }

  private mutating func addTime(_ target: Target) {
    let value = "extract(epoch FROM clock_timestamp()) - 978307200"
    let name = function("NEW.\(target.column) := \(value);", returns: "NEW")
    trigger(name, "insert", "BEFORE INSERT", on: target.table, when: target.when())
    // After the trigger that raises the version, whose name comes first.
    trigger(
      name,
      "update",
      "BEFORE UPDATE",
      on: target.table,
      when: target.when("OLD.z_opt IS DISTINCT FROM NEW.z_opt")
    )
  }

  private mutating func addSum(_ members: MemberLayout, source: String?, _ target: Target) {
    let (owner, column) = (members.ownerColumn, target.column)
    func step(_ row: String, _ sign: String) -> String {
      let amount = source.map { "coalesce(\(row).\($0), 0)" } ?? "1"
      return target.update(
        "coalesce(\(column), 0) \(sign) \(amount)",
        where: "z_pk = \(row).\(owner)"
      )
    }
    let differs =
      (["OLD.\(owner) IS DISTINCT FROM NEW.\(owner)"]
      + [source].compactMap { $0 }.map { "OLD.\($0) IS DISTINCT FROM NEW.\($0)" })
      .joined(separator: " OR ")
    // Added and subtracted, so that two transactions which add members do not overwrite each other's result.
    let steps = function(
      "IF TG_OP = 'UPDATE' THEN IF NOT (\(differs)) THEN RETURN NULL; END IF; END IF; "
        + "IF TG_OP <> 'INSERT' THEN IF OLD.\(owner) IS NOT NULL THEN \(step("OLD", "-")) END IF; END IF; "
        + "IF TG_OP <> 'DELETE' THEN IF NEW.\(owner) IS NOT NULL THEN \(step("NEW", "+")) END IF; END IF;",
      returns: "NULL"
    )
    let columns = [owner, source].compactMap(\.self).joined(separator: ", ")
    trigger(
      steps,
      "member",
      "AFTER INSERT OR DELETE OR UPDATE OF \(columns)",
      on: members.table
    )
    let all = source.map { "coalesce(sum(\($0)), 0)" } ?? "count(*)"
    func total(_ key: String) -> String {
      "(SELECT \(all) FROM \(members.table) AS m WHERE m.\(owner) = \(key))"
    }
    let first = function("NEW.\(column) := \(total("NEW.z_pk"));", returns: "NEW")
    trigger(first, "owner", "BEFORE INSERT", on: target.table, when: target.when())
    compute(target, total("t.z_pk"))
  }

  private mutating func compute(_ target: Target, _ value: String) {
    let condition = target.condition.map { $0.replacing("NEW.", with: "t.") + " AND " } ?? ""
    computations.append(
      "UPDATE \(target.table) AS t SET \(target.column) = \(value) "
        + "WHERE \(condition)t.\(target.column) IS DISTINCT FROM \(value)"
    )
  }

  private mutating func addValue(
    of key: String,
    through name: String,
    of entity: EntityDefinition,
    _ column: PropertyColumn,
    _ target: Target
  ) -> Bool {
    guard let place = linkedSource(key, through: name, of: entity, column, nil) else {
      return false
    }
    let (link, source, other) = (place.column, place.source, place.table)
    // The row stays locked, so that a transaction which changes it waits, and then changes this row, too.
    let own = function(
      "NEW.\(target.column) := "
        + "(SELECT d.\(source) FROM \(other) AS d WHERE d.z_pk = NEW.\(link) FOR SHARE);",
      returns: "NEW"
    )
    trigger(
      own,
      "link",
      "BEFORE INSERT OR UPDATE OF \(link)",
      on: target.table,
      when: target.when()
    )
    let followers = function(
      target.update("NEW.\(source)", where: "\(link) = NEW.z_pk"),
      returns: "NULL"
    )
    trigger(followers, "value", "AFTER INSERT OR UPDATE OF \(source)", on: other)
    compute(target, "(SELECT d.\(source) FROM \(other) AS d WHERE d.z_pk = t.\(link))")
    return true
  }

  private mutating func addFollowed(
    _ function: TextFunction,
    of key: String,
    through name: String,
    of entity: EntityDefinition,
    _ column: PropertyColumn,
    _ target: Target
  ) -> Bool {
    guard let place = linkedSource(key, through: name, of: entity, column, function) else {
      return false
    }
    let (link, source) = (place.column, place.source)
    followed.append(
      Followed(
        entity: entity.index,
        link: place.link,
        destination: place.destination,
        source: place.sourceSlot,
        function: function,
        select: "SELECT z_pk, \(source) FROM \(place.table) "
          + "WHERE z_pk = ANY($1) FOR SHARE",
        update: "UPDATE \(target.table) AS t SET \(target.column) = v.x "
          + "FROM unnest($1::bigint[], $2::text[]) AS v (d, x) WHERE t.\(link) = v.d "
          + "AND t.\(target.column) IS DISTINCT FROM v.x RETURNING t.z_ent, t.z_pk",
        clear: "UPDATE \(target.table) SET \(target.column) = NULL "
          + "WHERE z_pk = ANY($1) AND \(link) IS NULL AND \(target.column) IS NOT NULL"
      )
    )
    return true
  }
}

extension SlotKind {
  /// Whether sums can be written to a column of this kind.
  fileprivate var isNumber: Bool {
    switch self {
    case .integer, .double, .decimal: true
    case .boolean, .date, .text, .url, .uuid, .data, .opaque, .reference, .none: false
    }
  }
}
#endif
