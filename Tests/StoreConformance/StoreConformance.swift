// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// What every store must do, as named checks that a test runs with a way to make its store.
///
///     @Test(arguments: StoreConformance.checks)
///     func conforms(_ check: StoreConformance.Check) throws {
///       try check.run { model in MemoryStore(model: model, index: 1) }
///     }
package enum StoreConformance {
  /// One rule.
  package struct Check: Sendable, CustomStringConvertible {
    /// The rule as a sentence.
    let name: String
    /// Whether the store must refuse a request by itself.
    let isRefusal: Bool
    let body: @Sendable (ConformanceWorld) throws -> Void

    init(
      _ name: String,
      isRefusal: Bool = false,
      _ body: @escaping @Sendable (ConformanceWorld) throws -> Void
    ) {
      self.name = name
      self.isRefusal = isRefusal
      self.body = body
    }

    package var description: String { name }

    /// Runs the check on a new store.
    ///
    /// - Parameter make: an empty store for the model.
    /// - Throws: `ConformanceFailure`, and what the store throws.
    package func run(_ make: (ModelDefinition) throws -> any RowStore) throws {
      let model = try ConformanceModel.make()
      let store = try make(model)
      defer { store.close() }
      try body(ConformanceWorld(model: model, store: store))
    }
  }

  /// All checks.
  package static let checks: [Check] =
    rowChecks + fetchChecks + dictionaryChecks + memberChecks + conflictChecks + lawChecks

  /// The checks of a store whose fetches a class of the program evaluates, which may have key paths of its own.
  package static let checksOfAnyFetch = checks.filter { !$0.isRefusal }
}
