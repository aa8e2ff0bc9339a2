// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel
import _CoreDataPredicate

/// A mapped attribute whose value is copied from an attribute of the source object without a conversion.
///
/// Most mapped attributes are such copies. The value is copied from row to row, because evaluating the
/// mapping's expression takes five times as long.
struct CopiedAttribute {
  private let source: EntityDefinition
  private let sourceSlot: Int
  private let slot: Int

  /// Returns nil if `expression` is not the key of an attribute of the source object, or if the values of the
  /// attribute are converted when they are read or written.
  ///
  /// The expression is evaluated with the source object.
  init?(_ expression: Term, of source: EntityDefinition?, to destination: PropertyDefinition) {
    guard case .keyPath(let key) = expression, let source, let slot = source.slotByName[key],
      let type = destination.attribute?.type, source.rowLayout.kinds[slot] == SlotKind(type)
    else { return nil }
    switch SlotKind(type) {
    case .integer, .boolean, .double, .date, .text, .data: break
    case .none, .decimal, .url, .uuid, .reference, .opaque: return nil
    }
    self.source = source
    sourceSlot = slot
    self.slot = destination.slot
  }

  /// Copies the value, and returns true; returns false if `object` belongs to another entity or has no row.
  ///
  /// If `keepsDefault` is true, nil is not copied, so the destination keeps its default value.
  func copy(
    from object: NSManagedObject,
    to destination: NSManagedObject,
    keepsDefault: Bool
  ) -> Bool {
    guard let place = object.keyedRow,
      place.entity.toOpaque() == Unmanaged.passUnretained(source).toOpaque()
    else { return false }
    let chunk = place.chunk.takeUnretainedValue()
    if keepsDefault, chunk.isNull(place.row, sourceSlot) { return true }
    destination.watching(slot) {
      let target = destination.willWrite(slot)
      target.chunk.copyValue(to: (target.row, slot), from: chunk, (place.row, sourceSlot))
    }
    return true
  }
}
