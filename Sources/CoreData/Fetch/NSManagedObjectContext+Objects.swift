// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// Rows of a fetch → the context's objects.
extension NSManagedObjectContext {
  /// The objects of a fetch, in order, unsaved changes included.
  func objects(
    _ description: FetchDescription,
    _ manner: FetchManner
  ) throws -> [NSManagedObject] {
    if manner.batchSize > 0 { return try batchedObjects(description, manner) }
    let objects = try wholeObjects(description, manner)
    if !manner.paths.isEmpty { try graph.prefetch(manner.paths, of: objects) }
    return objects
  }

  /// The same with all rows at once.
  private func wholeObjects(
    _ description: FetchDescription,
    _ manner: FetchManner
  ) throws -> [NSManagedObject] {
    let stores = try sources(description)
    let unsaved = manner.includesUnsaved ? try unsaved(description) : []
    if stores.count == 1 && unsaved.isEmpty { return try read(stores[0], description, manner) }
    // Unsaved changes and other stores can move results in and out of the window: read enough rows
    // from the start for it to be exact, then cut it.
    let wide = FetchWindow.widened(description, by: unsaved.count)
    var objects: [NSManagedObject] = []
    for store in stores { objects += try read(store, wide, manner) }
    return try settled(objects, unsaved, description)
  }

  /// Lays unsaved changes over the objects of stores, sorts and cuts.
  func settled(
    _ objects: [NSManagedObject],
    _ unsaved: [NSManagedObject],
    _ description: FetchDescription
  ) throws -> [NSManagedObject] {
    var objects = objects
    if !unsaved.isEmpty {
      let changed = Set(unsaved.map(ObjectIdentifier.init))
      objects.removeAll { changed.contains(ObjectIdentifier($0)) }
      objects += try matching(unsaved, description)
    }
    if !description.order.isEmpty {
      objects = try SortOrder(description.order).sorted(objects) { .object($0) }
    }
    return FetchWindow(description).cut(objects)
  }

  /// One statement; an object for each row.
  func read(
    _ store: any RowOrigin,
    _ description: FetchDescription,
    _ manner: FetchManner
  ) throws -> [NSManagedObject] {
    do {
      return objects(of: try store.fetch(description), manner)
    } catch let error as StoreError where error.code == .unsayable {
      let divided = try store.divided(description)
      if manner.includesUnsaved || !graph.hasChanges {
        return try remainder(divided, of: description, in: store, manner)
      }
      let keys = try storedRemainder(divided, of: description, in: store)
      return keys.map { object(for: $0) }
    }
  }

  /// The objects of what a store gave.
  func objects(of result: FetchResult, _ manner: FetchManner) -> [NSManagedObject] {
    switch result {
    case .rows(let rows):
      register(rows, realizing: manner.realizes, refreshing: manner.refreshes)
    case .keys(let keys): keys.map { object(for: $0) }
    default: []
    }
  }

  /// The objects of rows: known ones as they are, faults with their new rows, new faults.
  func register(
    _ rows: FetchedRows,
    realizing: Bool = false,
    refreshing: Bool = false
  ) -> [NSManagedObject] {
    // The first fetch of a context meets no known object, and a store gives each row once.
    let known = registry.count > 0 ? registry.objects(for: rows.orderedKeys) : []
    registry.reserve(rows.keys.count)
    faultMaker.refresh()
    let objects =
      known.isEmpty && rows.order == nil
      ? newFaults(of: rows) : objects(of: rows, known: known, refreshing: refreshing)
    registry.register(all: objects)
    if retainsRegisteredObjects { for object in objects { graph.keep(object) } }
    if realizing { for object in objects { graph.realizeFromRow(object) } }
    return objects
  }

  /// A new fault for each row; as most fetches come this way, no reference is counted in passing.
  private func newFaults(of rows: FetchedRows) -> [NSManagedObject] {
    // An array that fills itself writes its count into the empty array too, which all threads share.
    if rows.keys.isEmpty { return [] }
    let maker = faultMaker
    // Each key initialises one element; a growing array would look for room a million times.
    return Array(unsafeUninitializedCapacity: rows.keys.count) { objects, count in
      rows.keys.withUnsafeBufferPointer { keys in
        for run in rows.runs {
          let chunk = run.chunk
          for row in run.first..<run.first + run.count {
            let made = maker.make(keys[count])
            made.place(at: chunk, row: row)
            objects.initializeElement(at: count, to: made)
            count += 1
          }
        }
      }
    }
  }

  /// The objects of rows, in the fetch's order; `known` has those that are registered, or nothing.
  private func objects(
    of rows: FetchedRows,
    known: [GraphObject?],
    refreshing: Bool
  ) -> [NSManagedObject] {
    let maker = faultMaker
    let isObserved = isObserved
    var objects: [NSManagedObject] = []
    objects.reserveCapacity(rows.keys.count)
    rows.forEach { key, chunk, row in
      if !known.isEmpty, let known = known[objects.count] {
        // Realised values are the context's own; a fetch does not touch them unless it is asked to.
        if known.flags.contains(.fault) {
          // A results list has its place by the former row.
          if isObserved, known.hasRow(before: chunk.version(row)) {
            arrivals.append(Self.managed(known))
          }
          graph.fill(known, from: chunk, row: row)
        } else if refreshing {
          do {
            try graph.refresh(known, from: chunk, row: row)
          } catch {
            reportUnread([key], error)
          }
        }
        objects.append(Self.managed(known))
      } else {
        let made = maker.make(key)
        made.place(at: chunk, row: row)
        objects.append(made)
      }
    }
    return objects
  }

  // MARK: Unsaved changes

  /// Unsaved objects that the description could be about, and those from which it reads what is unsaved
  /// in others; each once.
  ///
  /// - Throws: as `readersOfUnsaved(_:)`.
  func unsaved(_ description: FetchDescription) throws -> [NSManagedObject] {
    guard graph.hasChanges else { return [] }
    let entity = registry.model.entities[description.entity]
    let changed = graph.inserted + graph.updated + graph.deleted
    let own = changed.filter { object in
      guard
        description.includesSubentities
          ? entity.family.contains(object.key.entity) : object.key.entity == entity.index
      else { return false }
      return description.stores?.contains(storeIndex(for: object)) ?? true
    }.map(Self.managed)
    let readers = try readersOfUnsaved(description)
    if readers.isEmpty { return own }
    var seen = Set<ObjectIdentifier>()
    return (own + readers).filter { seen.insert(ObjectIdentifier($0)).inserted }
  }

  /// The unsaved objects that match now.
  func matching(
    _ unsaved: [NSManagedObject],
    _ description: FetchDescription
  ) throws -> [NSManagedObject] {
    let condition = description.condition.map { PreparedCondition($0) }
    return try unsaved.filter { object in
      if object.isDeleted { return false }
      return try condition?.holds(for: .object(object)) ?? true
    }
  }
}

extension GraphObject {
  /// Whether a row of another version is at hand.
  fileprivate func hasRow(before version: Int64) -> Bool {
    rowChunk.map { $0.version(rowIndex) != version } ?? false
  }
}
