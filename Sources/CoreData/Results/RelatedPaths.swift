// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataStore

/// Which objects besides its own the rules of a list read, and the way back from them.
///
/// A list of nations sorted by `home.label` reads zones: where a zone changes, its nations may change
/// their places although they did not change themselves.
struct RelatedPaths {
  /// A place on a key path behind a relationship.
  struct Place: Hashable {
    /// The entity there.
    let entity: Int
    /// Names of the relationships from there to the list's objects; nil where one has no inverse.
    let back: [String]?
  }
  private(set) var places: [Place] = []
  /// Indexes of all entities read, sub-entities included.
  private(set) var entities: Set<Int> = []

  init() {}

  init(_ description: FetchDescription, _ sectionNameKeyPath: String?, in model: ModelDefinition) {
    var reading = ReadPaths()
    if let condition = description.condition { reading.add(condition) }
    for key in description.order { reading.add(key) }
    var paths = reading.paths
    if let sectionNameKeyPath {
      paths.insert(sectionNameKeyPath.split(separator: ".").map(String.init))
    }
    var found = Set<Place>()
    for path in paths { add(path, from: model.entities[description.entity], model, &found) }
    places = Array(found)
    for place in places { entities.formUnion(model.entities[place.entity].family) }
  }

  private func add(
    _ path: [String],
    from start: EntityDefinition,
    _ model: ModelDefinition,
    _ found: inout Set<Place>
  ) {
    var entity = start
    var back: [String]? = []
    // What the last key names is the property of an object that changes with it.
    for key in path.dropLast() {
      guard let relationship = entity.property(named: key)?.relationship else { return }
      entity = model.entities[relationship.destination]
      back = relationship.inverse.flatMap { inverse in
        back.map { [entity.properties[inverse].name] + $0 }
      }
      found.insert(Place(entity: entity.index, back: back))
    }
  }
}
