// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

extension Layout {
  /// Returns the statement that computes a derived attribute for all rows; nil if SQL cannot compute it.
  func computation(of property: PropertyDefinition, in entity: EntityDefinition) -> String? {
    let place = entities[entity.index]
    guard let text = property.attribute?.derivation, let derivation = Derivation(text),
      let column = place.column(property.slot)?.singleName,
      let value = value(of: derivation, entity, place)
    else { return nil }
    let numbers = SQLList.text(entity.family.map { entities[$0].number })
    let filter = place.sharesTable ? " WHERE Z_ENT IN (\(numbers))" : ""
    return "UPDATE \(place.table) SET \(column) = \(value)\(filter)"
  }

  private func value(
    of derivation: Derivation,
    _ entity: EntityDefinition,
    _ place: EntityLayout
  ) -> String? {
    switch derivation {
    case .now: return "(julianday('now') - 2451910.5) * 86400.0"
    case .own(let function, let key):
      guard let source = source(key, of: entity.index, for: function) else { return nil }
      return OwnTriggers.call(function)?(source)
    case .value(let name, let key): return followed(name, key, nil, in: entity, at: place)
    case .function(let function, let name, let key):
      return followed(name, key, function, in: entity, at: place)
    case .count(let name):
      guard let slot = entity.slotByName[name], let members = place.members[slot] else {
        return nil
      }
      return "(SELECT COUNT(*) FROM \(members.table) AS m "
        + "WHERE m.\(members.ownerColumn) = \(place.table).Z_PK)"
    case .sum(let name, let key):
      guard let slot = entity.slotByName[name], let members = place.members[slot], !members.isJoin,
        let relationship = entity.properties[slot].relationship,
        let source = source(key, of: relationship.destination, for: nil)
      else { return nil }
      return "(SELECT IFNULL(SUM(m.\(source)), 0) FROM \(members.table) AS m "
        + "WHERE m.\(members.ownerColumn) = \(place.table).Z_PK)"
    }
  }

  private func followed(
    _ name: String,
    _ key: String,
    _ function: TextFunction?,
    in entity: EntityDefinition,
    at place: EntityLayout
  ) -> String? {
    guard let slot = entity.slotByName[name], let link = place.column(slot),
      let relationship = entity.properties[slot].relationship, !relationship.isToMany,
      let source = source(key, of: relationship.destination, for: function),
      let call = OwnTriggers.call(function)
    else { return nil }
    return call(
      "(SELECT d.\(source) FROM \(entities[relationship.destination].table) AS d "
        + "WHERE d.Z_PK = \(place.table).\(link.name))"
    )
  }
}
