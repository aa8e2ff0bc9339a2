// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel
import _CoreDataStore

/// A snapshot of a coordinator's stores for reading.
///
/// Stores that do not support generations are read in their current state. Stores added later are not
/// visible; reading a store that was removed later fails.
///
/// Source: documented, “Accessing data when the store changes”.
final class QueryGeneration: Sendable {
  let identifier = UUID()
  private let parts: [Part]
  private weak let coordinator: NSPersistentStoreCoordinator?

  private struct Part: Sendable {
    let index: Int
    /// The indexes of the entities in the store's configuration; nil for all entities.
    let entities: Set<Int>?
    let origin: any RowOrigin
  }
  private struct Living { weak var generation: QueryGeneration? }
  private static let living = Mutex<[UUID: Living]>([:])

  /// Creates a generation of the stores as they are now; returns nil if no store supports generations.
  ///
  /// - Throws: the stores' errors.
  init?(of coordinator: NSPersistentStoreCoordinator) throws {
    var hasReadGeneration = false
    var parts: [Part] = []
    for store in coordinator.persistentStores {
      let view = try store.rows.generation()
      if view != nil { hasReadGeneration = true }
      parts.append(
        Part(index: store.index, entities: store.entities, origin: view ?? store.rows)
      )
    }
    self.parts = parts
    self.coordinator = coordinator
    guard hasReadGeneration else { return nil }
    Self.living.withLock { $0[identifier] = Living(generation: self) }
  }

  deinit {
    let identifier = identifier
    Self.living.withLock { _ = $0.removeValue(forKey: identifier) }
  }

  /// Returns the generation with the given identifier; nil if this process has no such generation.
  static func living(_ identifier: UUID) -> QueryGeneration? {
    living.withLock { $0[identifier]?.generation }
  }

  func belongs(to coordinator: NSPersistentStoreCoordinator) -> Bool {
    self.coordinator === coordinator
  }

  /// Returns the source of a store's rows; nil for a store that the coordinator did not have when the
  /// generation was created.
  func origin(at index: Int) -> (any RowOrigin)? {
    parts.first { $0.index == index }?.origin
  }

  /// Returns the sources that can hold objects of the entity or of a subentity, limited to the stores with
  /// the indexes in `stores`; if `stores` is nil, all stores are considered.
  func origins(forEntity entity: EntityDefinition, among stores: Set<Int>?) -> [any RowOrigin] {
    parts.filter { part in
      guard stores?.contains(part.index) ?? true else { return false }
      return part.entities.map { entities in entity.family.contains { entities.contains($0) } }
        ?? true
    }.map(\.origin)
  }
}
