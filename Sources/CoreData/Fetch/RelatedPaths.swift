// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// Which objects besides its own the rules of a list or a fetch read, and the ways between them.
///
/// A list of nations sorted by `home.label` reads zones: where a zone changes, its nations may change
/// their places although they did not change themselves.
struct RelatedPaths {
  /// A place on a key path behind a relationship.
  struct Place {
    /// The entity there.
    let entity: Int
    /// Names of the relationships from the list's objects to there.
    let path: [String]
    /// Names of the relationships from there to the list's objects; nil where one has no inverse.
    let back: [String]?
    /// Whether one of the relationships is a to-many.
    let isToMany: Bool
    /// Names of the properties that are read there.
    fileprivate(set) var keys: Set<String>
  }
  private(set) var places: [Place] = []
  /// Whether the rules read a relationship at all.
  private(set) var readsLinks = false
  /// Indexes of all entities read, sub-entities included.
  private(set) var entities: Set<Int> = []
  private let start: FetchDescription

  init(_ description: FetchDescription, _ sectionNameKeyPath: String?, in model: ModelDefinition) {
    start = description
    var reading = ReadPaths()
    if let condition = description.condition { reading.add(condition) }
    for key in description.order { reading.add(key) }
    var paths = reading.paths
    if let sectionNameKeyPath {
      paths.insert(sectionNameKeyPath.split(separator: ".").map(String.init))
    }
    readsLinks = paths.contains { path in
      path.first.map { model.entities[description.entity].property(named: $0)?.relationship != nil }
        ?? false
    }
    for path in paths where path.count > 1 {
      add(path, from: model.entities[description.entity], model)
    }
    for place in places { entities.formUnion(model.entities[place.entity].family) }
  }

  private mutating func add(
    _ path: [String],
    from start: EntityDefinition,
    _ model: ModelDefinition
  ) {
    var entity = start
    var back: [String]? = []
    var isToMany = false
    // What the last key names is the property of an object that changes with it.
    for (index, key) in path.dropLast().enumerated() {
      guard let property = entity.property(named: key), let relationship = property.relationship
      else { return }
      entity = model.entities[relationship.destination]
      isToMany = isToMany || property.isToMany
      back = relationship.inverse.flatMap { inverse in
        back.map { [entity.properties[inverse].name] + $0 }
      }
      let way = Array(path[...index])
      if let known = places.firstIndex(where: { $0.path == way }) {
        places[known].keys.insert(path[index + 1])
      } else {
        places.append(
          Place(
            entity: entity.index,
            path: way,
            back: back,
            isToMany: isToMany,
            keys: [path[index + 1]]
          )
        )
      }
    }
  }
  /// Whether the list's fetch has a limit or an offset, which count at the fetch alone.
  var isLimited: Bool { start.limit != 0 || start.offset != 0 }

  /// A fetch of the list's objects, without its limits.
  var matching: FetchDescription {
    var matching = start
    (matching.limit, matching.offset, matching.order) = (0, 0, [])
    return matching
  }

  /// A fetch of the list's objects, whatever they match, that reach one of `keys` at a place.
  func readers(of keys: [ObjectKey], at place: Place) -> FetchDescription {
    var readers = FetchDescription(entity: start.entity)
    readers.includesSubentities = start.includesSubentities
    readers.stores = start.stores
    let list = Value.collection(ValueCollection(.set, keys.map(Value.key)))
    readers.condition = .comparison(
      Comparison(
        .keyPath(place.path.joined(separator: ".")),
        .in,
        .constant(Constant(list)),
        modifier: place.isToMany ? .any : .direct
      )
    )
    return readers
  }
}
