// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Releases chunks of which only a few rows are still in use.
///
/// A chunk lives as long as one of its rows. Where rows are replaced here and there for long, as by merges
/// of what others save all the time, that is several times as many rows as there are objects.
extension ObjectGraph {
  /// Moves objects out of chunks of which less than half is in use, once as many rows were replaced as
  /// there are objects; nothing before.
  ///
  /// Objects with unsaved changes stay where they are, and chunks that hold more than rows.
  /// - Complexity: O(objects) then: O(1) for each row that was replaced.
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
      guard let chunk = object.chunk, chunk.companions == nil,
        used[ObjectIdentifier(chunk), default: 0] * 2 < chunk.count
      else { continue }
      let place = dense.copy(of: chunk, row: object.rowIndex, entity: object.key.entity)
      object.place(at: place.chunk, row: place.row)
    }
  }
}
