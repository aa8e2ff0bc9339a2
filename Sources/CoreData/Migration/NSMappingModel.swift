// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// How the objects of one model version become those of another.
///
/// Source: documented, “NSMappingModel”.
open class NSMappingModel: NSObject {
  /// The mappings, in the order they are carried out; empty at first.
  // Apple's type.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var entityMappings: [NSEntityMapping]! = []

  /// A mapping model without mappings.
  public override init() {}

  /// Reads a mapping model: compiled (`.cdm`), or Xcode's source (`.xcmappingmodel`).
  ///
  /// Nil, with the reason on the standard error, where the file cannot be read.
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

  /// The compiled mapping model in `bundles` that leads from one model to the other; nil searches the
  /// main bundle.
  ///
  /// A mapping model fits where every mapping's version hashes are those of the models' entities; sources
  /// have no hashes and are not found. Nil where none fits.
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
      // A folder that cannot be listed has no mapping model to offer.
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      for name in names.filter({ $0.hasSuffix(".cdm") }).sorted() {
        let url = folder.appendingPathComponent(name)
        guard let found = NSMappingModel(contentsOf: url), !found.entityMappings.isEmpty,
          found.entityMappings.allSatisfy({ $0.fits(source, destination) })
        else { continue }
        self.init()
        entityMappings = found.entityMappings
        return
      }
    }
    return nil
  }

  /// The mappings by name; the first of two with one name.
  open var entityMappingsByName: [String: NSEntityMapping] {
    Dictionary(entityMappings.map { ($0.name, $0) }) { first, _ in first }
  }
}
