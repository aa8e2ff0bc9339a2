// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

extension NSManagedObjectContext {
  /// Returns the object for each row: the registered object or a new, registered fault.
  ///
  /// A fault gets the new row. A realised object is refreshed from the new row only if `refreshing` is true.
  /// If `realizing` is true, all faults are realised.
  func register(
    _ rows: FetchedRows,
    realizing: Bool = false,
    refreshing: Bool = false
  ) -> [NSManagedObject] {
    // An empty registry, as before a context's first fetch, needs no lookups. A store returns each row once,
    // so no two of the new objects have the same key.
    let registered = registry.count > 0 ? registry.objects(for: rows.orderedKeys) : []
    registry.reserve(rows.keys.count)
    faultMaker.refresh()
    let objects =
      registered.isEmpty && rows.order == nil
      ? newFaults(of: rows) : objects(of: rows, registered: registered, refreshing: refreshing)
    registry.register(all: objects)
    if retainsRegisteredObjects { for object in objects { graph.keep(object) } }
    if realizing { for object in objects { graph.realizeFromRow(object) } }
    return objects
  }

  /// Returns a new fault for each row.
  ///
  /// Most fetches run this loop, so it avoids reference counting.
  private func newFaults(of rows: FetchedRows) -> [NSManagedObject] {
    // Without rows, the initialiser below would write its count into the empty array storage that all threads
    // share, which is a data race.
    if rows.keys.isEmpty { return [] }
    let maker = faultMaker
    // Each element is initialised once; appending would check the capacity for every row.
    return Array(unsafeUninitializedCapacity: rows.keys.count) { objects, count in
      rows.keys.withUnsafeBufferPointer { keys in
        for run in rows.runs {
          let chunk = run.chunk
          for row in run.first..<run.first + run.count {
            let made = maker.make(keys[count])
            made.point(at: chunk, row: row)
            objects.initializeElement(at: count, to: made)
            count += 1
          }
        }
      }
    }
  }

  /// Returns the object for each row, in the order of the fetch.
  ///
  /// `registered` contains, for each row, the registered object or nil; it is empty if no object is
  /// registered.
  private func objects(
    of rows: FetchedRows,
    registered: [GraphObject?],
    refreshing: Bool
  ) -> [NSManagedObject] {
    let maker = faultMaker
    let isObserved = reporter.isObserved
    var objects: [NSManagedObject] = []
    objects.reserveCapacity(rows.keys.count)
    rows.forEach { key, chunk, row in
      if !registered.isEmpty, let registered = registered[objects.count] {
        // A fetch overwrites the values of a realised object only if the request asks for it.
        if registered.flags.contains(.fault) {
          // A results list may have sorted the fault by its former row, so observers are told that the row
          // has changed.
          if isObserved, registered.hasRow(before: chunk.version(row)) {
            reporter.pending.arrivals.append(Self.managed(registered))
          }
          graph.fill(registered, from: chunk, row: row)
        } else if refreshing {
          do {
            try graph.refresh(registered, from: chunk, row: row)
          } catch {
            reportUnread([key], error)
          }
        }
        objects.append(Self.managed(registered))
      } else {
        let made = maker.make(key)
        made.point(at: chunk, row: row)
        objects.append(made)
      }
    }
    return objects
  }

  /// Returns the object for each key: the registered object, which is not changed, or a new fault without a
  /// row.
  func faults(_ keys: [ObjectKey]) -> [NSManagedObject] {
    let registry = registry
    let maker = faultMaker
    maker.refresh()
    let registered = registry.count > 0 ? registry.objects(for: keys) : []
    registry.reserve(keys.count)
    var objects: [NSManagedObject] = []
    objects.reserveCapacity(keys.count)
    for key in keys {
      if key.isTemporary {
        objects.append(object(for: key))
      } else if !registered.isEmpty, let registered = registered[objects.count] {
        objects.append(Self.managed(registered))
      } else {
        objects.append(maker.make(key))
      }
    }
    registry.register(all: objects)
    if retainsRegisteredObjects { for object in objects { graph.keep(object) } }
    return objects
  }
}

extension GraphObject {
  /// Whether the object has a row whose version is not `version`.
  fileprivate func hasRow(before version: Int64) -> Bool {
    chunk.map { $0.version(rowIndex) != version } ?? false
  }
}
