// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// Describes how a migration converts the objects of one model version to objects of another.
///
/// Source: documented, “NSMappingModel”.
open class NSMappingModel: NSObject {
  /// The mappings, in the order in which they are executed; empty by default.
  // Apple declares the property with this type.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var entityMappings: [NSEntityMapping]! = []

  /// The inferred mapping from which this mapping model was created; nil for any other mapping model.
  var inferred: InferredMapping?

  /// Creates a mapping model without mappings.
  public override init() {}

  /// Reads a mapping model, compiled (`.cdm`) or as Xcode's source (`.xcmappingmodel`).
  ///
  /// Returns nil if `url` is nil. If the file cannot be read or is not a mapping model, returns nil and
  /// writes the reason to standard error.
  public convenience init?(contentsOf url: URL?) {
    guard let url else { return nil }
    do {
      try self.init(file: url)
    } catch {
      Diagnostics.note("cannot load the mapping model at \(url.path): \(error)")
      return nil
    }
  }

  /// Reads a mapping model.
  ///
  /// - Throws: `ModelError`, with the path of the file, if the file cannot be read or is not a mapping model.
  convenience init(file: URL) throws {
    try self.init(MappingFile.draft(at: file, predicates: PredicateTexts()).entities)
  }

  convenience init(_ mappings: [EntityMappingDraft]) throws {
    self.init()
    entityMappings = try mappings.map(NSEntityMapping.init)
  }

  /// Reads the first mapping model in `bundles` whose version hashes match the two models.
  ///
  /// If `bundles` is nil, searches the main bundle, the program's folder and the resource bundles there.
  /// Compiled mapping models (`.cdm`) and Xcode's sources (`.xcmappingmodel`) are searched. The version
  /// hashes of a source are those of the two models that the source contains. A mapping model without
  /// mappings does not match.
  ///
  /// Returns nil if one of the models is nil, or if no mapping model matches. If no mapping model matches,
  /// each file that cannot be read is reported on standard error.
  public convenience init?(
    from bundles: [Bundle]?,
    forSourceModel sourceModel: NSManagedObjectModel?,
    destinationModel: NSManagedObjectModel?
  ) {
    guard let sourceModel, let destinationModel else { return nil }
    let search = MappingModelSearch(in: bundles, from: { sourceModel }, to: destinationModel)
    for failure in search.failures {
      Diagnostics.note("cannot load the mapping model at \(failure.file.path): \(failure.error)")
    }
    guard let found = search.found else { return nil }
    self.init()
    entityMappings = found.entityMappings
  }

  /// The mappings by name; if two mappings have the same name, the first one.
  open var entityMappingsByName: [String: NSEntityMapping] {
    Dictionary(entityMappings.map { ($0.name, $0) }) { first, _ in first }
  }
}
