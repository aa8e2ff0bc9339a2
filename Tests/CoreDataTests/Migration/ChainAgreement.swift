// SPDX-License-Identifier: Apache-2.0

import CoreData
import _CoreDataModel

/// Compares a store that was migrated directly with one that went through every version between.
///
/// A version between that does not have an entity or a property loses its objects or values, and one with a
/// mandatory attribute fills in a default value; only such differences are allowed.
struct ChainAgreement {
  /// The mappings from each version to the next, in order; never empty.
  let chain: [ModelMapping]
  let direct: ModelMapping
  let before: StoreContent
  /// How many objects, values and relationships were compared, and how many were not, because a version between
  /// has another form of them.
  private(set) var compared = 0
  private(set) var excused = 0

  init(chain: [ModelMapping], direct: ModelMapping, before: StoreContent) {
    self.chain = chain
    self.direct = direct
    self.before = before
  }

  /// Everything that differs for no such reason, a line each.
  mutating func violations(_ byChain: StoreContent, _ inOneStep: StoreContent) -> [String] {
    var found: [String] = []
    for old in before.objects.keys.sorted() {
      let (name, chained) = (direct.newName(of: old), newNameByChain(of: old))
      if name != chained {
        excused += 1
        continue
      }
      guard let name, let entity = direct.destination.entity(ofObject: name) else { continue }
      compared += 1
      guard let object = inOneStep.objects[name], let other = byChain.objects[name] else {
        found.append("\(name): it is not in both stores")
        continue
      }
      for property in entity.properties where !property.isTransient && !property.isFetched {
        let difference =
          property.relationship == nil
          ? values(property, entity, old, object, other)
          : links(property, entity, object, other, byChain)
        if let difference { found.append("\(name).\(property.name): \(difference)") }
      }
    }
    return found
  }

  private func newNameByChain(of name: String) -> String? {
    chain.reduce(Optional(name)) { name, mapping in name.flatMap(mapping.newName) }
  }

  // MARK: Properties

  private mutating func values(
    _ property: PropertyDefinition,
    _ entity: EntityDefinition,
    _ old: String,
    _ object: StoreContent.Object,
    _ other: StoreContent.Object
  ) -> String? {
    let path = path(of: property, entity)
    let source = direct.source(of: property.slot, in: entity.index)
    guard path.isDerived == false, path.source?.name == source?.name else {
      excused += 1
      return nil
    }
    // A missing value becomes the default value of the first version that needs one.
    let oldValue = source.flatMap { before.objects[old]?.values[$0.name] }
    if oldValue == nil, path.hasSeveralDefaults {
      excused += 1
      return nil
    }
    compared += 1
    let (value, otherValue) = (object.values[property.name], other.values[property.name])
    if value == otherValue { return nil }
    return "\(value ?? "nil") in one step, and \(otherValue ?? "nil") by the chain"
  }

  private mutating func links(
    _ property: PropertyDefinition,
    _ entity: EntityDefinition,
    _ object: StoreContent.Object,
    _ other: StoreContent.Object,
    _ byChain: StoreContent
  ) -> String? {
    let path = path(of: property, entity)
    guard path.source?.name == direct.source(of: property.slot, in: entity.index)?.name,
      path.hasOneForm
    else {
      excused += 1
      return nil
    }
    compared += 1
    let links = (object.links[property.name] ?? []).filter { byChain.objects[$0] != nil }
    let otherLinks = other.links[property.name] ?? []
    let isEqual = path.isOrdered ? links == otherLinks : links.sorted() == otherLinks.sorted()
    return isEqual ? nil : "\(links) in one step, and \(otherLinks) by the chain"
  }

  /// A property in the versions of the chain, from the last one back to the one that added it.
  private struct Path {
    var properties: [PropertyDefinition] = []
    /// The inverse of each.
    var inverses: [PropertyDefinition?] = []
    /// The property in the first version; nil if a later version added it.
    var source: PropertyDefinition?

    var isDerived: Bool { properties.contains { $0.attribute?.derivation != nil } }
    var hasSeveralDefaults: Bool {
      let forms = properties.map { "\($0.isOptional) \($0.attribute?.defaultValue ?? .null)" }
      return Set(forms).count > 1
    }
    var isOrdered: Bool { properties.allSatisfy { $0.relationship?.isOrdered == true } }
    /// Whether neither side changed between to-one, to-many and no inverse, so that no link had to be left out.
    var hasOneForm: Bool {
      let forms = zip(properties, inverses).map { "\($0.isToOne) \($1?.isToOne as Bool?)" }
      return Set(forms).count <= 1
    }
  }

  private func path(of property: PropertyDefinition, _ entity: EntityDefinition) -> Path {
    var path = Path()
    var (slot, index) = (property.slot, entity.index)
    func add(_ property: PropertyDefinition, _ model: ModelDefinition) {
      path.properties.append(property)
      path.inverses.append(
        property.relationship.flatMap { relationship in
          relationship.inverse.map { model.entities[relationship.destination].properties[$0] }
        }
      )
    }
    add(property, chain[chain.count - 1].destination)
    for mapping in chain.reversed() {
      guard let source = mapping.source(of: slot, in: index),
        let old = mapping.sourceEntities[index]
      else { return path }
      (slot, index) = (source.slot, old)
      add(source, mapping.source)
    }
    path.source = path.properties.last
    return path
  }
}
