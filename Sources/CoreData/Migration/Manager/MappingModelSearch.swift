// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// A search for the mapping model between two models.
///
/// Source: documented, “init(from:forSourceModel:destinationModel:)”; docs/reference/behaviour.md MIG-1.
struct MappingModelSearch {
  /// The first mapping model that fits both models; nil if there is none.
  private(set) var found: NSMappingModel?
  /// The files that cannot be read; empty if a mapping model was found.
  private(set) var failures: [(file: URL, error: any Error)] = []

  /// Searches `bundles` and the folders that contain the model files `models`.
  ///
  /// If `bundles` is nil, searches the main bundle, the program's folder and the resource bundles there.
  /// `source` is evaluated once if there is any mapping model, and otherwise not.
  /// - Complexity: reads mapping models until one fits.
  init(
    in bundles: [Bundle]?,
    beside models: [URL] = [],
    from source: () -> NSManagedObjectModel,
    to destination: NSManagedObjectModel
  ) {
    let files = ModelLocator.mappingModels(in: bundles, beside: models)
    if files.isEmpty { return }
    let before = source().entityVersionHashesByName
    let after = destination.entityVersionHashesByName
    for file in files {
      do {
        let model = try NSMappingModel(file: file)
        let mappings = model.entityMappings ?? []
        guard !mappings.isEmpty, mappings.allSatisfy({ $0.matches(before, after) }) else {
          continue
        }
        found = model
        failures = []
        return
      } catch {
        failures.append((file, error))
      }
    }
  }

  /// Returns the program's mapping model for two models; nil if there is none.
  ///
  /// Also searches the folder that contains the destination model.
  ///
  /// - Throws: `NSMigrationError` if no mapping model fits and a file cannot be read, because this file may
  ///   be the mapping model for the two models.
  static func mappingModel(
    from source: @autoclosure () -> NSManagedObjectModel,
    to destination: NSManagedObjectModel
  ) throws -> NSMappingModel? {
    let models = [destination.sourceURL].compactMap { $0 }
    let search = MappingModelSearch(in: nil, beside: models, from: source, to: destination)
    if let failure = search.failures.first {
      throw MigrationErrors.damagedMapping(failure.error, failure.file)
    }
    return search.found
  }
}
