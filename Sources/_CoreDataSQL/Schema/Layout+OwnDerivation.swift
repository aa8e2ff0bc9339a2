// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// Derived attributes that no trigger in the file computes.
///
/// If this library can compute such an attribute, the write connection has temporary triggers for the
/// attribute, which disappear when the connection is closed.
///
/// The file does not contain these triggers, so Apple's framework and other programs can still open the file.
/// Source: this library's choice; Apple's functions for these derivations are not published, and no file
/// shows them.
extension Layout {
  /// Returns the statements that create temporary triggers for attributes that no trigger of the file
  /// computes.
  ///
  /// `stored` contains the names of the triggers in the file.
  package func temporaryTriggers(besides stored: [String]) -> [Statement] {
    derivedAttributes.flatMap { entity, property, text in
      isComputed(property, in: entity, by: stored)
        ? [] : ownTriggers(of: property, in: entity, text).map { Statement(text: $0) }
    }
  }

  /// Returns the derived attributes that neither a trigger in the file nor a temporary trigger computes, as
  /// `Entity.attribute`, with their expressions.
  package func uncomputedAttributes(
    besides stored: [String]
  ) -> [(name: String, expression: String)] {
    derivedAttributes.compactMap { entity, property, text in
      isComputed(property, in: entity, by: stored)
        || !ownTriggers(of: property, in: entity, text).isEmpty
        ? nil : ("\(entity.name).\(property.name)", text)
    }
  }

  package var hasDerivedAttributes: Bool { !derivedAttributes.isEmpty }

  private var derivedAttributes: [(EntityDefinition, PropertyDefinition, String)] {
    model.entities.flatMap { entity in
      entity.properties.compactMap { property in
        guard property.declaringEntity == entity.index, let text = property.attribute?.derivation
        else { return nil }
        return (entity, property, text)
      }
    }
  }

  /// Returns whether the file has a trigger that computes the attribute.
  ///
  /// The name of such a trigger is `Z_DA_`, then a table, the entity, the attribute and the kind, separated
  /// by `_`. Names of entities may also contain `_`, so the table is compared too.
  private func isComputed(
    _ property: PropertyDefinition,
    in entity: EntityDefinition,
    by stored: [String]
  ) -> Bool {
    let rest = "_\(entity.name)_\(property.name)_"
    let starts = Set(entities.map(\.table)).map { "Z_DA_\($0)\(rest)" }
    return stored.contains { name in
      name.contains(rest) && starts.contains { name.hasPrefix($0) }
    }
  }

  private func ownTriggers(
    of property: PropertyDefinition,
    in entity: EntityDefinition,
    _ text: String
  ) -> [String] {
    let layout = entities[entity.index]
    guard property.isStored, let derivation = Derivation(text),
      let column = layout.column(property.slot)?.singleName
    else { return [] }
    let numbers = entity.family.map { "\(entities[$0].number)" }.joined(separator: ", ")
    let triggers = OwnTriggers(
      derived: Derived(
        table: layout.table,
        column: column,
        entity: entity.name,
        attribute: property.name
      ),
      condition: layout.sharesTable && entity.parent != nil ? "NEW.Z_ENT IN (\(numbers))" : nil
    )
    switch derivation {
    case .now: return triggers.now()
    case .own(let function, let key):
      guard let source = source(key, of: entity.index, for: function),
        let call = OwnTriggers.call(function)
      else { return [] }
      return triggers.own(source, call)
    case .value(let name, let key):
      return following(name, key, with: nil, of: entity, triggers)
    case .function(let function, let name, let key):
      return following(name, key, with: function, of: entity, triggers)
    case .count(let name):
      guard let slot = entity.slotByName[name], let members = layout.members[slot] else {
        return []
      }
      return triggers.adding(members, source: nil)
    case .sum(let name, let key):
      guard let slot = entity.slotByName[name], let members = layout.members[slot],
        !members.isJoin, let relationship = entity.properties[slot].relationship,
        let source = source(key, of: relationship.destination, for: nil)
      else { return [] }
      return triggers.adding(members, source: source)
    }
  }

  private func following(
    _ name: String,
    _ key: String,
    with function: TextFunction?,
    of entity: EntityDefinition,
    _ triggers: OwnTriggers
  ) -> [String] {
    guard let slot = entity.slotByName[name], let link = entities[entity.index].column(slot),
      let relationship = entity.properties[slot].relationship, !relationship.isToMany,
      let source = source(key, of: relationship.destination, for: function),
      let call = OwnTriggers.call(function)
    else { return [] }
    let table = entities[relationship.destination].table
    return triggers.following(link.name, to: source, in: table, call)
  }

  /// Returns the column of the stored attribute `key`; nil if there is no such attribute, or if it is a
  /// composite.
  ///
  /// If `function` is not nil, the result is also nil for an attribute that is not a string.
  func source(_ key: String, of entity: Int, for function: TextFunction?) -> String? {
    guard let slot = model.entities[entity].slotByName[key],
      let column = entities[entity].column(slot),
      model.entities[entity].properties[slot].attribute != nil,
      function == nil || column.kind == .text
    else { return nil }
    return column.singleName
  }
}

