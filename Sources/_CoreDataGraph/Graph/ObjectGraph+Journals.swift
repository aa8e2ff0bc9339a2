// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension ObjectGraph {
  /// Adds an image of the object to each open journal that has no image of the object, and the object's row
  /// to an image without a row.
  ///
  /// Must be called before a change. `isNew` is true if the object is just entering the context.
  @inline(__always)
  func capture(_ object: GraphObject, isNew: Bool = false) {
    if journals.isOpen { keepImage(of: object, isNew) }
  }

  @inline(never)
  private func keepImage(of object: GraphObject, _ isNew: Bool) {
    for journal in [journals.undo, journals.merge] {
      guard let journal else { continue }
      if let position = journal.position(of: object) {
        if let chunk = object.chunk { journal.fill(position, (chunk, object.rowIndex)) }
        continue
      }
      journal.add(
        ObjectImage(object, isRegistered: !isNew && object.registry === registry) { chunk, row in
          rows.copy(of: chunk, row: row, entity: object.key.entity)
        }
      )
    }
  }
}
