// SPDX-License-Identifier: Apache-2.0

import Synchronization
import _CoreDataModel

/// Reads the value at one key path from many objects.
///
/// For all objects of the first object's entity, the row slot of the key is looked up only once. The value at
/// an empty path is the object itself.
final class KeyReader: Sendable {
  let path: String
  /// Whether the path is a single key that is neither a collection operator nor `self`.
  private let isPlain: Bool
  /// The address of the `CachedSlot` for the entity of the first object; 0 until an object is read.
  private let cached: Atomic<UInt>

  init(_ path: String) {
    self.path = path
    isPlain =
      !path.isEmpty && path != "self" && path != "SELF"
      && !path.utf8.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "@") }
    cached = Atomic(0)
  }

  deinit {
    cachedSlot?.release()
  }

  /// Returns the value at the path, starting from `object`.
  ///
  /// - Throws: `UnknownKey` or `EvaluationError`, and the errors of the object.
  func value(of object: Value) throws -> Value {
    guard isPlain, case .object(let object) = object else {
      return path.isEmpty ? object : try object.value(forKeyPath: path)
    }
    if let place = object.keyedRow, let (slot, _) = slot(place.entity) {
      return place.chunk._withUnsafeGuaranteedRef { $0.value(place.row, slot) }
    }
    return try object.keyedValue(path)
  }

  struct Location {
    let chunk: Unmanaged<RowChunk>
    let row: Int
    let slot: Int
    let kind: SlotKind
  }

  /// Returns the location of the value in an object's row; nil if the value must be read with `value(of:)`.
  func location(in object: Value) -> Location? {
    guard isPlain, case .object(let object) = object, let place = object.keyedRow,
      let (slot, kind) = slot(place.entity)
    else { return nil }
    return Location(chunk: place.chunk, row: place.row, slot: slot, kind: kind)
  }

  /// Returns the slot of the path in the entity, and the slot's kind; nil if the value must be read with
  /// `keyedValue(_:)`.
  private func slot(_ entity: Unmanaged<EntityDefinition>) -> (Int, SlotKind)? {
    if let cachedSlot {
      return cachedSlot._withUnsafeGuaranteedRef { entry in
        entry.pointer == entity.toOpaque() ? entry.slot : CachedSlot.find(path, entity)
      }
    }
    let slot = CachedSlot.find(path, entity)
    let entry = Unmanaged.passRetained(CachedSlot(entity, slot))
    let (isFirst, _) = cached.compareExchange(
      expected: 0,
      desired: UInt(bitPattern: entry.toOpaque()),
      ordering: .acquiringAndReleasing
    )
    if !isFirst { entry.release() }
    return slot
  }

  private var cachedSlot: Unmanaged<CachedSlot>? {
    UnsafeRawPointer(bitPattern: cached.load(ordering: .acquiring)).map { .fromOpaque($0) }
  }
}

/// The slot of a path in an entity.
///
/// Entities are compared by address. This object retains its entity, so that no other entity can be allocated
/// at the same address.
private final class CachedSlot: Sendable {
  private let entity: EntityDefinition
  // Unchecked: the pointer is only compared, never dereferenced.
  nonisolated(unsafe) let pointer: UnsafeMutableRawPointer
  let slot: (Int, SlotKind)?

  init(_ entity: Unmanaged<EntityDefinition>, _ slot: (Int, SlotKind)?) {
    self.entity = entity.takeUnretainedValue()
    pointer = entity.toOpaque()
    self.slot = slot
  }

  static func find(_ path: String, _ entity: Unmanaged<EntityDefinition>) -> (Int, SlotKind)? {
    entity._withUnsafeGuaranteedRef { entity in
      guard let slot = entity.slotByName[path] else { return nil }
      let kind = entity.rowLayout.kinds[slot]
      switch kind {
      case .integer, .boolean, .double, .date, .decimal, .text, .url, .uuid, .data:
        return (slot, kind)
      case .none, .reference, .opaque: return nil
      }
    }
  }
}
