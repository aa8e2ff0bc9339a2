// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// How a migration converts the objects of one model version to those of another.
///
/// Source: documented, “NSMappingModel”.
open class NSMappingModel: NSObject {
  /// The mappings, in the order in which they are executed; empty by default.
  // Apple declares the property with this type.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var entityMappings: [NSEntityMapping]! = []

  /// Creates a mapping model without mappings.
  public override init() {}

  /// Reads a mapping model, compiled (`.cdm`) or as Xcode's source (`.xcmappingmodel`).
  ///
  /// Returns nil if `url` is nil. If the file cannot be read or is not a mapping model, returns nil and
  /// writes the reason to standard error.
  public init?(contentsOf url: URL?) {
    super.init()
    guard let url else { return nil }
    do {
      let draft = try MappingFile.draft(at: url, predicates: PredicateTexts())
      entityMappings = draft.entities.map(NSEntityMapping.init)
    } catch {
      Diagnostics.note("cannot load the mapping model at \(url.path): \(error)")
      return nil
    }
  }

  /// Finds the first compiled mapping model in `bundles` that maps the source model to the destination model;
  /// if `bundles` is nil, searches the main bundle.
  ///
  /// A mapping model matches if it has mappings and the version hashes of all mappings equal those of the
  /// models' entities. Source mapping models have no hashes and are not found. A file that cannot be read is
  /// skipped, and the reason is written to standard error. Returns nil if no mapping model matches, or if one
  /// of the models is nil.
  public convenience init?(
    from bundles: [Bundle]?,
    forSourceModel sourceModel: NSManagedObjectModel?,
    destinationModel: NSManagedObjectModel?
  ) {
    guard let sourceModel, let destinationModel else { return nil }
    let source = sourceModel.entityVersionHashesByName
    let destination = destinationModel.entityVersionHashesByName
    for bundle in bundles ?? [.main] {
      let folder = bundle.resourceURL ?? bundle.bundleURL
      // The error is dropped: a folder that cannot be listed contains no mapping models.
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      for name in names.filter({ $0.hasSuffix(".cdm") }).sorted() {
        let url = folder.appendingPathComponent(name)
        guard let found = NSMappingModel(contentsOf: url), !found.entityMappings.isEmpty,
          found.entityMappings.allSatisfy({ $0.matches(source, destination) })
        else { continue }
        self.init()
        entityMappings = found.entityMappings
        return
      }
    }
    return nil
  }

  /// The mappings by name; if two mappings have the same name, the first one.
  open var entityMappingsByName: [String: NSEntityMapping] {
    Dictionary(entityMappings.map { ($0.name, $0) }) { first, _ in first }
  }
}
