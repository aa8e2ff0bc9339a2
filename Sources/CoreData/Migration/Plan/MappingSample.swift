// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite

/// Measures the average time per object of each entity mapping by migrating a sample of its objects.
///
/// The sample is migrated to a temporary file, which is removed afterwards. The program's policies do not
/// run, because they may have side effects.
enum MappingSample {
  /// The assumed seconds per object for a mapping that cannot be measured.
  ///
  /// Source: this library's choice; measured in a release build with a mapping model of four attributes.
  private static let assumed = 12e-6
  /// The number of measured objects after which a pass of a mapping ends.
  private static let size = 8 * Batches.usualSize
  /// The number of measured seconds after which a pass of a mapping ends.
  private static let longest = 0.5

  /// Returns the average seconds per object for each entity mapping, in the order of the mappings.
  ///
  /// Errors are not thrown, because the migration throws them. A mapping that cannot be measured has an
  /// assumed rate.
  static func rates(
    _ mappingModel: NSMappingModel,
    from source: NSManagedObjectModel,
    to destination: NSManagedObjectModel,
    store url: URL
  ) -> [Double] {
    let mappings = mappingModel.entityMappings ?? []
    // The error is dropped, because the migration throws the same error.
    let measured = try? measure(mappings, from: source, to: destination, at: url)
    return measured?.count == mappings.count ? measured ?? [] : mappings.map { _ in assumed }
  }

  private static func measure(
    _ mappings: [NSEntityMapping],
    from source: NSManagedObjectModel,
    to destination: NSManagedObjectModel,
    at url: URL
  ) throws -> [Double] {
    let folder = try TemporaryFolder("coredata-sample", for: "the store of the sample migration")
    defer { folder.remove() }
    // The sample creates plain `NSManagedObject`s, because the program's classes may have side effects.
    guard let copy = destination.copy() as? NSManagedObjectModel else { return [] }
    copy.isForTools = true
    let manager = NSMigrationManager(sourceModel: source, destinationModel: copy)
    let plain = NSMappingModel()
    plain.entityMappings = mappings.map(\.withoutPolicy)
    let plans = try MappingPlans(plain, manager)
    let options: [AnyHashable: Any] = [
      NSReadOnlyPersistentStoreOption: true, StoreOpener.untouchedOption: true,
      NSIgnorePersistentStoreVersioningOption: true,
    ]
    try manager.source.open(MigratedStore(type: NSSQLiteStoreType, url: url, options: options))
    defer { manager.source.close() }
    let file = folder.url.appendingPathComponent("sample.sqlite")
    try manager.destination.open(MigratedStore(type: NSSQLiteStoreType, url: file, options: [:]))
    defer { manager.destination.close() }
    manager.state.begin(plain, plans)
    defer { manager.state.end() }
    let run = MappingRun(manager, plans.all, sample: .init(size: size, longest: longest))
    let times = manager.sourceContext.performAndWait {
      manager.destinationContext.performAndWait { run.measure() }
    }
    return times.map { $0 ?? assumed }
  }
}

extension NSEntityMapping {
  /// A copy of the mapping with the default policy instead of its own.
  fileprivate var withoutPolicy: NSEntityMapping {
    let copy = NSEntityMapping()
    copy.name = name
    copy.mappingType = mappingType
    copy.sourceEntityName = sourceEntityName
    copy.destinationEntityName = destinationEntityName
    copy.sourceExpression = sourceExpression
    copy.attributeMappings = attributeMappings
    copy.relationshipMappings = relationshipMappings
    copy.userInfo = userInfo
    return copy
  }
}
