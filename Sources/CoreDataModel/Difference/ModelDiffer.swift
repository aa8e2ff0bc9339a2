// SPDX-License-Identifier: Apache-2.0

import CoreDataModel

/// Finds what differs between two models, entity by entity; renaming identifiers are followed.
struct ModelDiffer {
  let old: ModelDefinition
  let new: ModelDefinition
  typealias Item = ModelDifference.Item

  /// New entity's name → old entity's name.
  private var counterparts: [String: String] = [:]

  init(old: ModelDefinition, new: ModelDefinition) {
    self.old = old
    self.new = new
    for entity in new.entities {
      if let name = entity.renamingIdentifier, old.entity(named: name) != nil,
        old.entity(named: entity.name) == nil
      {
        counterparts[entity.name] = name
      } else if old.entity(named: entity.name) != nil {
        counterparts[entity.name] = entity.name
      }
    }
  }

  mutating func items() -> [Item] {
    var items: [Item] = []
    let kept = Set(counterparts.values)
    for entity in old.entities where !kept.contains(entity.name) {
      items.append(
        Item(change: .removed, entity: entity.name, property: nil, details: [], obstacle: nil)
      )
    }
    for entity in new.entities {
      guard let name = counterparts[entity.name], let before = old.entity(named: name) else {
        let details = entity.parent.map { ["child of \(new.entities[$0].name)"] } ?? []
        items.append(
          Item(
            change: .added,
            entity: entity.name,
            property: nil,
            details: details,
            obstacle: nil
          )
        )
        continue
      }
      items += changes(from: before, to: entity)
    }
    return items
  }

  // MARK: Entities

  private func changes(from before: EntityDefinition, to after: EntityDefinition) -> [Item] {
    var details: [String] = []
    var obstacle: String?
    let oldParent = before.parent.map { old.entities[$0].name }
    let newParent = after.parent.map { new.entities[$0].name }
    if newParent.map({ counterparts[$0] }) != oldParent.map(Optional.some) {
      details.append("parent \(oldParent ?? "none") → \(newParent ?? "none")")
      if oldParent != nil && newParent != nil || before.root != before.index {
        obstacle = "rows would have to move between tables"
      }
    }
    if before.isAbstract != after.isAbstract {
      details.append(after.isAbstract ? "now abstract" : "no longer abstract")
    }
    compare("class", before.className, after.className, &details)
    compare("hash modifier", before.versionHashModifier, after.versionHashModifier, &details)
    let (was, is_) = (before.ownUniquenessConstraints, after.ownUniquenessConstraints)
    if Set(was) != Set(is_) {
      details.append("unique \(list(was)) → \(list(is_))")
    }
    if Set(before.fetchIndexes) != Set(after.fetchIndexes) {
      let names = { (entity: EntityDefinition) in
        entity.fetchIndexes.map(\.name).sorted(by: utf8Less).joined(separator: " ")
      }
      details.append("indexes (\(names(before))) → (\(names(after)))")
    }
    var items: [Item] = []
    if before.name != after.name {
      items.append(
        Item(
          change: .renamed,
          entity: after.name,
          property: nil,
          details: ["was \(before.name)"] + details,
          obstacle: obstacle
        )
      )
    } else if !details.isEmpty {
      items.append(
        Item(
          change: .changed,
          entity: after.name,
          property: nil,
          details: details,
          obstacle: obstacle
        )
      )
    }
    return items + properties(from: before, to: after)
  }

  private func list(_ constraints: [[String]]) -> String {
    "(" + constraints.map { $0.joined(separator: "+") }.sorted(by: utf8Less).joined(separator: " ")
      + ")"
  }

  private func compare(
    _ label: String,
    _ before: String?,
    _ after: String?,
    _ details: inout [String]
  ) {
    if before != after { details.append("\(label) \(before ?? "none") → \(after ?? "none")") }
  }

  // MARK: Properties

  private func properties(from before: EntityDefinition, to after: EntityDefinition) -> [Item] {
    let own = { (entity: EntityDefinition) in
      entity.properties.filter { $0.declaringEntity == entity.index }
    }
    var items: [Item] = []
    var kept: Set<String> = []
    for property in own(after) {
      var name = property.name
      if before.property(named: name) == nil, let old = property.renamingIdentifier,
        before.property(named: old) != nil
      {
        name = old
      }
      kept.insert(name)
      guard let counterpart = before.property(named: name) else {
        items.append(
          Item(
            change: .added,
            entity: after.name,
            property: property.name,
            details: [TypeText.short(property, in: new)],
            obstacle: obstacle(ofAdded: property)
          )
        )
        continue
      }
      let (details, obstacle) = changes(from: counterpart, to: property)
      if name != property.name {
        items.append(
          Item(
            change: .renamed,
            entity: after.name,
            property: property.name,
            details: ["was \(name)"] + details,
            obstacle: obstacle
          )
        )
      } else if !details.isEmpty {
        items.append(
          Item(
            change: .changed,
            entity: after.name,
            property: property.name,
            details: details,
            obstacle: obstacle
          )
        )
      }
    }
    for property in own(before)
    where !kept.contains(property.name) && after.property(named: property.name) == nil {
      items.append(
        Item(
          change: .removed,
          entity: after.name,
          property: property.name,
          details: [TypeText.short(property, in: old)],
          obstacle: nil
        )
      )
    }
    return items
  }

