// SPDX-License-Identifier: Apache-2.0

/// The identity of a stored or new object: the store, the entity and `number`, packed into eight bytes.
///
/// Bits from the top: store index (8), entity index in the model (14), temporary flag (1), `number` (41).
/// Two keys that differ only in their entity are keys of the same row if the entities have the same root.
/// To compare keys across a hierarchy, replace their entities with the root entity (`with(entity:)`).
/// Source: this library's choice; the `number` of a row in an SQLite store is its primary key (`Z_PK`).
@usableFromInline
package struct ObjectKey: Hashable, Sendable {
  #if DEBUG
  @usableFromInline let bits: UInt64
  /// The 64 bits of the key; debug builds count each read in `WorkCounter`.
  @usableFromInline package var raw: UInt64 {
    WorkCounter.add()
    return bits
  }
  @inlinable package init(raw: UInt64) { bits = raw }

  @usableFromInline
  package static func == (left: ObjectKey, right: ObjectKey) -> Bool { left.raw == right.bits }
  @usableFromInline
  package func hash(into hasher: inout Hasher) { hasher.combine(raw) }
  #else
  @usableFromInline package let raw: UInt64
  @inlinable package init(raw: UInt64) { self.raw = raw }
  #endif

  /// Creates a permanent key; nil if `number` is outside `0...maximumNumber` or an index is too large.
  ///
  /// Primary keys of Core Data start at 1; 0 is allowed so that files from other software can be read.
  @inlinable package init?(store: Int, entity: Int, number: Int64) {
    guard number >= 0, number <= Self.maximumNumber, entity < 1 << 14, store < 1 << 8 else {
      return nil
    }
    self.init(base: Self.base(store: store, entity: entity), number: number)
  }

  /// Returns the bits that all permanent keys of one entity in one store have in common: `base | number` is
  /// the `raw` of a key.
  @inlinable @inline(__always)
  package static func base(store: Int, entity: Int) -> UInt64 {
    UInt64(store) << 56 | UInt64(entity) << 42
  }

  /// Creates a permanent key from the bits that `base(store:entity:)` returns; `number` is not checked.
  @inlinable @inline(__always) package init(base: UInt64, number: Int64) {
    self.init(raw: base | UInt64(number))
  }

  /// Returns a key for an object that has not been saved; `number` must be unique in the process.
  @inlinable package static func temporary(entity: Int, number: Int64) -> ObjectKey {
    ObjectKey(raw: UInt64(entity) << 42 | 1 << 41 | UInt64(number) & (1 << 41 - 1))
  }

  @inlinable package static var maximumNumber: Int64 { 1 << 41 - 1 }

  /// The index of the store in its coordinator; 0 for temporary keys.
  @inlinable package var store: Int { Int(raw >> 56) }
  /// The index of the entity in `ModelDefinition.entities`.
  @inlinable package var entity: Int {
    let bits: UInt64 = raw >> 42
    return Int(bits & 0x3FFF)
  }
  @inlinable package var isTemporary: Bool { raw & (1 << 41) != 0 }
  /// The primary key of a permanent key's row, or the serial number of a temporary key.
  @inlinable package var number: Int64 { Int64(raw & (1 << 41 - 1)) }

  /// Returns the key with its entity replaced by `entity`, which must be in the same hierarchy.
  @inlinable package func with(entity: Int) -> ObjectKey {
    ObjectKey(raw: raw & ~(UInt64(1 << 14 - 1) << 42) | UInt64(entity) << 42)
  }
}

extension ObjectKey: CustomStringConvertible {
  @usableFromInline package var description: String {
    isTemporary ? "e\(entity)/t\(number)" : "s\(store)/e\(entity)/p\(number)"
  }
}
