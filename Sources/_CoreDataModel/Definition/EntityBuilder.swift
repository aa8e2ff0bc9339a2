// SPDX-License-Identifier: Apache-2.0

/// Builds entities from ordered drafts: first assigns the slots of all properties, then resolves the
/// destinations and inverses of relationships.
struct EntityBuilder {
  let order: EntityOrder
  let composites: [String: [PropertyDraft]]
  private var expanded: [String: [CompositeElement]] = [:]

  init(order: EntityOrder, composites: [String: [PropertyDraft]]) {
    self.order = order
    self.composites = composites
  }

  mutating func build() throws -> [EntityDefinition] {
    let slots = try slotTables()
    var built: [EntityDefinition] = []
    for (index, draft) in order.drafts.enumerated() {
      let parent = order.parents[index].map { built[$0] }
      var properties = parent?.properties ?? []
      for own in Self.slotOrder(draft.properties) {
        properties.append(try resolve(own, slot: properties.count, of: index, slots: slots))
      }
      let entity = EntityDefinition(
        index: index,
        draft: draft,
        parent: parent,
        children: order.children[index],
        familyEnd: order.familyEnds[index],
        properties: properties
      )
      try checkConstraints(of: entity)
      built.append(entity)
    }
    return built
  }

  /// Returns the properties in the order of their slots.
  ///
  /// To-manys and fetched properties come last: they have no value in a row, so the row can end before their
  /// slots.
  private static func slotOrder(_ properties: [PropertyDraft]) -> [PropertyDraft] {
    properties.sorted { left, right in
      left.isInRow != right.isInRow ? left.isInRow : utf8Less(left.name, right.name)
    }
  }

  private func slotTables() throws -> [[String: Int]] {
    var tables: [[String: Int]] = []
    for (index, draft) in order.drafts.enumerated() {
      var table = order.parents[index].map { tables[$0] } ?? [:]
      for own in Self.slotOrder(draft.properties) {
        if own.name.isEmpty {
          throw ModelError(line: own.line, entity: draft.name, reason: "a property has no name")
        }
        if table[own.name] != nil {
          throw ModelError(
            entity: draft.name,
            property: own.name,
            reason: duplicateReason(own.name, of: index, tables)
          )
        }
        table[own.name] = table.count
      }
      tables.append(table)
    }
    return tables
  }

  private func duplicateReason(
    _ name: String,
    of entity: Int,
    _ tables: [[String: Int]]
  ) -> String {
    var owner: Int?
    var ancestor = order.parents[entity]
    while let index = ancestor, tables[index][name] != nil {
      owner = index
      ancestor = order.parents[index]
    }
    guard let owner else {
      return "two properties of the entity have this name; rename one of them"
    }
    return "the entity inherits a property with this name from “\(order.drafts[owner].name)”; "
      + "rename one of the two properties"
  }

  private mutating func elements(of composite: String?) throws -> [CompositeElement] {
    guard let composite else { return [] }
    if let known = expanded[composite] { return known }
    let elements = try CompositeElement.elements(of: composite, in: composites)
    expanded[composite] = elements
    return elements
  }

  private mutating func resolve(
    _ draft: PropertyDraft,
    slot: Int,
    of entity: Int,
    slots: [[String: Int]]
  ) throws -> PropertyDefinition {
    let kind: PropertyDefinition.Kind
    switch draft.kind {
    case .attribute(var attribute):
      if attribute.type == .undefined && !draft.isTransient {
        throw ModelError(
          entity: order.drafts[entity].name,
          property: draft.name,
          reason: "the attribute has no type; set its type, or make it transient"
        )
      }
      if attribute.type == .composite {
        do {
          attribute.elements = try elements(of: attribute.compositeName)
        } catch var error as ModelError {
          error.entity = order.drafts[entity].name
          error.property = draft.name
          throw error
        }
      }
      kind = .attribute(attribute)
    case .fetched(let fetched): kind = .fetched(fetched)
    case .relationship(let relationship):
      kind = .relationship(
        try resolve(relationship, named: draft.name, of: entity, slots: slots)
      )
    }
    return PropertyDefinition(
      name: draft.name,
      slot: slot,
      declaringEntity: entity,
      kind: kind,
      isOptional: draft.isOptional,
      isTransient: draft.isTransient,
      versionHashModifier: draft.versionHashModifier,
      renamingIdentifier: draft.renamingIdentifier,
      userInfo: draft.userInfo,
      isIndexedBySpotlight: draft.isIndexedBySpotlight
    )
  }

  private func resolve(
    _ draft: RelationshipDraft,
    named name: String,
    of entity: Int,
    slots: [[String: Int]]
  ) throws -> RelationshipDefinition {
    let owner = order.drafts[entity].name
    guard let destination = order.indexByName[draft.destination] else {
      throw ModelError(
        entity: owner,
        property: name,
        reason: "its destination entity “\(draft.destination)” does not exist"
      )
    }
    var inverse: Int?
    if let inverseName = draft.inverse {
      guard let slot = slots[destination][inverseName] else {
        throw ModelError(
          entity: owner,
          property: name,
          reason: "its inverse “\(inverseName)” does not exist in “\(draft.destination)”"
        )
      }
      inverse = slot
    }
    return RelationshipDefinition(
      destination: destination,
      inverse: inverse,
      maxCount: draft.maxCount,
      minCount: draft.minCount,
      isOrdered: draft.isOrdered,
      deleteRule: draft.deleteRule
    )
  }

  private func checkConstraints(of entity: EntityDefinition) throws {
    for name in entity.ownUniquenessConstraints.joined() where entity.slotByName[name] == nil {
      throw ModelError(
        entity: entity.name,
        property: name,
        reason: "a uniqueness constraint names this property, which does not exist"
      )
    }
  }
}

extension PropertyDraft {
  fileprivate var isInRow: Bool {
    switch kind {
    case .attribute: true
    case .relationship(let relationship): relationship.maxCount == 1
    case .fetched: false
    }
  }
}
