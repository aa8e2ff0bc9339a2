// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

enum ReadGeneration {
  /// Always the newest data.
  case newest
  /// The generation that the next read creates; later reads use the same generation.
  case next
  case pinned(QueryGeneration)
}

extension NSManagedObjectContext {
  func setGeneration(_ token: NSQueryGenerationToken?) throws {
    checkQueue("setQueryGenerationFrom(_:)")
    if parentSource != nil {
      throw generationError(
        "A child context reads through its parent. Set the query generation of the parent."
      )
    }
    guard let token else {
      readGeneration = .newest
      return
    }
    if token.isCurrent {
      readGeneration = .next
      return
    }
    guard let generation = token.generation else {
      throw generationError(
        "The generation of the decoded token did not exist when the token was decoded: another process had "
          + "created it, or no context and no token of this process used it any longer. Set "
          + "NSQueryGenerationToken.current instead."
      )
    }
    guard let coordinator else {
      throw generationError(
        "The context has no persistent store coordinator. Set its persistentStoreCoordinator first."
      )
    }
    guard generation.belongs(to: coordinator) else {
      throw generationError(
        "The token belongs to a coordinator other than the context's. Use the queryGenerationToken of a "
          + "context that shares the context's coordinator."
      )
    }
    readGeneration = .pinned(generation)
  }

  private func generationError(_ reason: String) -> NSError {
    coreDataError(NSCoreDataError, "The query generation cannot be set.", reason)
  }

  var generationToken: NSQueryGenerationToken? {
    checkQueue("queryGenerationToken")
    return switch readGeneration {
    case .newest: nil
    case .next: .current
    case .pinned(let generation): NSQueryGenerationToken(generation)
    }
  }

  /// Moves a pinned context to the newest generation, starting with its next read.
  func advanceGeneration() {
    if case .pinned = readGeneration { readGeneration = .next }
  }

  func readGeneration(of other: NSManagedObjectContext) { readGeneration = other.readGeneration }

  /// The token of the query generation, for a notification; nil if the context is not pinned or no generation
  /// can be created.
  var newGenerationToken: NSQueryGenerationToken? {
    do {
      return try generation().map { NSQueryGenerationToken($0) }
    } catch {
      Diagnostics.error(
        "A query generation of the stores could not be created, so a notification of the context has no "
          + "query generation token: \(cocoaError(error))"
      )
      return nil
    }
  }

  /// Runs `body` and lets it read the current rows of the stores, even if the context is pinned.
  func readingNewest<T>(_ body: () throws -> T) rethrows -> T {
    let former = readGeneration
    readGeneration = .newest
    defer { readGeneration = former }
    return try body()
  }

  // MARK: Reading

  /// Returns the generation to which the context is pinned, creating it at the first read; nil if the
  /// context reads the newest data.
  func generation() throws -> QueryGeneration? {
    switch readGeneration {
    case .newest: return nil
    case .pinned(let generation): return generation
    case .next:
      guard let coordinator, let made = try QueryGeneration(of: coordinator) else {
        // No store supports query generations, so the context reads the newest data.
        readGeneration = .newest
        return nil
      }
      readGeneration = .pinned(made)
      return made
    }
  }
}
