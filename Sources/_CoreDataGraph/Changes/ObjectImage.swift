// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The state of an object as recorded in a journal.
struct ObjectImage {
  let object: GraphObject
  let key: ObjectKey
  let flags: ObjectFlags
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

  var existed: Bool { isRegistered && !flags.contains(.deleted) }

  /// Captures the current state of the object; `copy` copies a row that later changes may write to.
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
    // Changes never write to a row that was read, so the row is copied only if it is the object's own.
    let isOwn = base != nil || object.flags.contains(.inserted)
    chunkRow = isOwn ? own.map { copy($0.chunk, $0.row) } : own
  }
}

/// The images of changed objects, each taken before the object's first change since the journal was opened or
/// drained.
final class ChangeJournal {
  var images: [ObjectImage] = []
  private var positions: [ObjectIdentifier: Int] = [:]

  var isEmpty: Bool { images.isEmpty }

  func position(of object: GraphObject) -> Int? { positions[ObjectIdentifier(object)] }

  func add(_ image: ObjectImage) {
    positions[ObjectIdentifier(image.object)] = images.count
    images.append(image)
  }

  func fill(_ position: Int, _ place: ChunkRow) {
    if images[position].chunkRow == nil { images[position].chunkRow = place }
  }

  func drain() -> [ObjectImage] {
    defer {
      images = []
      positions = [:]
    }
    return images
  }
}
