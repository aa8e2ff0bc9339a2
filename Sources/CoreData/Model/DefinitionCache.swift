// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel

/// The cached definition and version hashes of a mutable model, or of an entity outside a model.
///
/// The definition and the hashes are valid until any description in the process changes.
final class DefinitionCache: Sendable {
  private struct Kept {
    let edits: UInt64
    let definition: ModelDefinition
    var hashes: ModelHashes?
  }
  private let kept = Mutex<Kept?>(nil)

  /// Returns the cached definition; calls `make` if nothing is cached or a description has changed since.
  func definition(_ make: () throws -> ModelDefinition) rethrows -> ModelDefinition {
    let edits = ModelEdits.count
    if let known = kept.withLock({ $0 }), known.edits == edits { return known.definition }
    // Built outside the lock, because `make` may read version hashes, which calls this method again.
    let made = try make()
    kept.withLock { $0 = Kept(edits: edits, definition: made, hashes: nil) }
    return made
  }

  /// Returns the hashes of a definition, which are cached with the definition.
  func hashes(of definition: ModelDefinition) -> ModelHashes {
    let known = kept.withLock { $0?.definition === definition ? $0?.hashes : nil }
    if let known { return known }
    let hashes = ModelHashes(model: definition)
    kept.withLock { if $0?.definition === definition { $0?.hashes = hashes } }
    return hashes
  }
}

/// Counts the changes to all models, entities, properties and indexes in the process.
enum ModelEdits {
  private static let edits = Atomic<UInt64>(0)

  static var count: UInt64 { edits.load(ordering: .acquiring) }

  /// Called by each setter whose value is part of a definition, before the value changes.
  static func add() { edits.add(1, ordering: .releasing) }
}
