// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension ObjectGraph {
  /// Records the state of an object in each open journal; must be called before each change of the object.
  ///
  /// If a journal already has an image of the object, the image is kept; an image without a row receives the
  /// current row. `isNew` is true if the object is just entering the context.
  @inline(__always)
  func capture(_ object: GraphObject, isNew: Bool = false) {
    if journals.isOpen { keepImage(of: object, isNew) }
  }

  /// Replaces an object's image in `journal` with the current state of the object.
  ///
  /// Call this method after unsaved changes of the object were discarded. Does nothing if the journal has no
  /// image of the object, or if the object did not exist when the image was made.
  func renewImage(of object: GraphObject, in journal: ChangeJournal?) {
    guard let journal, let position = journal.position(of: object), journal.images[position].existed
    else { return }
    journal.images[position] = image(of: object, isRegistered: true)
  }

  /// Applies a newer row to the image of an object.
  ///
  /// The image keeps transient values, and the values that were unsaved when the image was made.
  func rebaseImage(of object: GraphObject, in journal: ChangeJournal?, on newer: ChunkRow) {
    guard let journal, let position = journal.position(of: object) else { return }
    let image = journal.images[position]
    guard let former = image.chunkRow, image.existed else { return }
    let entity = object.key.entity
    let place = withTransientDefaults(newer.chunk, newer.row, entity)
    let merged = rows.copy(of: place.chunk, row: place.row, entity: entity)
    for property in object.entityDefinition.properties
    where merged.chunk.layout.kinds[property.slot] != .none {
      let slot = property.slot
      let isUnsaved =
        image.base.map { !former.chunk.slotEquals(former.row, slot, of: $0.chunk, row: $0.row) }
        ?? false
      if property.isTransient || isUnsaved {
        merged.chunk.copySlot(slot, to: merged.row, from: former.chunk, former.row)
      } else {
        journal.images[position].objects[slot] = nil
      }
    }
    journal.images[position].chunkRow = merged
    if image.base != nil { journal.images[position].base = newer }
  }

  private func image(of object: GraphObject, isRegistered: Bool) -> ObjectImage {
    ObjectImage(object, isRegistered: isRegistered) { chunk, row in
      rows.copy(of: chunk, row: row, entity: object.key.entity)
    }
  }

  @inline(never)
  private func keepImage(of object: GraphObject, _ isNew: Bool) {
    for journal in [journals.undo, journals.merge] {
      guard let journal else { continue }
      if let position = journal.position(of: object) {
        if let chunk = object.chunk { journal.fill(position, (chunk, object.rowIndex)) }
        continue
      }
      journal.add(image(of: object, isRegistered: !isNew && object.registry === registry))
    }
  }
}