/// The triggers of one derived attribute on one connection.
struct OwnTriggers {
  let derived: Layout.Derived
  /// The WHEN condition of triggers on the attribute's own table; nil if every row of the table has the
  /// attribute.
  let condition: String?

  /// Returns a closure that turns the SQL of a string into a call of `function`; nil if SQLite cannot call
  /// the function.
  ///
  /// If `function` is nil, the closure returns the SQL unchanged.
  static func call(_ function: TextFunction?) -> ((String) -> String)? {
    guard let function else { return { $0 } }
    guard let code = ValueCall(.text(function), [.text])?.code else { return nil }
    return { "\(ValueCall.name)(\(code), \($0))" }
  }

  private func trigger(
    _ kind: String,
    on table: String,
    _ event: String,
    when condition: String? = nil,
    set value: String,
    where row: String,
    isInsert: Bool = false
  ) -> String {
    let when = condition.map { "WHEN (\($0)) " } ?? ""
    return "CREATE TEMP TRIGGER CD_DA_\(table)_\(derived.entity)_\(derived.attribute)_\(kind) "
      + "AFTER \(event) ON \(table) FOR EACH ROW \(when)BEGIN UPDATE \(derived.table) SET "
      + "\(derived.column) = \(value) WHERE \(row); "
      + derived.report(isInsert ? "InsertUpdated" : "Updated", where: row) + "; END"
  }

  func now() -> [String] {
    // Seconds since 2001, to the millisecond.
    let value = "(julianday('now') - 2451910.5) * 86400.0"
    let isSaved = "OLD.Z_OPT IS NOT NEW.Z_OPT"
    return [
      trigger(
        "INSERT",
        on: derived.table,
        "INSERT",
        when: condition,
        set: value,
        where: "Z_PK = NEW.Z_PK",
        isInsert: true
      ),
      trigger(
        "UPDATE",
        on: derived.table,
        "UPDATE OF Z_OPT",
        when: condition.map { "\($0) AND \(isSaved)" } ?? isSaved,
        set: value,
        where: "Z_PK = NEW.Z_PK"
      ),
    ]
  }

  func own(_ source: String, _ value: (String) -> String) -> [String] {
    [("INSERT", "INSERT"), ("UPDATE", "UPDATE OF \(source)")].map { kind, event in
      trigger(
        kind,
        on: derived.table,
        event,
        when: condition,
        set: value("NEW.\(source)"),
        where: "Z_PK = NEW.Z_PK",
        isInsert: kind == "INSERT"
      )
    }
  }

  func following(
    _ link: String,
    to source: String,
    in other: String,
    _ value: (String) -> String
  ) -> [String] {
    let found = value("(SELECT \(source) FROM \(other) WHERE Z_PK = NEW.\(link))")
    return [("SOURCE_INSERT", "INSERT"), ("SOURCE_UPDATE", "UPDATE OF \(link)")].map {
      kind,
      event in
      trigger(
        kind,
        on: derived.table,
        event,
        when: condition,
        set: found,
        where: "Z_PK = NEW.Z_PK",
        isInsert: kind == "SOURCE_INSERT"
      )
    }
      + [("PARAMETER_INSERT", "INSERT"), ("PARAMETER_UPDATE", "UPDATE OF \(source)")].map {
        trigger(
          $0,
          on: other,
          $1,
          set: value("NEW.\(source)"),
          where: "\(link) = NEW.Z_PK"
        )
      }
  }

  /// Returns the triggers for the sum of the members' values in the column `source` or, if `source` is nil,
  /// for the number of members.
  ///
  /// When a member changes, the triggers add to the stored result or subtract from it, without reading the
  /// other members.
  func adding(_ members: MemberLayout, source: String?) -> [String] {
    let (owner, column) = (members.ownerColumn, derived.column)
    func step(_ kind: String, after event: String, of row: String, sign: String) -> String {
      let amount = source.map { "IFNULL(\(row).\($0), 0)" } ?? "1"
      return trigger(
        "PARAMETER_\(kind)",
        on: members.table,
        event,
        when: "\(row).\(owner) NOT NULL",
        set: "IFNULL(\(column), 0) \(sign) \(amount)",
        where: "Z_PK = \(row).\(owner)"
      )
    }
    let changed = "UPDATE OF " + [owner, source].compactMap { $0 }.joined(separator: ", ")
    let all = source.map { "IFNULL(SUM(\($0)), 0)" } ?? "COUNT(*)"
    return [
      step("INSERT", after: "INSERT", of: "NEW", sign: "+"),
      step("UPDATE_INCREMENT", after: changed, of: "NEW", sign: "+"),
      step("UPDATE_DECREMENT", after: changed, of: "OLD", sign: "-"),
      step("DELETE", after: "DELETE", of: "OLD", sign: "-"),
      trigger(
        "SOURCE_INSERT",
        on: derived.table,
        "INSERT",
        when: condition,
        set: "(SELECT \(all) FROM \(members.table) WHERE \(owner) = NEW.Z_PK)",
        where: "Z_PK = NEW.Z_PK",
        isInsert: true
      ),
    ]
  }
}
