// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// A search for the mapping model between two models.
///
/// Source: documented, “init(from:forSourceModel:destinationModel:)”; docs/reference/behaviour.md MIG-1.
struct MappingModelSearch {
  /// A mapping model that seems to be meant for the two models, but differs in some entities.
  struct NearMiss {
    /// The name of the file.
    let name: String
    /// The entities that differ.
    let differences: String
  }

  /// The first mapping model that fits both models; nil if there is none.
  private(set) var found: NSMappingModel?
  /// The files that cannot be read; empty if a mapping model was found.
  private(set) var failures: [(file: URL, error: any Error)] = []
  /// The files that almost fit; empty if a mapping model was found.
  private(set) var nearMisses: [NearMiss] = []

  /// A search that found a mapping model.
  init(found: NSMappingModel) { self.found = found }

  /// Searches `bundles` and the folders that contain the model files `models`.
  ///
  /// If `bundles` is nil, searches the main bundle, the program's folder and the resource bundles there. `versions`
  /// returns the known versions of the models; it is called only if a mapping model almost fits.
  /// - Complexity: reads mapping models until one fits.
  init(
    in bundles: [Bundle]?,
    beside models: [URL] = [],
    from source: NSManagedObjectModel,
    to destination: NSManagedObjectModel,
    versions: () -> [NSManagedObjectModel] = { [] }
  ) {
    let before = source.entityVersionHashesByName
    let after = destination.entityVersionHashesByName
    for file in ModelLocator.mappingModels(in: bundles, beside: models) {
      do {
        let model = try NSMappingModel(file: file)
        let claims = (model.entityMappings ?? []).map(\.claim)
        if MappingFit(claims, from: before, to: after).isWhole {
          found = model
          failures = []
          nearMisses = []
          return
        }
        let differences = MappingFit.nearMiss(claims, from: before, to: after) {
          versions().map(\.entityVersionHashesByName)
        }
        if let differences {
          nearMisses.append(NearMiss(name: file.lastPathComponent, differences: differences))
        }
      } catch {
        failures.append((file, error))
      }
    }
  }

  /// Searches for the program's mapping model for two models.
  ///
  /// Also searches the folder that contains the destination model.
  ///
  /// - Throws: `NSMigrationError` if no mapping model fits and a file cannot be read, because this file may
  ///   be the mapping model for the two models.
  static func forProgram(
    from source: NSManagedObjectModel,
    to destination: NSManagedObjectModel
  ) throws -> MappingModelSearch {
    let models = [destination.sourceURL].compactMap { $0 }
    let search = MappingModelSearch(in: nil, beside: models, from: source, to: destination) {
      ModelVersions(source, destination).all
    }
    if let failure = search.failures.first {
      throw MigrationErrors.damagedMapping(failure.error, failure.file)
    }
    return search
  }
}
