// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A child after its save, and after its parent's.
extension ObjectGraph {
  /// Records that the parent has every change: nothing is unsaved; new objects keep their keys.
  package func commitToParent() {
    for object in inserted + updated {
      guard let detail = object.detail else { continue }
      forgetBase(detail)
      for position in detail.toManys.indices { detail.toManys[position]?.commit() }
    }
    let gone = deleted
    clearAllUnsaved()
    watched.removeAll()
    for object in gone { forget(object) }
  }
}
