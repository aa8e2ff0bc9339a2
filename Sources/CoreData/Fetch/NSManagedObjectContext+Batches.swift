// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// Fetches that read keys first and rows a batch at a time.
extension NSManagedObjectContext {
  /// The keys of a fetch, in order, unsaved changes included.
  ///
  /// - Complexity: one statement a store. Each of a few unsaved objects is put into its place with
  ///   O(log n) rows of its neighbours; for many, and where several stores are sorted, all rows are read.
  func keys(_ description: FetchDescription, _ manner: FetchManner) throws -> [ObjectKey] {
    let stores = try sources(description)
    let unsaved = manner.includesUnsaved ? try unsaved(description) : []
    var asked = description
    asked.shape = .keys
    if stores.count == 1 && unsaved.isEmpty { return try keys(asked, in: stores[0], manner) }
    let isSorted = !description.order.isEmpty
    if isSorted && (stores.count > 1 || unsaved.count > Self.placedSingly) {
      asked.shape = .rows
      var whole = FetchManner()
      whole.includesUnsaved = manner.includesUnsaved
      return try objects(asked, whole).map(\.key)
    }
    let wide = FetchWindow.widened(asked, by: unsaved.count)
    var keys: [ObjectKey] = []
    for store in stores { keys += try self.keys(wide, in: store, manner) }
    let changed = Set(unsaved.map { registry.identity($0.key) })
    if !changed.isEmpty { keys.removeAll { changed.contains(registry.identity($0)) } }
    var placing = KeyPlacing(self, keys, SortOrder(description.order))
    for object in try matching(unsaved, description) { try placing.add(object) }
    return FetchWindow(description).cut(placing.keys)
  }

  /// Unsaved objects up to which each is put into its place by itself.
  private static let placedSingly = 16

  private func keys(
    _ description: FetchDescription,
    in store: any RowOrigin,
    _ manner: FetchManner
  ) throws -> [ObjectKey] {
    do {
      guard case .keys(let keys) = try store.fetch(description) else { return [] }
      return keys
    } catch let error as StoreError where error.code == .unsayable {
      let divided = try store.divided(description)
      if manner.includesUnsaved || !graph.hasChanges {
        return try remainder(divided, of: description, in: store, FetchManner()).map(\.key)
      }
      return try storedRemainder(divided, of: description, in: store)
    }
  }

  /// The objects of a fetch as faults whose rows come a batch at a time.
  func batchedObjects(
    _ description: FetchDescription,
    _ manner: FetchManner
  ) throws -> [NSManagedObject] {
    let keys = try keys(description, manner)
    let first = graph.faulting.windows.open(
      keys,
      size: manner.batchSize,
      paths: manner.paths,
      realizes: manner.realizes
    )
    let objects = faults(keys)
    for (place, object) in objects.enumerated() { graph.join(object, at: first + place) }
    if manner.refreshes { try refresh(objects) }
    return objects
  }

  /// The objects of keys: known ones as they are, new faults without rows.
  func faults(_ keys: [ObjectKey]) -> [NSManagedObject] {
    let registry = registry
    let maker = faultMaker
    maker.refresh()
    let known = registry.count > 0 ? registry.objects(for: keys) : []
    registry.reserve(keys.count)
    var objects: [NSManagedObject] = []
    objects.reserveCapacity(keys.count)
    for key in keys {
      if key.isTemporary {
        objects.append(object(for: key))
      } else if !known.isEmpty, let known = known[objects.count] {
        objects.append(Self.managed(known))
      } else {
        objects.append(maker.make(key))
      }
    }
    registry.register(all: objects)
    if retainsRegisteredObjects { for object in objects { graph.keep(object) } }
    return objects
  }

  /// Gives those of the objects that are realised the rows that the store has now.
  private func refresh(_ objects: [NSManagedObject]) throws {
    let realised = objects.filter { !$0.isFault && !$0.key.isTemporary }
    for (_, group) in Dictionary(grouping: realised, by: \.key.store) {
      _ = register(try loadRows(group.map(\.key)), refreshing: true)
    }
  }
}

/// Keys in order, among which unsaved objects find their places.
private struct KeyPlacing {
  private let context: NSManagedObjectContext
  private let order: _CoreDataPredicate.SortOrder
  private(set) var keys: [ObjectKey]
  /// Objects that were compared with, so that none is read twice.
  private var compared: [ObjectKey: NSManagedObject] = [:]

  init(
    _ context: NSManagedObjectContext,
    _ keys: [ObjectKey],
    _ order: _CoreDataPredicate.SortOrder
  ) {
    self.context = context
    self.keys = keys
    self.order = order
  }

  /// Puts the object behind all that come before it, and behind its equals.
  mutating func add(_ object: NSManagedObject) throws {
    var (low, high) = (0, keys.count)
    if order.keys.isEmpty { low = high }
    while low < high {
      let middle = (low + high) / 2
      let other = neighbour(keys[middle])
      if try order.compare(.object(object), .object(other)) < 0 {
        high = middle
      } else {
        low = middle + 1
      }
    }
    keys.insert(object.key, at: low)
  }

  private mutating func neighbour(_ key: ObjectKey) -> NSManagedObject {
    if let known = compared[key] { return known }
    let object = context.object(for: key)
    compared[key] = object
    return object
  }
}
