// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// A row of a chunk.
package typealias ChunkRow = (chunk: RowChunk, row: Int)

/// An object of the graph: a place in a row chunk and what is known about it.
///
/// The superclass of `NSManagedObject`; it has no public members. One allocation of 56 bytes.
/// Its variables are exempt from exclusivity checks at run time, which cost a fifth of a fetch: they
/// are confined to the context, and no closure runs while one of them is written.
/// Current values are always at (`chunk`, `row`); the values of the last save or fetch are at
/// `detail.base` once the object was changed, and at the same place before.
open class GraphObject: NSObject {
  /// The registry of the context, or the model's detached registry.
  @exclusivity(unchecked) package final var registry: ObjectRegistry
  /// Nil for a fault that has no row at hand, and for an unmanaged object never touched.
  @exclusivity(unchecked) @usableFromInline package final var chunk: RowChunk?
  @exclusivity(unchecked) @usableFromInline package final var row: Int32 = 0
  #if DEBUG
  @exclusivity(unchecked) private final var bits: ObjectFlags
  /// What is true of the object; a read is a step of `WorkCounter`.
  @usableFromInline package final var flags: ObjectFlags {
    get {
      WorkCounter.add()
      return bits
    }
    _modify { yield &bits }
  }
  #else
  @exclusivity(unchecked) @usableFromInline package final var flags: ObjectFlags
  #endif
  @exclusivity(unchecked) package final var key: ObjectKey
  @exclusivity(unchecked) package final var detail: ObjectDetail?

  // Usable from inline: a designated initialiser that clients cannot see would keep the classes of
  // other packages from inheriting `init(context:)`.
  @usableFromInline
  package init(registry: ObjectRegistry, key: ObjectKey, flags: ObjectFlags) {
    self.registry = registry
    self.key = key
    #if DEBUG
    bits = flags
    #else
    self.flags = flags
    #endif
    super.init()
  }

  deinit {
    registry.forget(self)
  }

  // Equality is identity; the base class takes a longer way to the same answer.
  public final override func isEqual(_ object: Any?) -> Bool {
    (object as AnyObject?) === self
  }
  // Sets scatter it themselves; the low bits of addresses say nothing.
  public final override var hash: Int {
    Int(bitPattern: Unmanaged.passUnretained(self).toOpaque()) >> 4
  }

  package final var entityDefinition: EntityDefinition { registry.model.entities[key.entity] }
  /// The row with the current values; nil for a fault without one.
  package final var rowChunk: RowChunk? { chunk }
  package final var rowIndex: Int { Int(row) }

  /// The detail block, made when it is missing.
  package final var madeDetail: ObjectDetail {
    if let detail { return detail }
    let made = ObjectDetail()
    detail = made
    return made
  }

  /// Puts the object's values at a row; forgets unsaved changes of the former one.
  package final func place(at chunk: RowChunk?, row: Int) {
    self.chunk = chunk
    self.row = Int32(row)
  }

  /// Whether the object is in a living context.
  package final var isManaged: Bool { !registry.isDetached }

  /// Whether the object is a fault without a row, that the store may have.
  package final var isRowless: Bool {
    chunk == nil && flags.contains(.fault) && flags.isDisjoint(with: [.deleted, .inaccessible])
      && !key.isTemporary && isManaged
  }
}
