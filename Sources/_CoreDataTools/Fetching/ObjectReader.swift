// SPDX-License-Identifier: Apache-2.0

import CoreData
import _CoreDataModel
import _CoreDataStore

/// A reader that returns objects as rows of values, one block at a time.
package struct ObjectReader {
  private let opened: OpenedStore
  private let context: NSManagedObjectContext
  private let columns: ObjectColumns

  private static let blockSize = 500

  package init(_ opened: OpenedStore, _ context: NSManagedObjectContext, _ columns: ObjectColumns) {
    self.opened = opened
    self.context = context
    self.columns = columns
  }

  /// Calls `row` with the values of each object, in the order of `ids`.
  ///
  /// Must be called inside the context's `performAndWait`. Object IDs in the values are strings such as
  /// `Team/p7`.
  /// - Complexity: a few statements for each block and column; for a key path with a fetched property, one
  ///   fetch for each object.
  /// - Throws: `StoreError`; `ToolError` for a key path that cannot be evaluated; the errors of a fetch, for
  ///   columns with key paths; the errors of `row`.
  package func forEach(
    _ ids: [NSManagedObjectID],
    row: ([Value]) throws -> Void
  ) throws {
    for start in stride(from: 0, to: ids.count, by: Self.blockSize) {
      let block = Array(ids[start..<min(start + Self.blockSize, ids.count)])
      for values in try read(block) { try row(values) }
    }
  }

  private func read(_ ids: [NSManagedObjectID]) throws -> [[Value]] {
    let keys = ids.map(\.key)
    var places: [UInt64: Int] = [:]
    for (index, key) in keys.enumerated() { places[identity(key)] = index }
    var values = [[Value]](
      repeating: [Value](repeating: .null, count: columns.sources.count),
      count: ids.count
    )
    if columns.sources.contains(where: \.isRow) {
      try opened.rows.rows(for: keys).forEach { key, chunk, row in
        guard let place = places[identity(key)] else { return }
        for (index, source) in columns.sources.enumerated() {
          switch source {
          case .slot(let slot):
            values[place][index] = named(
              columns.entity.properties[slot].read(chunk.value(row, slot))
            )
          case .id: values[place][index] = named(.key(key))
          case .entity: values[place][index] = .text(opened.model.entities[key.entity].name)
          case .count, .members, .path: break
          }
        }
      }
    }
    // The context references its objects weakly, so they are kept here until all key paths have been read.
    let objects = try objects(ids)
    for (index, source) in columns.sources.enumerated() {
      switch source {
      case .count(let slot):
        for (place, members) in try opened.rows.members(of: keys, slot: slot).enumerated() {
          values[place][index] = .int(Int64(members.count))
        }
      case .members(let slot):
        for (place, members) in try opened.rows.members(of: keys, slot: slot).enumerated() {
          let texts = members.map { named(.key($0)) }
          values[place][index] = .collection(ValueCollection(.array, texts))
        }
      case .path(let path):
        for (place, id) in ids.enumerated() {
          guard let object = objects[id] else { continue }
          do {
            values[place][index] = named(try Value.object(object).value(forKeyPath: path))
          } catch {
            throw ToolError("\(path): \(ToolError(error).message)")
          }
        }
      case .id, .entity, .slot: break
      }
    }
    return values
  }

  private func objects(_ ids: [NSManagedObjectID]) throws -> [NSManagedObjectID: NSManagedObject] {
    let hasPaths = columns.sources.contains { if case .path = $0 { true } else { false } }
    if !hasPaths { return [:] }
    let request = NSFetchRequest<NSManagedObject>(entityName: columns.entity.name)
    request.predicate = NSPredicate(format: "SELF IN %@", ids)
    request.relationshipKeyPathsForPrefetching = columns.prefetchedPaths
    let found = try context.fetch(request)
    return Dictionary(found.map { ($0.objectID, $0) }) { first, _ in first }
  }

  /// Returns the key with its entity replaced by the root of the hierarchy.
  ///
  /// The result is the same for all keys of a row, even if they have different entities of the hierarchy.
  private func identity(_ key: ObjectKey) -> UInt64 {
    key.with(entity: opened.model.entities[key.entity].root).raw
  }

  private func named(_ value: Value) -> Value {
    switch value {
    case .key(let key): .text("\(opened.model.entities[key.entity].name)/p\(key.number)")
    case .object(let object): object.objectKey.map { named(.key($0)) } ?? value
    case .collection(let collection):
      .collection(ValueCollection(collection.kind, collection.members.map(named)))
    default: value
    }
  }
}

extension ObjectColumns.Source {
  fileprivate var isRow: Bool {
    switch self {
    case .id, .entity, .slot: true
    case .count, .members, .path: false
    }
  }
}