  private func obstacle(ofAdded property: PropertyDefinition) -> String? {
    guard let attribute = property.attribute, !property.isOptional, !property.isTransient,
      attribute.derivation == nil, attribute.defaultValue.isNull
    else { return nil }
    return "it is mandatory and has no default for the rows that are there"
  }

  private func changes(
    from before: PropertyDefinition,
    to after: PropertyDefinition
  ) -> (details: [String], obstacle: String?) {
    var details: [String] = []
    var obstacle: String?
    if before.isOptional != after.isOptional {
      details.append(after.isOptional ? "now optional" : "now mandatory")
      if !after.isOptional, let attribute = after.attribute, attribute.defaultValue.isNull {
        obstacle = "rows without a value have no default to take"
      }
    }
    if before.isTransient != after.isTransient {
      details.append(after.isTransient ? "now transient" : "no longer transient")
    }
    compare("hash modifier", before.versionHashModifier, after.versionHashModifier, &details)
    switch (before.kind, after.kind) {
    case (.attribute(let one), .attribute(let other)):
      if one.type != other.type {
        details.append("type \(one.type.modelFileName) → \(other.type.modelFileName)")
        obstacle = "values have to be converted"
      }
      compare(
        "default",
        one.defaultValue.isNull ? nil : CellText.line(one.defaultValue),
        other.defaultValue.isNull ? nil : CellText.line(other.defaultValue),
        &details
      )
      compare("minimum", one.minimum.map(CellText.line), other.minimum.map(CellText.line), &details)
      compare("maximum", one.maximum.map(CellText.line), other.maximum.map(CellText.line), &details)
      compare("pattern", one.pattern, other.pattern, &details)
      compare("derivation", one.derivation, other.derivation, &details)
      compare("transformer", one.valueTransformerName, other.valueTransformerName, &details)
      compare("class", one.customClassName, other.customClassName, &details)
      if one.allowsExternalStorage != other.allowsExternalStorage {
        details.append(other.allowsExternalStorage ? "now external storage" : "no external storage")
      }
    case (.relationship(let one), .relationship(let other)):
      compareRelationships(one, other, &details, &obstacle)
    case (.fetched(let one), .fetched(let other)):
      compare("condition", one.predicateFormat, other.predicateFormat, &details)
      compare("entity", one.entityName, other.entityName, &details)
    default:
      details.append(
        "\(TypeText.short(before, in: old)) → \(TypeText.short(after, in: new))"
      )
      obstacle = "it is something else now"
    }
    return (details, obstacle)
  }

  private func compareRelationships(
    _ before: RelationshipDefinition,
    _ after: RelationshipDefinition,
    _ details: inout [String],
    _ obstacle: inout String?
  ) {
    let oldDestination = old.entities[before.destination].name
    let newDestination = new.entities[after.destination].name
    if counterparts[newDestination] != oldDestination {
      details.append("destination \(oldDestination) → \(newDestination)")
      obstacle = "its objects are of another entity"
    }
    if before.isToMany != after.isToMany {
      details.append(after.isToMany ? "now to-many" : "now to-one")
      if !after.isToMany { obstacle = "of several objects one would have to be chosen" }
    } else if before.maxCount != after.maxCount || before.minCount != after.minCount {
      details.append(
        "count \(before.minCount)…\(before.maxCount) → \(after.minCount)…\(after.maxCount)"
      )
    }
    if before.isOrdered != after.isOrdered {
      details.append(after.isOrdered ? "now ordered" : "no longer ordered")
    }
    if before.deleteRule != after.deleteRule {
      details.append(
        "delete rule \(before.deleteRule.modelFileName) → \(after.deleteRule.modelFileName)"
      )
    }
    let oldInverse = before.inverse.map { old.entities[before.destination].properties[$0].name }
    let newInverse = after.inverse.map { new.entities[after.destination].properties[$0].name }
    compare("inverse", oldInverse, newInverse, &details)
  }
}
