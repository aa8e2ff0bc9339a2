// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

extension FetchSession {
  /// The maximum number of unsaved objects that are inserted one by one into the ordered keys.
  private static let singleInsertionLimit = 16

  /// Returns the keys in order, with unsaved changes applied if the options include them.
  ///
  /// - Complexity: usually one statement for each store. In a sorted fetch, up to 16 unsaved objects are each
  ///   compared with O(log n) other objects; with more unsaved objects or with several stores, all rows are
  ///   read.
  func keys() throws -> [ObjectKey] {
    let origins = try origins()
    let unsaved = options.includesUnsaved ? try unsaved() : []
    var asked = description
    asked.shape = .keys
    if origins.count == 1 && unsaved.isEmpty {
      return try session(asked, options).keys(in: origins[0])
    }
    let isSorted = !description.order.isEmpty
    if isSorted && (origins.count > 1 || unsaved.count > Self.singleInsertionLimit) {
      asked.shape = .rows
      var whole = FetchOptions()
      whole.includesUnsaved = options.includesUnsaved
      return try session(asked, whole).objects().map(\.key)
    }
    let wide = session(FetchWindow.widened(asked, by: unsaved.count), options)
    var keys: [ObjectKey] = []
    for origin in origins { keys += try wide.keys(in: origin) }
    let registry = registry
    let changed = Set(unsaved.map { registry.identity($0.key) })
    if !changed.isEmpty { keys.removeAll { changed.contains(registry.identity($0)) } }
    var placing = KeyPlacing(context, keys, SortOrder(description.order))
    for object in try matching(unsaved) { try placing.add(object) }
    return FetchWindow(description).cut(placing.keys)
  }

  /// Returns the keys of the matching objects in one store, without adding unsaved objects.
  private func keys(in store: any RowOrigin) throws -> [ObjectKey] {
    do {
      guard case .keys(let keys) = try store.fetch(description) else { return [] }
      return keys
    } catch let error as StoreError where error.code == .inexpressible {
      let divided = try store.divided(description)
      if options.includesUnsaved || !graph.hasChanges {
        return try session(description, FetchOptions()).remainder(divided, in: store).map(\.key)
      }
      return try storedRemainder(divided, in: store)
    }
  }
}

/// An ordered list of keys into which the keys of unsaved objects are inserted.
private struct KeyPlacing {
  private let context: NSManagedObjectContext
  private let order: _CoreDataPredicate.SortOrder
  private(set) var keys: [ObjectKey]
  /// Objects already used for comparison, kept so that each is read only once.
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

  /// Inserts the object's key at its place in the order, after the keys of equal objects.
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
