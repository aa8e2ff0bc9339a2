// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// Which moment of the stores a context reads.
enum ReadingMoment {
  /// Always the newest.
  case newest
  /// The one at the next read, from then on.
  case next
  case pinned(QueryGeneration)
}

/// Where a context reads rows: its stores, or the moment of them that it is pinned to.
extension NSManagedObjectContext {
  func setGeneration(_ token: NSQueryGenerationToken?) throws {
    checkQueue("setQueryGenerationFrom(_:)")
    if parentSource != nil {
      throw generationError("A child context reads what its parent reads; pin the parent.")
    }
    guard let token else {
      moment = .newest
      return
    }
    if token.isCurrent {
      moment = .next
      return
    }
    guard let generation = token.generation else {
      throw generationError(
        "The token's generation is gone: no context and no token of this process holds it."
      )
    }
    guard generation.belongs(to: coordinator) else {
      throw generationError("The token is one of another coordinator's stores.")
    }
    moment = .pinned(generation)
  }

  private func generationError(_ reason: String) -> NSError {
    coreDataError(NSCoreDataError, "The query generation cannot be set.", reason)
  }

  var generationToken: NSQueryGenerationToken? {
    checkQueue("queryGenerationToken")
    return switch moment {
    case .newest: nil
    case .next: .current
    case .pinned(let generation): NSQueryGenerationToken(generation)
    }
  }

  /// A pinned context reads the newest moment from its next read on.
  func advanceGeneration() {
    if case .pinned = moment { moment = .next }
  }

  /// The token for a notification; nil where the context is not pinned.
  var newGenerationToken: NSQueryGenerationToken? {
    do {
      return try generation().map { NSQueryGenerationToken($0) }
    } catch {
      Diagnostics.error("the stores' new generation cannot be kept: \(cocoaError(error))")
      return nil
    }
  }

  /// Runs `body`, in which rows are read as they are in the stores now.
  func readingNewest<T>(_ body: () throws -> T) rethrows -> T {
    let former = moment
    moment = .newest
    defer { moment = former }
    return try body()
  }

  // MARK: Reading

  /// The moment that the context is pinned to, which begins with this read; nil for the newest.
  private func generation() throws -> QueryGeneration? {
    switch moment {
    case .newest: return nil
    case .pinned(let generation): return generation
    case .next:
      guard let coordinator, let made = try QueryGeneration(of: coordinator) else {
        // No store can keep a moment.
        moment = .newest
        return nil
      }
      moment = .pinned(made)
      return made
    }
  }

  /// Where the rows of a store are read; nil where there is no such store, or was none at the moment.
  ///
  /// - Throws: what the stores throw where the context is pinned now.
  func origin(at index: Int) throws -> (any RowOrigin)? {
    if case .newest = moment { return coordinator?.rowStore(at: index) }
    guard let generation = try generation() else { return coordinator?.rowStore(at: index) }
    return generation.origin(at: index)
  }

  /// Where the rows of a fetch are read: the parent, or those of its stores that hold the entity.
  ///
  /// - Throws: what the stores throw where the context is pinned now.
  func sources(_ description: FetchDescription) throws -> [any RowOrigin] {
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
