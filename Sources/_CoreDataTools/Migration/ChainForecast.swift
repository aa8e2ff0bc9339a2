// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// Forecasts a migration through the versions between two models, each step from the result of the previous
/// step.
///
/// The first step is forecast from the store itself. For each further step, the previous step is carried out
/// on a copy of the store in the folder of temporary files; the copy is always removed.
package struct ChainForecast {
  /// The forecast of the step from one version to the next.
  package struct Step {
    /// The name of the version before the step.
    package let from: String
    /// The name of the version after the step.
    package let to: String
    package let forecast: MigrationForecast
  }

  private let chain: MigrationModels.Chain
  private let options: SQLiteStoreOptions

  /// Creates the forecast of a chain; `options.path` is the path of the store.
  package init(_ chain: MigrationModels.Chain, options: SQLiteStoreOptions) {
    self.chain = chain
    self.options = options
  }

  /// Calls `body` with each step.
  ///
  /// If objects in the store prevent a step before the last one, the later steps are not forecast, and the
  /// result is the version to which that step leads; otherwise the result is nil.
  /// - Throws: `StoreError`; Foundation's errors if the copy cannot be written.
  package func run(_ body: (Step) throws -> Void) throws -> String? {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("coredata-plan-\(UUID().uuidString)")
    // The error is dropped: the folder is in the folder of temporary files, and may not have been made.
    defer { try? FileManager.default.removeItem(at: folder) }
    var options = options
    for (index, mapping) in chain.mappings.enumerated() {
      let file = try StoreFile(path: options.path, access: .untouched)
      let forecast = try MigrationForecast(mapping, file, options: options)
      let (from, to) = (chain.versions[index], chain.versions[index + 1])
      try body(Step(from: from, to: to, forecast: forecast))
      if index == chain.mappings.count - 1 { break }
      if !forecast.refusals.isEmpty { return to }
      if index == 0 { options.path = try copy(to: folder) }
      _ = try StoreMigration(mapping, options: options).run()
    }
    return nil
  }

  private func copy(to folder: URL) throws -> String {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let name = URL(fileURLWithPath: options.path).lastPathComponent
    let path = folder.appendingPathComponent(name).path
    try StoreFiles(path: path, timeout: options.timeout)
      .replace(by: StoreFiles(path: options.path, timeout: options.timeout))
    return path
  }
}
