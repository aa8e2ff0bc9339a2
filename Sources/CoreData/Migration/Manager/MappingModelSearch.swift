// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// A search for the mapping model between two models.
///
/// Source: documented, “init(from:forSourceModel:destinationModel:)”; docs/reference/behaviour.md MIG-1.
struct MappingModelSearch {
  /// The first mapping model that fits both models, by the path of its file; nil if there is none.
  private(set) var found: NSMappingModel?
  /// The files that cannot be read, if no other one fits.
  private(set) var failures: [(file: URL, error: any Error)] = []

  /// Searches bundles, or, for nil, the main bundle, the program's folder and the resource bundles there, and the
  /// folders that contain the files `models`.
  ///
  /// - Complexity: reads the files until one fits.
  init(
    in bundles: [Bundle]?,
    beside models: [URL] = [],
    from source: NSManagedObjectModel,
    to destination: NSManagedObjectModel
  ) {
    let before = source.entityVersionHashesByName
    let after = destination.entityVersionHashesByName
    for file in ModelLocator.mappingModels(in: bundles, beside: models) {
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

  /// Returns the mapping model of the program for a migration; nil if there is none.
  ///
  /// A mapping model can also be beside the destination model.
  ///
  /// - Throws: 134110 if no mapping model fits and one cannot be read, because it could be the one that is meant.
  static func mappingModel(
    from source: NSManagedObjectModel,
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
