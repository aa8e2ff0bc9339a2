// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// Forecasts a migration through several versions; each version change is forecast from the result of the
/// previous version change.
///
/// The first version change is forecast from the store itself. Before each later forecast, the previous
/// version change is carried out on a copy of the store in the folder of temporary files; the copy is always
/// removed.
package struct SteppedForecast {
  /// One version change: an inferred mapping, and the entities that the store contains.
  package struct Change {
    package let mapping: ModelMapping
    /// The names of the new version's entities in the store's configuration; nil for all entities.
    package let entities: Set<String>?

    package init(_ mapping: ModelMapping, entities: Set<String>?) {
      self.mapping = mapping
      self.entities = entities
    }
  }

  private let changes: [Change]
  private let options: SQLiteStoreOptions

  /// Creates the forecast of version changes; `options.path` is the path of the store.
  package init(_ changes: [Change], options: SQLiteStoreOptions) {
    self.changes = changes
    self.options = options
  }

  /// Calls `body` with the index and the forecast of each version change.
  ///
  /// Stops after the first version change that objects of the store prevent, and returns the index of that
  /// version change. Returns nil if all version changes were forecast.
  /// - Throws: `StoreError`; errors of `body`.
  package func run(_ body: (Int, MigrationForecast) throws -> Void) throws -> Int? {
    var folder: TemporaryFolder?
    defer { folder?.remove() }
    var options = options
    options.observer = nil
    options.log = nil
    for (index, change) in changes.enumerated() {
      options.entities = change.entities
      let file = try StoreFile(path: options.path, access: .untouched)
      let forecast = try MigrationForecast(change.mapping, file, options: options)
      try body(index, forecast)
      if index == changes.count - 1 { break }
      if !forecast.refusals.isEmpty { return index }
      if index == 0 {
        let made = try TemporaryFolder("coredata-plan", for: "the copy for the plan")
        folder = made
        options.path = try copy(to: made)
        options.isReadOnly = false
        options.leavesNoTrace = false
      }
      _ = try StoreMigration(change.mapping, options: options).run()
    }
    return nil
  }

  private func copy(to folder: TemporaryFolder) throws -> String {
    let name = URL(fileURLWithPath: options.path).lastPathComponent
    let path = folder.url.appendingPathComponent(name).path
    try StoreFiles(path: path, timeout: options.timeout)
      .replace(by: StoreFiles(path: options.path, timeout: options.timeout))
    return path
  }
}
