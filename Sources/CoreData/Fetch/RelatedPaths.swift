// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// The places where a list or a fetch reads related objects through key paths.
///
/// For example, a list of nations sorted by `home.label` reads zones. If a zone changes, the nations that
/// refer to the zone may sort differently, although they have not changed themselves.
struct RelatedPaths {
  /// The objects that a key path reaches after one or more of its relationships.
  struct PathEnd {
    /// The index of the entity of the reached objects.
    let entity: Int
    /// The names of the relationships that lead from the list's objects to the reached objects.
    let path: [String]
    /// The names of the relationships that lead from the reached objects back to the list's objects; nil if
    /// one of the relationships has no inverse.
    let back: [String]?
    /// Whether one of the relationships in `path` is a to-many.
    let isToMany: Bool
    /// The names of the properties that are read from the reached objects.
    fileprivate(set) var keys: Set<String>
  }
  private(set) var pathEnds: [PathEnd] = []
  /// Whether a key path begins with a relationship.
  private(set) var readsLinks = false
  /// The indexes of the entities of all reached objects, and of their subentities.
  private(set) var entities: Set<Int> = []
  private let start: FetchDescription

  init(_ description: FetchDescription, _ sectionNameKeyPath: String?, in model: ModelDefinition) {
    start = description
    var reading = ReadPaths()
    if let condition = description.condition { reading.add(condition) }
    for key in description.order { reading.add(key) }
    if let sectionNameKeyPath { reading.add(keyPath: sectionNameKeyPath) }
    let paths = reading.paths
    readsLinks = paths.contains { path in
      path.first.map { model.entities[description.entity].property(named: $0)?.relationship != nil }
        ?? false
    }
    for path in paths where path.count > 1 {
      add(path, from: model.entities[description.entity], model)
    }
    for pathEnd in pathEnds { entities.formUnion(model.entities[pathEnd.entity].family) }
  }

  private mutating func add(
    _ path: [String],
    from start: EntityDefinition,
    _ model: ModelDefinition
  ) {
    var entity = start
    var back: [String]? = []
    var isToMany = false
    // The last key is left out, because it names a property of the reached objects, and a change of this
    // property is a change of these objects.
    for (index, key) in path.dropLast().enumerated() {
      guard let property = entity.property(named: key), let relationship = property.relationship
      else { return }
      entity = model.entities[relationship.destination]
      isToMany = isToMany || property.isToMany
      back = relationship.inverse.flatMap { inverse in
        back.map { [entity.properties[inverse].name] + $0 }
      }
      let way = Array(path[...index])
      if let known = pathEnds.firstIndex(where: { $0.path == way }) {
        pathEnds[known].keys.insert(path[index + 1])
      } else {
        pathEnds.append(
          PathEnd(
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
  var isLimited: Bool { start.limit != 0 || start.offset != 0 }

  var matching: FetchDescription {
    var matching = start
    (matching.limit, matching.offset, matching.order) = (0, 0, [])
    return matching
  }

  /// Returns a fetch of the objects of the list's entity from which `pathEnd` leads to one of `keys`.
  ///
  /// The list's predicate is not applied.
  func readers(of keys: [ObjectKey], at pathEnd: PathEnd) -> FetchDescription {
    var readers = FetchDescription(entity: start.entity)
    readers.includesSubentities = start.includesSubentities
    readers.stores = start.stores
    let list = Value.collection(ValueCollection(.set, keys.map(Value.key)))
    readers.condition = .comparison(
      Comparison(
        .keyPath(pathEnd.path.joined(separator: ".")),
        .in,
        .constant(Constant(list)),
        modifier: pathEnd.isToMany ? .any : .direct
      )
    )
    return readers
  }
}
