// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The associations of source and destination objects, by the name of the mapping.
///
/// The objects are retained until the next save; afterwards only their keys are kept.
final class MappedInstances {
  fileprivate struct Table {
    var pairs = KeyPairs()
    /// The pairs that were added after the last save.
    var unsaved: [(source: NSManagedObject, destination: NSManagedObject)] = []
    /// Positions in `unsaved`.
    var unsavedBySource: [ObjectKey: [Int]] = [:]
    /// Positions in `unsaved`, by object, because the key of a destination changes when it becomes permanent.
    var unsavedByDestination: [ObjectIdentifier: [Int]] = [:]
  }
  private var tables: [String: Table] = [:]

  func associate(_ source: NSManagedObject, _ destination: NSManagedObject, mapping: String) {
    // In place, so that the arrays are not copied.
    tables[mapping, default: Table()].add(source, destination)
  }

  /// Replaces the objects with their keys after a save; pairs whose destination was not saved are dropped.
  func didSave() {
    for name in tables.keys { tables[name]?.compact() }
  }

  /// Returns the keys of a mapping's pairs up to the last save.
  func pairs(of mapping: String) -> KeyPairs { tables[mapping]?.pairs ?? KeyPairs() }

  // MARK: Finding objects

  /// Returns the destinations of source objects, each once; all destinations if `sources` is nil.
  func destinations(
    of sources: [NSManagedObject]?,
    mapping: String,
    in context: NSManagedObjectContext
  ) -> [NSManagedObject] {
    guard tables[mapping] != nil else { return [] }
    guard let sources else {
      let saved = tables[mapping]?.pairs.destinations ?? []
      let new = tables[mapping]?.unsaved.map(\.destination) ?? []
      return Self.unique(context.faults(saved) + new)
    }
    var keys: [ObjectKey] = []
    var new: [NSManagedObject] = []
    for source in sources {
      keys += tables[mapping]?.pairs.destinations(of: source.key) ?? []
      new += tables[mapping]?.unsavedDestinations(of: source.key) ?? []
    }
    return Self.unique(context.objects(for: keys) + new)
  }

  /// Returns the sources of destination objects, each once; all sources if `destinations` is nil.
  func sources(
    of destinations: [NSManagedObject]?,
    mapping: String,
    in context: NSManagedObjectContext
  ) -> [NSManagedObject] {
    guard tables[mapping] != nil else { return [] }
    guard let destinations else {
      let saved = tables[mapping]?.pairs.sources ?? []
      let new = tables[mapping]?.unsaved.map(\.source) ?? []
      return Self.unique(context.faults(saved) + new)
    }
    var keys: [ObjectKey] = []
    var new: [NSManagedObject] = []
    for destination in destinations {
      keys += tables[mapping]?.pairs.sources(of: destination.key) ?? []
      new += tables[mapping]?.unsavedSources(of: destination) ?? []
    }
    return Self.unique(context.objects(for: keys) + new)
  }

  private static func unique(_ objects: [NSManagedObject]) -> [NSManagedObject] {
    if objects.count < 2 { return objects }
    var seen = Set<ObjectIdentifier>(minimumCapacity: objects.count)
    return objects.filter { seen.insert(ObjectIdentifier($0)).inserted }
  }
}

extension MappedInstances.Table {
  fileprivate mutating func add(_ source: NSManagedObject, _ destination: NSManagedObject) {
    unsavedBySource[source.key, default: []].append(unsaved.count)
    unsavedByDestination[ObjectIdentifier(destination), default: []].append(unsaved.count)
    unsaved.append((source, destination))
  }

  fileprivate mutating func compact() {
    if unsaved.isEmpty { return }
    for (source, destination) in unsaved where !destination.key.isTemporary {
      pairs.append(source.key, destination.key)
    }
    unsaved = []
    unsavedBySource = [:]
    unsavedByDestination = [:]
  }

  fileprivate func unsavedDestinations(of source: ObjectKey) -> [NSManagedObject] {
    (unsavedBySource[source] ?? []).map { unsaved[$0].destination }
  }

  fileprivate func unsavedSources(of destination: NSManagedObject) -> [NSManagedObject] {
    (unsavedByDestination[ObjectIdentifier(destination)] ?? []).map { unsaved[$0].source }
  }
}
