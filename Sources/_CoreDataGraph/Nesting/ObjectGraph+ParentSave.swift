// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension ObjectGraph {
  /// Makes the current values the saved values; to be called after the parent has absorbed all changes.
  ///
  /// Inserted objects keep their keys, and deleted objects leave the context.
  package func commitToParent() {
    for object in inserted + updated {
      guard let detail = object.detail else { continue }
      discardBase(detail)
      for position in detail.toManys.indices { detail.toManys[position]?.commit() }
    }
    let gone = deleted
    clearAllUnsaved()
    watched.removeAll()
    for object in gone { removeFromContext(object) }
  }
}
