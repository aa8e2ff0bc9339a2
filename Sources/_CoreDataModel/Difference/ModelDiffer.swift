// SPDX-License-Identifier: Apache-2.0

/// Finds the differences between two models, entity by entity.
///
/// A renamed entity or property is matched with its former definition by the renaming identifier.
struct ModelDiffer {
  let old: ModelDefinition
  let new: ModelDefinition
  typealias Item = ModelDifference.Item

  /// Name of an entity in the new model → name of the corresponding entity in the old model.
  private(set) var counterparts: [String: String] = [:]

  init(old: ModelDefinition, new: ModelDefinition) {
    self.old = old
    self.new = new
    for (index, source) in RenameMatcher(entitiesOf: old, new).sources.enumerated() {
      guard let source else { continue }
      counterparts[new.entities[index].name] = old.entities[source].name
    }
  }

  mutating func items() -> [Item] {
    var items: [Item] = []
    let kept = Set(counterparts.values)
    for entity in old.entities where !kept.contains(entity.name) {
      items.append(Item(.removed, entity: entity.name))
    }
    for entity in new.entities {
      guard let name = counterparts[entity.name], let before = old.entity(named: name) else {
        let details = entity.parent.map { ["child of \(new.entities[$0].name)"] } ?? []
        items.append(Item(.added, entity: entity.name, details: DifferenceDetails(details)))
        continue
      }
      items += changes(from: before, to: entity)
    }
    return items
  }

  // MARK: Entities

  private func changes(from before: EntityDefinition, to after: EntityDefinition) -> [Item] {
    var details = DifferenceDetails()
    if before.name != after.name { details.add("was \(before.name)", isHashed: true) }
    let oldParent = before.parent.map { old.entities[$0].name }
    let newParent = after.parent.map { new.entities[$0].name }
    if newParent.map({ counterparts[$0] }) != oldParent.map(Optional.some) {
      details.add("parent \(oldParent ?? "none") → \(newParent ?? "none")", isHashed: true)
    }
    if before.isAbstract != after.isAbstract {
      details.add(after.isAbstract ? "now abstract" : "no longer abstract", isHashed: true)
    }
    details.compare("class", before.className, after.className)
    details.compare(
      "hash modifier",
      before.versionHashModifier,
      after.versionHashModifier,
      isHashed: true
    )
    let (was, is_) = (before.ownUniquenessConstraints, after.ownUniquenessConstraints)
    if Set(was) != Set(is_) {
      details.add("unique \(list(was)) → \(list(is_))", isHashed: true)
    }
    if Set(before.fetchIndexes) != Set(after.fetchIndexes) {
      let names = { (entity: EntityDefinition) in
        entity.fetchIndexes.map(\.name).sorted(by: utf8Less).joined(separator: " ")
      }
      details.add("indexes (\(names(before))) → (\(names(after)))")
    }
    var items: [Item] = []
    if before.name != after.name {
      items.append(
        Item(.renamed, entity: after.name, formerName: before.name, details: details)
      )
    } else if !details.isEmpty {
      items.append(Item(.changed, entity: after.name, details: details))
    }
    return items + properties(from: before, to: after)
  }

  private func list(_ constraints: [[String]]) -> String {
    "(" + constraints.map { $0.joined(separator: "+") }.sorted(by: utf8Less).joined(separator: " ")
      + ")"
  }
}
