// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// A search for the mapping model between two models.
///
/// Source: documented, “init(from:forSourceModel:destinationModel:)”; docs/reference/behaviour.md MIG-1.
struct MappingModelSearch {
  /// A mapping model that matches the two models except for some entities.
  struct NearMiss {
    /// The name of the mapping model's file.
    let name: String
    /// The entities that do not match, with their differences, for error texts.
    let differences: String
  }

  /// The first mapping model that fits both models; nil if there is none.
  private(set) var found: NSMappingModel?
  /// The files that cannot be read; empty if a mapping model was found.
  private(set) var failures: [(file: URL, error: any Error)] = []
  /// The mapping models that match except for some entities; empty if a matching mapping model was found.
  private(set) var nearMisses: [NearMiss] = []

  /// Creates the result of a search that found a mapping model.
  init(found: NSMappingModel) { self.found = found }

  /// Searches `bundles` and the folders that contain the model files `models`.
  ///
  /// If `bundles` is nil, searches the main bundle, the program's folder and the resource bundles there.
  /// `source` is evaluated only if there is a mapping model. `versions` returns the known versions of the
  /// models; it is called only if a mapping model matches except for some entities.
  /// - Complexity: reads mapping models until one fits.
  init(
    in bundles: [Bundle]?,
    beside models: [URL] = [],
    from source: () -> NSManagedObjectModel,
    to destination: NSManagedObjectModel,
    versions: () -> [NSManagedObjectModel] = { [] }
  ) {
    let files = ModelLocator.mappingModels(in: bundles, beside: models)
    if files.isEmpty { return }
    let before = source().entityVersionHashesByName
    let after = destination.entityVersionHashesByName
    for file in files {
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

  /// Searches the program, and the folder that contains the destination model, for a mapping model between
  /// two models.
  ///
  /// - Throws: `NSMigrationError` if no mapping model fits and a file cannot be read, because this file may
  ///   be the mapping model for the two models.
  static func forProgram(
    from source: @autoclosure () -> NSManagedObjectModel,
    to destination: NSManagedObjectModel
  ) throws -> MappingModelSearch {
    let models = [destination.sourceURL].compactMap { $0 }
    let search = MappingModelSearch(in: nil, beside: models, from: source, to: destination) {
      ModelVersions(source(), destination).all
    }
    if let failure = search.failures.first {
      throw MigrationErrors.damagedMapping(failure.error, failure.file)
    }
    return search
  }
}
