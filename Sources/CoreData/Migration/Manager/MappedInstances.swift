// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The associations of source and destination objects, by the name of the mapping.
///
/// The objects are retained until the next save; afterwards only their keys are kept.
final class MappedInstances {
  private var tables: [String: MappedTable] = [:]

  func associate(_ source: NSManagedObject, _ destination: NSManagedObject, mapping: String) {
    if let table = tables[mapping] { return table.add(source, destination) }
    let table = MappedTable()
    table.add(source, destination)
    tables[mapping] = table
  }

  /// Replaces the objects with their keys after a save; pairs whose destination was not saved are dropped.
  func didSave() {
    for table in tables.values { table.compact() }
  }

  /// Returns the keys of a mapping's pairs up to the last save.
  func pairs(of mapping: String) -> KeyPairs { tables[mapping]?.pairs ?? KeyPairs() }

  /// Returns the keys of the saved destinations of a source.
  func savedDestinations(of source: ObjectKey, mapping: String) -> [ObjectKey] {
    tables[mapping]?.pairs.destinations(of: source) ?? []
  }

  // MARK: Finding objects

  /// Returns the destinations of source objects, each once; all destinations if `sources` is nil.
  func destinations(
    of sources: [NSManagedObject]?,
    mapping: String,
    in context: NSManagedObjectContext
  ) -> [NSManagedObject] {
    guard let table = tables[mapping] else { return [] }
    guard let sources else {
      let new = table.unsaved.map(\.destination)
      return Self.unique(context.faults(table.pairs.destinations) + new)
    }
    return destinations(of: sources.map(\.key), mapping: mapping, in: context)
  }

  /// Returns the destinations of source objects, without repetitions.
  func destinations(
    of sources: [ObjectKey],
    mapping: String,
    in context: NSManagedObjectContext
  ) -> [NSManagedObject] {
    guard !sources.isEmpty, let table = tables[mapping] else { return [] }
    var keys: [ObjectKey] = []
    var new: [NSManagedObject] = []
    for key in sources {
      keys += table.pairs.destinations(of: key)
      if !table.unsaved.isEmpty { new += table.unsavedDestinations(of: key) }
    }
    return keys.isEmpty ? Self.unique(new) : Self.unique(context.objects(for: keys) + new)
  }

  /// Returns the sources of destination objects, each once; all sources if `destinations` is nil.
  func sources(
    of destinations: [NSManagedObject]?,
    mapping: String,
    in context: NSManagedObjectContext
  ) -> [NSManagedObject] {
    guard let table = tables[mapping] else { return [] }
    guard let destinations else {
      let new = table.unsaved.map(\.source)
      return Self.unique(context.faults(table.pairs.sources) + new)
    }
    var keys: [ObjectKey] = []
    var new: [NSManagedObject] = []
    for destination in destinations {
      keys += table.pairs.sources(of: destination.key)
      new += table.unsavedSources(of: destination)
    }
    return keys.isEmpty ? Self.unique(new) : Self.unique(context.objects(for: keys) + new)
  }

  private static func unique(_ objects: [NSManagedObject]) -> [NSManagedObject] {
    if objects.count < 2 { return objects }
    var seen = Set<ObjectIdentifier>(minimumCapacity: objects.count)
    return objects.filter { seen.insert(ObjectIdentifier($0)).inserted }
  }
}

/// The pairs of one mapping.
private final class MappedTable {
  var pairs = KeyPairs()
  /// The pairs added since the last save.
  private(set) var unsaved: [(source: NSManagedObject, destination: NSManagedObject)] = []
  // Indexes of `unsaved`, which are extended only when a pair is looked up. Destinations are indexed by their
  // identity, because a save replaces their temporary keys.
  private var bySource = PositionChains<ObjectKey>()
  private var byDestination = PositionChains<ObjectIdentifier>()

  func add(_ source: NSManagedObject, _ destination: NSManagedObject) {
    unsaved.append((source, destination))
  }

  func compact() {
    if unsaved.isEmpty { return }
    for (source, destination) in unsaved where !destination.key.isTemporary {
      pairs.append(source.key, destination.key)
    }
    unsaved.removeAll(keepingCapacity: true)
    bySource.removeAll()
    byDestination.removeAll()
  }

  func unsavedDestinations(of source: ObjectKey) -> [NSManagedObject] {
    for position in bySource.count..<unsaved.count {
      bySource.append(unsaved[position].source.key)
    }
    return bySource.positions(of: source).map { unsaved[$0].destination }
  }

  func unsavedSources(of destination: NSManagedObject) -> [NSManagedObject] {
    for position in byDestination.count..<unsaved.count {
      byDestination.append(ObjectIdentifier(unsaved[position].destination))
    }
    return byDestination.positions(of: ObjectIdentifier(destination)).map { unsaved[$0].source }
  }
}
