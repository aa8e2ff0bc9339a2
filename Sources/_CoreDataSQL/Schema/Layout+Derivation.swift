// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// The triggers in the file that keep derived attributes up to date.
///
/// There are triggers for the count of a to-many whose members have a column for their owner, and for an
/// attribute of a to-one's destination. Source: observed in stores of frameworks 1340 and 1344.
///
/// No file shows Apple's triggers for other derivations; see `Layout+OwnDerivation`.
extension Layout {
  var derivationTriggers: [Statement] {
    model.entities.flatMap { entity in
      entity.properties.filter { $0.declaringEntity == entity.index }.flatMap { property in
        triggers(of: property, in: entity).map { Statement(text: $0) }
      }
    }
  }

  private func triggers(
    of property: PropertyDefinition,
    in entity: EntityDefinition
  ) -> [String] {
    guard let text = property.attribute?.derivation, let derivation = Derivation(text),
      let column = entities[entity.index].column(property.slot)?.singleName
    else { return [] }
    let derived = Derived(
      table: entities[entity.index].table,
      column: column,
      entity: entity.name,
      attribute: property.name
    )
    switch derivation {
    case .count(let name):
      guard let slot = entity.slotByName[name], let members = entities[entity.index].members[slot],
        !members.isJoin
      else { return [] }
      return derived.counting(members)
    case .value(let name, let key):
      guard let slot = entity.slotByName[name], let link = entities[entity.index].column(slot),
        let relationship = entity.properties[slot].relationship, !relationship.isToMany
      else { return [] }
      let target = model.entities[relationship.destination]
      let layout = entities[relationship.destination]
      guard let source = target.slotByName[key].flatMap({ layout.column($0) }) else { return [] }
      return derived.following(link.name, to: source.name, in: layout.table)
    default: return []
    }
  }

  struct Derived {
    let table: String
    let column: String
    let entity: String
    let attribute: String

    /// Returns the statement with which a trigger reports to the connection the rows that have a new value.
    func report(_ function: String, where condition: String) -> String {
      "SELECT NSCoreDataDATrigger\(function)AffectedObjectValue('\(table)', Z_ENT, Z_PK, "
        + "'\(attribute)', \(column)) FROM \(table) WHERE \(condition)"
    }

    private func trigger(
      on other: String,
      _ kind: String,
      _ event: String,
      when: String = "",
      set value: String,
      where condition: String,
      isInsert: Bool
    ) -> String {
      "CREATE TRIGGER Z_DA_\(other)_\(entity)_\(attribute)_\(kind) AFTER \(event) ON \(other) "
        + "FOR EACH ROW \(when)BEGIN UPDATE \(table) SET \(column) = \(value) WHERE \(condition); "
        + report(isInsert ? "InsertUpdated" : "Updated", where: condition) + "; END"
    }

    func counting(_ members: MemberLayout) -> [String] {
      let owner = members.ownerColumn
      func step(_ kind: String, after event: String, of row: String, set value: String) -> String {
        trigger(
          on: members.table,
          "PARAMETER_\(kind)",
          event,
          when: "WHEN (\(row).\(owner) NOT NULL) ",
          set: value,
          where: "Z_PK = \(row).\(owner)",
          isInsert: false
        )
      }
      return [
        step("INSERT", after: "INSERT", of: "NEW", set: "IFNULL(\(column), 0) + 1"),
        step("UPDATE_INCREMENT", after: "UPDATE OF \(owner)", of: "NEW", set: "\(column) + 1"),
        step("UPDATE_DECREMENT", after: "UPDATE OF \(owner)", of: "OLD", set: "\(column) - 1"),
        step("DELETE", after: "DELETE", of: "OLD", set: "\(column) - 1"),
        trigger(
          on: table,
          "SOURCE_INSERT",
          "INSERT",
          set: "(SELECT IFNULL(COUNT(\(owner)), 0) FROM \(members.table) "
            + "WHERE \(owner) = NEW.Z_PK)",
          where: "Z_PK = NEW.Z_PK",
          isInsert: true
        ),
      ]
    }

    func following(_ link: String, to source: String, in other: String) -> [String] {
      let value = "(SELECT \(source) FROM \(other) WHERE Z_PK = NEW.\(link))"
      return [
        trigger(
          on: table,
          "SOURCE_INSERT",
          "INSERT",
          set: value,
          where: "Z_PK = NEW.Z_PK",
          isInsert: true
        ),
        trigger(
          on: table,
          "SOURCE_UPDATE",
          "UPDATE OF \(link)",
          set: value,
          where: "Z_PK = NEW.Z_PK",
          isInsert: false
        ),
        trigger(
          on: other,
          "PARAMETER_INSERT",
          "INSERT",
          set: "NEW.\(source)",
          where: "\(link) = NEW.Z_PK",
          isInsert: true
        ),
        trigger(
          on: other,
          "PARAMETER_UPDATE",
          "UPDATE OF \(source)",
          set: "NEW.\(source)",
          where: "\(link) = NEW.Z_PK",
          isInsert: false
        ),
      ]
    }
  }
}
