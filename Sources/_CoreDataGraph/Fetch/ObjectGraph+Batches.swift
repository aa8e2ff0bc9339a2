// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension ObjectGraph {
  /// Sets the position of a fault in a batched fetch, so that its row is read together with the rows of the
  /// other faults in its batch.
  ///
  /// Does nothing for an object that has a row or is not a fault.
  package func join(_ object: GraphObject, at place: Int) {
    if object.chunk == nil, object.flags.contains(.fault) { object.point(at: nil, row: place) }
  }

  /// Loads the missing rows of those faults in the object's batch that belong to the same store as the
  /// object.
  ///
  /// - Returns: false if the object has no row afterwards: it is in no batch, `alwaysReadsRows` is true, or
  ///   the row does not exist.
  /// - Throws: an error from reading the rows.
  /// - Complexity: the statements of one load of rows, and those of the batch's prefetching.
  func loadBatch(of object: GraphObject) throws -> Bool {
    guard !faulting.alwaysReadsRows,
      let batch = faulting.windows.batch(of: object.key, at: object.rowIndex)
    else { return false }
    let waiting = batch.keys.compactMap { key -> GraphObject? in
      guard key.store == object.key.store, key.isTemporary == object.key.isTemporary,
        let member = registry.object(for: key)
      else { return nil }
      return member.chunk == nil && member.flags.contains(.fault) ? member : nil
    }
    let rows = try host.loadRows(waiting.map(\.key))
    rows.forEach { key, chunk, row in
      guard let member = registry.object(for: key), member.chunk == nil else { return }
      if key != member.key { member.key = key }
      fill(member, from: chunk, row: row)
    }
    let loaded = waiting.filter { $0.chunk != nil }
    if !batch.paths.isEmpty { try prefetch(batch.paths, of: loaded) }
    if batch.realizes { for member in loaded where member !== object { realizeFromRow(member) } }
    return object.chunk != nil
  }
}
