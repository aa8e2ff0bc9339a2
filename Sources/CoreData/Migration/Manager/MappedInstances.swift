// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The associations of source and destination objects, by the name of the mapping.
///
/// The objects are retained until the next save; afterwards only their keys are kept.
///
/// The variables are exempt from exclusivity checks at run time, because the checks slow down the migration
/// of each object. The exemption is safe because only the thread of the migration uses the variables, and no
/// closure runs while one of them is written.
final class MappedInstances {
  @exclusivity(unchecked) private var tables: [String: MappedTable] = [:]
  /// The table that was used last; most calls use the same table as the previous one.
  @exclusivity(unchecked) private var last: (mapping: String, table: MappedTable)?

  private func table(of mapping: String) -> MappedTable? {
    if let last, last.mapping == mapping { return last.table }
    guard let table = tables[mapping] else { return nil }
    last = (mapping, table)
    return table
  }

  /// Reserves memory for `count` more pairs of a mapping.
  func reserve(_ count: Int, mapping: String) { madeTable(of: mapping).reserve(count) }

  private func madeTable(of mapping: String) -> MappedTable {
    if let table = table(of: mapping) { return table }
    let table = MappedTable()
    tables[mapping] = table
    return table
  }

  func associate(_ source: NSManagedObject, _ destination: NSManagedObject, mapping: String) {
    madeTable(of: mapping).add(source, destination)
  }

  /// Replaces the objects with their keys after a save; pairs whose destination was not saved are dropped.
  func didSave() {
    for table in tables.values { table.compact() }
  }

  /// Returns the keys of a mapping's pairs up to the last save.
  func pairs(of mapping: String) -> KeyPairs { table(of: mapping)?.pairs ?? KeyPairs() }

  /// Returns the keys of the saved destinations of a source.
  func savedDestinations(of source: ObjectKey, mapping: String) -> [ObjectKey] {
    table(of: mapping)?.pairs.destinations(of: source) ?? []
  }

  // MARK: Finding objects

  /// Returns the destinations of source objects, each once; all destinations if `sources` is nil.
  func destinations(
    of sources: [NSManagedObject]?,
    mapping: String,
    in context: NSManagedObjectContext
  ) -> [NSManagedObject] {
    guard let table = table(of: mapping) else { return [] }
    guard let sources else {
      return Self.unique(context.faults(table.pairs.destinations) + table.destinations)
    }
    if sources.count == 1, let last = table.lastDestination(of: sources[0].key) { return [last] }
    return destinations(of: sources.map(\.key), mapping: mapping, in: context)
  }

  /// Returns the destinations of source objects, without repetitions.
  func destinations(
    of sources: [ObjectKey],
    mapping: String,
    in context: NSManagedObjectContext
  ) -> [NSManagedObject] {
    guard !sources.isEmpty, let table = table(of: mapping) else { return [] }
    var keys: [ObjectKey] = []
    var new: [NSManagedObject] = []
    for key in sources {
      table.pairs.addDestinations(of: key, to: &keys)
      table.addUnsavedDestinations(of: key, to: &new)
    }
    return keys.isEmpty ? Self.unique(new) : Self.unique(context.objects(for: keys) + new)
  }

  /// Returns the sources of destination objects, each once; all sources if `destinations` is nil.
  func sources(
    of destinations: [NSManagedObject]?,
    mapping: String,
    in context: NSManagedObjectContext
  ) -> [NSManagedObject] {
    guard let table = table(of: mapping) else { return [] }
    guard let destinations else {
      return Self.unique(context.faults(table.pairs.sources) + table.sources)
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
  @exclusivity(unchecked) var pairs = KeyPairs()
  /// The sources and the destinations of the pairs added since the last save.
  @exclusivity(unchecked) private(set) var sources: [NSManagedObject] = []
  @exclusivity(unchecked) private(set) var destinations: [NSManagedObject] = []
  /// The keys of `sources`; an unsaved pair is found by the key of its source.
  @exclusivity(unchecked) private var keys = KeyList()
  // Updated only when a pair is looked up by its destination. Destinations are indexed by object identity,
  // because a save replaces their temporary keys.
  @exclusivity(unchecked) private var byDestination = PositionChains<ObjectIdentifier>()

  func reserve(_ count: Int) { pairs.reserve(count) }

  func add(_ source: NSManagedObject, _ destination: NSManagedObject) {
    sources.append(source)
    destinations.append(destination)
    keys.append(source.key)
  }

  func compact() {
    if sources.isEmpty { return }
    for (index, destination) in destinations.enumerated() where !destination.key.isTemporary {
      pairs.append(sources[index].key, destination.key)
    }
    sources.removeAll(keepingCapacity: true)
    destinations.removeAll(keepingCapacity: true)
    keys.removeAll()
    byDestination.removeAll()
  }

  /// Returns the destination of a source if the last added pair is the only pair of the source; otherwise
  /// returns nil.
  ///
  /// This makes a frequent search fast: a policy that calls `super` looks up the object that `super` has just
  /// created.
  func lastDestination(of source: ObjectKey) -> NSManagedObject? {
    guard pairs.isAboveSources(source), let position = keys.endPosition(of: source) else {
      return nil
    }
    return destinations[position]
  }

  func addUnsavedDestinations(of source: ObjectKey, to found: inout [NSManagedObject]) {
    if destinations.isEmpty { return }
    keys.forEachPosition(of: source) { found.append(destinations[$0]) }
  }

  func unsavedSources(of destination: NSManagedObject) -> [NSManagedObject] {
    for position in byDestination.count..<destinations.count {
      byDestination.append(ObjectIdentifier(destinations[position]))
    }
    return byDestination.positions(of: ObjectIdentifier(destination)).map { sources[$0] }
  }
}
