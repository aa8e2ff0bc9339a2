// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// An object as it was at one moment: values, unsaved state and to-manys.
struct ObjectImage {
  let object: GraphObject
  let key: ObjectKey
  let flags: ObjectFlags
  /// Whether the object was in the context.
  let isRegistered: Bool
  /// A row that later changes do not write to; nil if the object had no row.
  var chunkRow: ChunkRow?
  let hadDetail: Bool
  var base: ChunkRow?
  let changed: SlotSet
  let changedInEvent: SlotSet
  let untracked: SlotSet
  let baseObjects: [Int: Any]
  var toManys: ToManys
  var objects: [Int: Any]

  /// Whether the object was in the context and not deleted.
  var existed: Bool { isRegistered && !flags.contains(.deleted) }

  /// Captures the current state of the object; `copy` is called with a row to which later changes may write,
  /// and returns a copy of it.
  init(
    _ object: GraphObject,
    isRegistered: Bool,
    copy: (RowChunk, Int) -> ChunkRow
  ) {
    self.object = object
    self.isRegistered = isRegistered
    key = object.key
    flags = object.flags
    let detail = object.detail
    hadDetail = detail != nil
    base = detail?.base
    changed = detail?.changed ?? SlotSet()
    changedInEvent = detail?.changedInEvent ?? SlotSet()
    untracked = detail?.untracked ?? SlotSet()
    baseObjects = detail?.baseObjects ?? [:]
    toManys = detail?.toManys ?? ToManys()
    objects = detail?.objects ?? [:]
    let own = object.chunk.map { (chunk: $0, row: object.rowIndex) }
    // A row that was read is never written to. Only a row of the object's own needs a copy.
    let isOwn = base != nil || object.flags.contains(.inserted)
    chunkRow = isOwn ? own.map { copy($0.chunk, $0.row) } : own
  }
}

/// The first image of each object since the journal was opened or emptied.
final class ChangeJournal {
  var images: [ObjectImage] = []
  private var positions: [ObjectIdentifier: Int] = [:]

  var isEmpty: Bool { images.isEmpty }

  /// Returns the index of the object's image; nil if there is no image.
  func position(of object: GraphObject) -> Int? { positions[ObjectIdentifier(object)] }

  func add(_ image: ObjectImage) {
    positions[ObjectIdentifier(image.object)] = images.count
    images.append(image)
  }

  /// Adds the values to an image that was made while the object was a fault.
  func fill(_ position: Int, _ place: ChunkRow) {
    if images[position].chunkRow == nil { images[position].chunkRow = place }
  }

  /// Returns the images and empties the journal.
  func drain() -> [ObjectImage] {
    defer {
      images = []
      positions = [:]
    }
    return images
  }
}
