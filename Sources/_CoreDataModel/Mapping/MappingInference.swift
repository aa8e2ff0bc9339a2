// SPDX-License-Identifier: Apache-2.0

extension ModelMapping {
  /// Infers the mapping between two models.
  ///
  /// - Throws: `InferenceFailure`, with all obstacles, if the mapping cannot be inferred.
  /// - Complexity: O(properties); an inherited property counts once for each entity.
  package init(inferredFrom source: ModelDefinition, to destination: ModelDefinition) throws {
    var inference = MappingInference(old: source, new: destination)
    let mapping = inference.mapping()
    if !inference.obstacles.isEmpty { throw InferenceFailure(obstacles: inference.obstacles) }
    self = mapping
  }
}

/// Matches the entities and properties of two models, and collects the obstacles to a mapping.
struct MappingInference {
  let old: ModelDefinition
  let new: ModelDefinition
  private(set) var obstacles: [MappingObstacle] = []
  /// The indices of the old entities, by the index of the new entity; nil for an added entity.
  private(set) var sources: [Int?] = []
  /// The indices of the new entities, by the index of the old entity; nil for a removed entity.
  private(set) var destinations: [Int?] = []

  init(old: ModelDefinition, new: ModelDefinition) {
    self.old = old
    self.new = new
  }

  mutating func mapping() -> ModelMapping {
    matchEntities()
    checkHierarchies()
    var slots: [[Int?]] = []
    for entity in new.entities { slots.append(matchProperties(of: entity)) }
    checkInverses(slots)
    return ModelMapping(
      source: old,
      destination: new,
      sourceEntities: sources,
      sourceSlots: slots
    )
  }

  mutating func add(
    _ entity: String,
    _ property: String?,
    _ reason: String,
    remedy: String = "use a mapping model"
  ) {
    let obstacle = MappingObstacle(
      entity: entity,
      property: property,
      reason: reason,
      remedy: remedy
    )
    if !obstacles.contains(obstacle) { obstacles.append(obstacle) }
  }

  // MARK: Entities

  private mutating func matchEntities() {
    let matcher = RenameMatcher(entitiesOf: old, new)
    sources = matcher.sources
    for problem in matcher.problems {
      add(new.entities[problem.index].name, nil, problem.reason, remedy: Self.renamingRemedy)
    }
    destinations = Array(repeating: nil, count: old.entities.count)
    for (index, source) in sources.enumerated() {
      if let source { destinations[source] = index }
    }
  }

  static let renamingRemedy =
    "give an entity or property only one new name, and exchange two names through a version in between"

  /// Adds an obstacle for each new hierarchy that contains entities of different old hierarchies.
  ///
  /// Source: documented, “Using lightweight migration”.
  private mutating func checkHierarchies() {
    for root in new.entities where root.parent == nil {
      let members = root.family.compactMap { index in
        sources[index].map { (new.entities[index].name, old.entities[$0].root) }
      }
      guard let first = members.first, let other = members.first(where: { $0.1 != first.1 }) else {
        continue
      }
      add(
        other.0,
        nil,
        "the entity and \(first.0) were in different hierarchies and are in one hierarchy now, and an "
          + "inferred mapping cannot merge hierarchies"
      )
    }
  }

  // MARK: Properties

  /// Returns, for each slot of `entity`, the old slot whose values the new slot keeps; nil for an added,
  /// transient or fetched property.
  ///
  /// Adds an obstacle for each property that an inferred mapping cannot handle.
  private mutating func matchProperties(of entity: EntityDefinition) -> [Int?] {
    guard let source = sources[entity.index] else {
      return entity.properties.map { _ in nil }
    }
    let before = old.entities[source]
    let matcher = RenameMatcher(propertiesOf: before, entity)
    for problem in matcher.problems {
      let property = entity.properties[problem.index]
      add(name(of: property), property.name, problem.reason, remedy: Self.renamingRemedy)
    }
    return entity.properties.map { property in
      if property.isFetched || property.isTransient { return nil }
      let slot = matcher.sources[property.slot]
      guard let slot, before.properties[slot].isStoredSomewhere else {
        checkAdded(property, to: entity)
        return nil
      }
      check(property, from: before.properties[slot], in: entity)
      return slot
    }
  }

  /// Returns the name of the entity that declares a property of the new model.
  func name(of property: PropertyDefinition) -> String {
    new.entities[property.declaringEntity].name
  }

  private mutating func checkAdded(_ property: PropertyDefinition, to entity: EntityDefinition) {
    guard let attribute = property.attribute, !entity.isAbstract, attribute.derivation == nil
    else { return }
    if attribute.type == .composite {
      for element in attribute.elements
      where !element.isOptional && element.attribute.defaultValue.isNull && !property.isOptional {
        addMissingDefault(property, to: entity, element.path)
      }
    } else if !property.isOptional, attribute.defaultValue.isNull {
      addMissingDefault(property, to: entity, [])
    }
  }

  private mutating func addMissingDefault(
    _ property: PropertyDefinition,
    to entity: EntityDefinition,
    _ path: [String]
  ) {
    let owner = name(of: property)
    let rows = owner == entity.name ? "existing rows" : "existing rows of \(entity.name)"
    let subject = path.isEmpty ? "the property" : "element \(path.joined(separator: "."))"
    add(
      owner,
      property.name,
      "\(subject) is mandatory and has no default value for \(rows)",
      remedy: "set a default value, make \(subject) optional, or use a mapping model"
    )
  }
}

extension RenameMatcher {
  init(entitiesOf old: ModelDefinition, _ new: ModelDefinition) {
    self.init(
      old: old.entities.map { Item($0.name, $0.renamingIdentifier) },
      new: new.entities.map { Item($0.name, $0.renamingIdentifier) }
    )
  }

  /// Matches all properties of two entities, including inherited properties, by slot.
  init(propertiesOf old: EntityDefinition, _ new: EntityDefinition) {
    self.init(
      old: old.properties.map { Item($0.name, $0.renamingIdentifier) },
      new: new.properties.map { Item($0.name, $0.renamingIdentifier) }
    )
  }
}

extension PropertyDefinition {
  /// Whether a store keeps the property's values, in the row of the object or elsewhere.
  var isStoredSomewhere: Bool { !isTransient && !isFetched }
}
