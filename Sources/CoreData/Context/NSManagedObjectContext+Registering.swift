// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

extension NSManagedObjectContext {
  /// Returns the objects of rows: new faults, registered faults with their new rows, and registered realised
  /// objects.
  ///
  /// If `refreshing` is true, the new rows refresh the registered realised objects too. If `realizing` is
  /// true, faults are realised.
  func register(
    _ rows: FetchedRows,
    realizing: Bool = false,
    refreshing: Bool = false
  ) -> [NSManagedObject] {
    // The first fetch of a context finds no registered object, and a store returns each row once, so nothing
    // is looked up.
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
  /// Most fetches run this loop, so the loop retains and releases nothing.
  private func newFaults(of rows: FetchedRows) -> [NSManagedObject] {
    // Without rows, the initialiser below would write its count into the empty array that all threads share.
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

  /// Returns the objects of rows in the fetch's order; `registered` holds the registered object or nil for
  /// each row, or is empty.
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

  /// Returns the objects of keys: registered objects unchanged, and new faults without rows.
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
