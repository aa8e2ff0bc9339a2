// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

extension NSManagedObjectContext {
  /// Returns the origin of the rows of a store; nil if the coordinator has no such store or, for a pinned
  /// context, had no such store when the generation was created.
  ///
  /// - Throws: the stores' errors if this read creates the generation.
  func origin(at index: Int) throws -> (any RowOrigin)? {
    if case .newest = readGeneration { return coordinator?.rowStore(at: index, for: self) }
    guard let generation = try generation() else {
      return coordinator?.rowStore(at: index, for: self)
    }
    return generation.origin(at: index).map { ownView(of: $0, nil) }
  }

  /// Returns the origins of a fetch's rows: the parent, or the fetch's stores that can hold the rows.
  ///
  /// `request` is the program's fetch request, which custom stores receive; nil if the coordinator has no
  /// custom store, or if no request of the program caused the fetch.
  /// - Throws: the stores' errors if this read creates the generation.
  func origins(
    of description: FetchDescription,
    executing request: NSFetchRequest<NSFetchRequestResult>? = nil
  ) throws -> [any RowOrigin] {
    if let parentSource { return [parentSource] }
    guard let coordinator else { return [] }
    let entity = registry.model.entities[description.entity]
    let stores = description.stores
    if let generation = try generation() {
      return generation.origins(forEntity: entity, among: stores).map { ownView(of: $0, request) }
    }
    return coordinator.stores(forEntity: entity)
      .filter { stores?.contains($0.index) ?? true }
      .map { $0.rows(for: self, executing: request) as any RowOrigin }
  }

  /// Returns this context's view of `origin` if `origin` is the rows of a custom store; otherwise returns
  /// `origin`.
  private func ownView(
    of origin: any RowOrigin,
    _ request: NSFetchRequest<NSFetchRequestResult>?
  ) -> any RowOrigin {
    (origin as? any ContextualRows)?.view(for: self, executing: request) ?? origin
  }
}
