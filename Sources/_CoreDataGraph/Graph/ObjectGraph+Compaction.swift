// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Frees the memory of rows that no object uses.
///
/// A chunk stays allocated while an object uses one of its rows. If merges keep replacing single rows, the
/// chunks eventually hold several times as many rows as there are objects.
extension ObjectGraph {
  /// Copies the rows of objects out of chunks in which fewer than half of the rows are in use.
  ///
  /// Does nothing until the number of replaced rows exceeds both 1024 and the number of registered objects.
  /// Rows of objects with unsaved or unrecorded changes, and rows in chunks that keep prefetched objects
  /// alive, are not copied.
  /// - Complexity: O(registered objects) if enough rows were replaced, O(1) otherwise; on average O(1) for
  ///   each replaced row.
  package func compactRows() {
    guard rows.replaced > 1024, rows.replaced > registry.count else { return }
    rows.replaced = 0
    let objects = registry.objects
    var used: [ObjectIdentifier: Int] = [:]
    for object in objects {
      if let chunk = object.chunk { used[ObjectIdentifier(chunk), default: 0] += 1 }
    }
    var dense = ContextRows(model: model)
    for object in objects
    where object.flags.isDisjoint(with: .unsaved) && object.detail?.base == nil {
      guard let chunk = object.chunk, chunk.retainedChunks == nil,
        used[ObjectIdentifier(chunk), default: 0] * 2 < chunk.count
      else { continue }
      let place = dense.copy(of: chunk, row: object.rowIndex, entity: object.key.entity)
      object.point(at: place.chunk, row: place.row)
    }
  }
}
