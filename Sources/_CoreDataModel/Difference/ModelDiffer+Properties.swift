// SPDX-License-Identifier: Apache-2.0

extension ModelDiffer {
  /// Returns an item for each property that was added, removed, renamed or changed between `before` and
  /// `after`.
  ///
  /// Properties that an entity inherits are left out.
  func properties(from before: EntityDefinition, to after: EntityDefinition) -> [Item] {
    let own = { (entity: EntityDefinition) in
      entity.properties.filter { $0.declaringEntity == entity.index }
    }
    var items: [Item] = []
    var kept: Set<String> = []
    let matcher = RenameMatcher(propertiesOf: before, after)
    for property in own(after) {
      guard let counterpart = matcher.sources[property.slot].map({ before.properties[$0] }) else {
        var details = DifferenceDetails()
        details.add(TypeText.short(property, in: new), isHashed: property.isHashed)
        items.append(
          Item(.added, entity: after.name, property: property.name, details: details)
        )
        continue
      }
      let name = counterpart.name
      kept.insert(name)
      let details = changes(from: counterpart, to: property)
      if name != property.name {
        items.append(
          Item(
            .renamed,
            entity: after.name,
            property: property.name,
            formerName: name,
            details: details
          )
        )
      } else if !details.isEmpty {
        items.append(
          Item(.changed, entity: after.name, property: property.name, details: details)
        )
      }
    }
    for property in own(before)
    where !kept.contains(property.name) && after.property(named: property.name) == nil {
      var details = DifferenceDetails()
      details.add(TypeText.short(property, in: old), isHashed: property.isHashed)
      items.append(
        Item(.removed, entity: after.name, property: property.name, details: details)
      )
    }
    return items
  }

  private func changes(
    from before: PropertyDefinition,
    to after: PropertyDefinition
  ) -> DifferenceDetails {
    var details = DifferenceDetails()
    if before.name != after.name {
      details.add("was \(before.name)", isHashed: before.isHashed && after.isHashed)
    }
    if before.isOptional != after.isOptional {
      details.add(after.isOptional ? "now optional" : "now mandatory", isHashed: true)
    }
    if before.isTransient != after.isTransient {
      details.add(after.isTransient ? "now transient" : "no longer transient", isHashed: true)
    }
    details.compare(
      "hash modifier",
      before.versionHashModifier,
      after.versionHashModifier,
      isHashed: true
    )
    switch (before.kind, after.kind) {
    case (.attribute(let one), .attribute(let other)): compare(one, other, &details)
    case (.relationship(let one), .relationship(let other)): compare(one, other, &details)
    case (.fetched(let one), .fetched(let other)):
      details.compare("condition", one.predicateFormat, other.predicateFormat)
      details.compare("entity", one.entityName, other.entityName)
    default:
      details.add(
        "\(TypeText.short(before, in: old)) → \(TypeText.short(after, in: new))",
        isHashed: true
      )
    }
    return details
  }

  private func compare(
    _ before: AttributeDefinition,
    _ after: AttributeDefinition,
    _ details: inout DifferenceDetails
  ) {
    if before.type != after.type {
      details.add(
        "type \(before.type.traits.modelFileName) → \(after.type.traits.modelFileName)",
        isHashed: true
      )
    }
    let text = { (value: Value) in value.isNull ? nil : CellText.line(value) }
    details.compare("default", text(before.defaultValue), text(after.defaultValue))
    details.compare("minimum", before.minimum.map(CellText.line), after.minimum.map(CellText.line))
    details.compare("maximum", before.maximum.map(CellText.line), after.maximum.map(CellText.line))
    details.compare("pattern", before.pattern, after.pattern)
    if before.comparableDerivation != after.comparableDerivation {
      details.compare("derivation", before.derivation, after.derivation, isHashed: true)
    }
    details.compare("transformer", before.valueTransformerName, after.valueTransformerName)
    details.compare("class", before.customClassName, after.customClassName)
    if before.allowsExternalStorage != after.allowsExternalStorage {
      details.add(
        after.allowsExternalStorage
          ? "now with external storage" : "no longer with external storage",
        isHashed: true
      )
    }
    if before.preservesValueInHistory != after.preservesValueInHistory {
      details.add(
        after.preservesValueInHistory
          ? "now preserved after deletion" : "no longer preserved after deletion",
        isHashed: true
      )
    }
  }

  private func compare(
    _ before: RelationshipDefinition,
    _ after: RelationshipDefinition,
    _ details: inout DifferenceDetails
  ) {
    let oldDestination = old.entities[before.destination].name
    let newDestination = new.entities[after.destination].name
    if counterparts[newDestination] != oldDestination {
      details.add("destination \(oldDestination) → \(newDestination)", isHashed: true)
    }
    if before.isToMany != after.isToMany {
      details.add(after.isToMany ? "now to-many" : "now to-one", isHashed: true)
    } else if before.maxCount != after.maxCount || before.minCount != after.minCount {
      details.add(
        "count \(before.minCount)…\(before.maxCount) → \(after.minCount)…\(after.maxCount)",
        isHashed: true
      )
    }
    if before.isOrdered != after.isOrdered {
      details.add(after.isOrdered ? "now ordered" : "no longer ordered", isHashed: true)
    }
    if before.deleteRule != after.deleteRule {
      details.add(
        "delete rule \(before.deleteRule.modelFileName) → \(after.deleteRule.modelFileName)"
      )
    }
    let oldInverse = before.inverse.map { old.entities[before.destination].properties[$0].name }
    let newInverse = after.inverse.map { new.entities[after.destination].properties[$0].name }
    details.compare("inverse", oldInverse, newInverse, isHashed: true)
  }
}

extension PropertyDefinition {
  /// Whether the property is part of its entity's version hash.
  fileprivate var isHashed: Bool {
    if case .fetched = kind { false } else { !isTransient }
  }
}
