// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

extension NSManagedObjectContext {
  /// Returns the origin of the rows of a store; nil if the coordinator has no such store or, for a pinned
  /// context, had no such store when the generation was created.
  ///
  /// - Throws: the stores' errors if this read creates the generation.
  func origin(at index: Int) throws -> (any RowOrigin)? {
    if case .newest = readGeneration { return coordinator?.rowStore(at: index) }
    guard let generation = try generation() else { return coordinator?.rowStore(at: index) }
    return generation.origin(at: index)
  }

  /// Returns the origins of a fetch's rows: the parent, or the fetch's stores that can hold the rows.
  ///
  /// - Throws: the stores' errors if this read creates the generation.
  func origins(of description: FetchDescription) throws -> [any RowOrigin] {
    if let parentSource { return [parentSource] }
    guard let coordinator else { return [] }
    let entity = registry.model.entities[description.entity]
    let stores = description.stores
    if let generation = try generation() {
      return generation.origins(forEntity: entity, among: stores)
    }
    return coordinator.stores(forEntity: entity)
      .filter { stores?.contains($0.index) ?? true }.map { $0.rows as any RowOrigin }
  }
}
