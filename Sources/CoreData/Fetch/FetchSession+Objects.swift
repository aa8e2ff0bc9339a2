// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

extension FetchSession {
  /// Returns the objects in order, with unsaved changes applied if the options include them.
  func objects() throws -> [NSManagedObject] {
    if options.batchSize > 0 { return try batchedObjects() }
    let objects = try wholeObjects()
    if !options.paths.isEmpty { try graph.prefetch(options.paths, of: objects) }
    return objects
  }

  /// Returns the objects in order, without batches.
  private func wholeObjects() throws -> [NSManagedObject] {
    let origins = try origins()
    let unsaved = options.includesUnsaved ? try unsaved() : []
    if origins.count == 1 && unsaved.isEmpty { return try read(origins[0]) }
    // Unsaved changes and further stores can move results into and out of the window. All rows that could be
    // in the window are therefore read before the window is applied.
    let wide = session(FetchWindow.widened(description, by: unsaved.count), options)
    var objects: [NSManagedObject] = []
    for origin in origins { objects += try wide.read(origin) }
    return try arranged(objects, with: unsaved)
  }

  /// Replaces the unsaved objects among the fetched objects with all unsaved objects that match, sorts the
  /// result, and applies limit and offset.
  private func arranged(
    _ objects: [NSManagedObject],
    with unsaved: [NSManagedObject]
  ) throws -> [NSManagedObject] {
    var objects = objects
    if !unsaved.isEmpty {
      let changed = Set(unsaved.map(ObjectIdentifier.init))
      objects.removeAll { changed.contains(ObjectIdentifier($0)) }
      objects += try matching(unsaved)
    }
    if !description.order.isEmpty {
      objects = try SortOrder(description.order).sorted(objects) { .object($0) }
    }
    return FetchWindow(description).cut(objects)
  }

  /// Returns the matching objects in one store, without adding unsaved objects.
  ///
  /// - Complexity: one statement; see `remainder(_:in:)` for fetches that the store can express only in
  ///   part.
  func read(_ store: any RowOrigin) throws -> [NSManagedObject] {
    do {
      return try objects(of: store.fetch(description))
    } catch let error as StoreError where error.code == .inexpressible {
      let divided = try store.divided(description)
      if options.includesUnsaved || !graph.hasChanges {
        return try remainder(divided, in: store)
      }
      return try storedRemainder(divided, in: store).map { context.object(for: $0) }
    }
  }

  private func objects(of result: FetchResult) throws -> [NSManagedObject] {
    switch result {
    case .rows(let rows):
      return context.register(rows, realizing: options.realizes, refreshing: options.refreshes)
    case .keys(let keys):
      let objects = keys.map { context.object(for: $0) }
      // A custom store returns keys even for a fetch of rows.
      if case .rows = description.shape {
        if options.refreshes { try refresh(objects) }
        if options.realizes { for object in objects { _ = try graph.tryRealize(object) } }
      }
      return objects
    default: return []
    }
  }

  // MARK: Batches

  /// Returns the objects as faults whose rows are read one batch at a time.
  private func batchedObjects() throws -> [NSManagedObject] {
    let keys = try keys()
    let first = graph.faulting.windows.open(
      keys,
      size: options.batchSize,
      paths: options.paths,
      realizes: options.realizes
    )
    let objects = context.faults(keys)
    for (place, object) in objects.enumerated() { graph.join(object, at: first + place) }
    if options.refreshes { try refresh(objects) }
    return objects
  }

  /// Refreshes the realised objects among `objects` with the store's current rows.
  private func refresh(_ objects: [NSManagedObject]) throws {
    let realised = objects.filter { !$0.isFault && !$0.key.isTemporary }
    for (_, group) in Dictionary(grouping: realised, by: \.key.store) {
      _ = context.register(try context.loadRows(group.map(\.key)), refreshing: true)
    }
  }
}
