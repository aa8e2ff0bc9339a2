// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension ModelDraft {
  /// Returns the model restricted to the entities in `members`.
  ///
  /// The restricted model also contains the ancestors of these entities and every entity that their
  /// relationships reach. It does not contain fetched properties and fetch request templates for other
  /// entities. Its configurations contain only the remaining entities.
  func confined(to members: [String]) -> ModelDraft {
    let byName = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
    var kept: Set<String> = []
    var waiting = members
    while let name = waiting.popLast() {
      guard kept.insert(name).inserted, let entity = byName[name] else { continue }
      if let parent = entity.parent { waiting.append(parent) }
      for property in entity.properties {
        if case .relationship(let relationship) = property.kind {
          waiting.append(relationship.destination)
        }
      }
    }
    var confined = self
    confined.entities = entities.filter { kept.contains($0.name) }
    for index in confined.entities.indices {
      confined.entities[index].properties.removeAll { property in
        if case .fetched(let fetched) = property.kind { return !kept.contains(fetched.entityName) }
        return false
      }
    }
    confined.configurations = configurations.mapValues { $0.filter(kept.contains) }
    confined.fetchRequestTemplates.removeAll { !kept.contains($0.entity) }
    return confined
  }
}
