// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// An object of the graph: its key, its state, and the location of its values in a row chunk.
///
/// This class is the superclass of `NSManagedObject`. An instance is one allocation of 56 bytes.
///
/// The current values are at (`chunk`, `row`). The values of the last save or fetch are at `detail.base`; if
/// an object that is in the store has no base, its current values are those of the last save or fetch.
///
/// The variables are exempt from exclusivity checks at run time, because these checks took a fifth of the
/// time of a fetch. The exemption is safe because the variables are used only on the context's queue, and no
/// closure runs while one of them is written.
open class GraphObject: NSObject {
  /// The registry of the context, or the model's registry of objects without a context.
  @exclusivity(unchecked) package final var registry: ObjectRegistry
  /// The chunk of the current values; nil if the object has no row.
  @exclusivity(unchecked) @usableFromInline package final var chunk: RowChunk?
  @exclusivity(unchecked) @usableFromInline package final var row: Int32 = 0
  #if DEBUG
  @exclusivity(unchecked) private final var bits: ObjectFlags
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

  // This initialiser is `@usableFromInline`, because classes in other packages inherit `init(context:)` only
  // if all designated initialisers are visible to them.
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
    registry.remove(self)
  }

  // Equality is identity, as in the superclass, whose implementation is slower.
  public final override func isEqual(_ object: Any?) -> Bool {
    (object as AnyObject?) === self
  }
  // The low bits are dropped because they are 0 in every address. Sets mix hash values themselves.
  public final override var hash: Int {
    Int(bitPattern: Unmanaged.passUnretained(self).toOpaque()) >> 4
  }

  package final var entityDefinition: EntityDefinition { registry.model.entities[key.entity] }
  package final var rowIndex: Int { Int(row) }

  package final var detailCreatingIfNeeded: ObjectDetail {
    if let detail { return detail }
    let made = ObjectDetail()
    detail = made
    return made
  }

  /// Makes another row the current row; flags and detail stay unchanged.
  package final func point(at chunk: RowChunk?, row: Int) {
    self.chunk = chunk
    self.row = Int32(row)
  }

  /// Whether the object belongs to a context that still exists.
  package final var isManaged: Bool { !registry.isDetached }

  /// Whether the object is a fault whose row was not read yet, and the store or the parent may have that row.
  package final var isRowless: Bool {
    chunk == nil && flags.contains(.fault) && flags.isDisjoint(with: [.deleted, .inaccessible])
      && !key.isTemporary && isManaged
  }
}
