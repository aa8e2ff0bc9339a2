// SPDX-License-Identifier: Apache-2.0

/// The entities and properties that two models share, matched by names and renaming identifiers.
///
/// A mapping between the models need not be inferable.
package struct SharedDefinitions: Sendable {
  /// Name of the old entity → name of the new entity.
  package private(set) var entities: [String: String] = [:]
  /// Name of the old entity → name of the old property → name of the new property.
  ///
  /// Contains persistent attributes whose new type can hold all values of the old type, and relationships
  /// whose destinations are shared, unless a to-many becomes a to-one. Derived and composite attributes are
  /// left out.
  package private(set) var properties: [String: [String: String]] = [:]
  /// Name of the old entity → names of its shared relationships that are ordered in both models.
  package private(set) var ordered: [String: Set<String>] = [:]

  package init(_ old: ModelDefinition, _ new: ModelDefinition) {
    let matcher = RenameMatcher(entitiesOf: old, new)
    for (index, source) in matcher.sources.enumerated() {
      guard let source else { continue }
      entities[old.entities[source].name] = new.entities[index].name
    }
    for (index, source) in matcher.sources.enumerated() {
      guard let source else { continue }
      let (before, after) = (old.entities[source], new.entities[index])
      properties[before.name] = shared(before, after, of: old, and: new)
      ordered[before.name] = Set(
        (properties[before.name] ?? [:]).filter { name, new in
          before.property(named: name)?.relationship?.isOrdered == true
            && after.property(named: new)?.relationship?.isOrdered == true
        }.keys
      )
    }
  }

  /// Returns the definitions that the old model of this value shares with the new model of `other`, through
  /// the model between them.
  ///
  /// - Precondition: The new model of this value is the old model of `other`.
  package func followed(by other: SharedDefinitions) -> SharedDefinitions {
    var result = self
    result.entities = entities.compactMapValues { other.entities[$0] }
    result.properties = [:]
    for (old, names) in properties {
      guard let between = entities[old] else { continue }
      result.properties[old] = names.compactMapValues { other.properties[between]?[$0] }
      result.ordered[old] = ordered[old]?.filter { name in
        names[name].map { other.ordered[between]?.contains($0) == true } ?? false
      }
    }
    return result
  }

  private func shared(
    _ before: EntityDefinition,
    _ after: EntityDefinition,
    of old: ModelDefinition,
    and new: ModelDefinition
  ) -> [String: String] {
    let matcher = RenameMatcher(propertiesOf: before, after)
    var names: [String: String] = [:]
    for (property, source) in zip(after.properties, matcher.sources) {
      guard let source, before.properties[source].isShareable, property.isShareable else {
        continue
      }
      let name = before.properties[source].name
      switch (before.properties[source].kind, property.kind) {
      case (.attribute(let was), .attribute(let attribute)):
        if was.type.fits(attribute.type) { names[name] = property.name }
      case (.relationship(let was), .relationship(let relationship)):
        let destination = new.entities[relationship.destination].name
        if entities[old.entities[was.destination].name] == destination,
          !was.isToMany || relationship.isToMany
        {
          names[name] = property.name
        }
      default: break
      }
    }
    return names
  }
}

extension PropertyDefinition {
  fileprivate var isShareable: Bool {
    !isTransient && !isFetched && attribute?.derivation == nil && attribute?.type != .composite
  }
}
