// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// The associations of a finished migration: the keys of the source and destination objects, by the name of
/// the mapping.
package final class MappingAssociations {
  package var pairs: [String: KeyPairs] = [:]
  package init() {}
}

/// Compares the objects of a store with the objects of its copy, which was migrated with a mapping model.
///
/// The expressions of the mapping model are evaluated again with the objects of the store. Expressions that
/// only a migration can evaluate, such as a function of a policy, are not compared.
package struct MappingComparison {
  /// A compared value or relationship, or a source object that does not have exactly one destination.
  package enum Finding {
    case value(PropertyDefinition, expected: Value, found: Value)
    /// The expected and found keys of a relationship's destinations, in order if the relationship is ordered.
    case links(PropertyDefinition, expected: [ObjectKey], found: [ObjectKey])
    /// The source object has `count` destinations in the mapping instead of one.
    case destinations(source: String, count: Int)
  }

  private let mappings: NSMappingModel
  private let associations: MappingAssociations
  private let manager: NSMigrationManager
  private let plans: MappingPlans
  /// A context for temporary objects of the destination model; assigning an expected value to such an object
  /// converts the value as a migration does.
  private let scratch: NSManagedObjectContext

  /// Opens the store at `before`, whose model is `source`, and the migrated copy at `after`, both for reading
  /// only.
  ///
  /// - Throws: the errors of opening the stores; `NSMigrationError` if the mapping model does not match the
  ///   models; `NSEntityMigrationPolicyError` if a policy class is not found.
  package init(
    _ mappings: NSMappingModel,
    from source: NSManagedObjectModel,
    at before: URL,
    to destination: NSManagedObjectModel,
    at after: URL,
    _ associations: MappingAssociations
  ) throws {
    self.mappings = mappings
    self.associations = associations
    manager = NSMigrationManager(sourceModel: source, destinationModel: destination)
    plans = try MappingPlans(mappings, manager)
    let options: [AnyHashable: Any] = [
      NSReadOnlyPersistentStoreOption: true, StoreOpener.untouchedOption: true,
      // A store with the entities of only one configuration lacks the version hashes of the other entities.
      NSIgnorePersistentStoreVersioningOption: true,
    ]
    try manager.source.open(MigratedStore(type: NSSQLiteStoreType, url: before, options: options))
    try manager.destination.open(
      MigratedStore(type: NSSQLiteStoreType, url: after, options: options)
    )
    scratch = NSManagedObjectContext(.privateQueue)
    scratch.persistentStoreCoordinator = manager.destinationContext.persistentStoreCoordinator
  }

  /// Closes both stores.
  package func close() {
    scratch.performAndWait { scratch.reset() }
    manager.source.close()
    manager.destination.close()
  }

  /// The names of the mappings that are compared, in their order: mappings with a source entity, a
  /// destination entity and the default policy.
  package var names: [String] { compared.map(\.name) }

  private var compared: [MappingPlan] {
    plans.all.filter { $0.source != nil && $0.destination != nil && !$0.hasOwnPolicy }
  }

  /// The properties of a mapping that are not compared, with their expressions, such as
  /// `title = FUNCTION($entityPolicy, "titleFor:", $source)`.
  package func skipped(_ name: String) -> [String] {
    guard let plan = compared.first(where: { $0.name == name }) else { return [] }
    let values = plan.attributes.filter { !Self.isComparable($0) }
    let links = plan.relationships.filter { $0.lookUp == nil }
    return (values + links).map {
      "\($0.definition.name) = \($0.mapping.valueExpression?.term.format ?? "")"
    }
  }

  private static func isComparable(_ property: PropertyPlan) -> Bool {
    property.mapping.valueExpression?.term.readsOnlySource == true
  }

  /// Compares the objects of a mapping.
  ///
  /// Calls `body` with each finding and the name of the object, such as `Note/p1`. Calls `progress` after
  /// each batch with the number of objects in the batch.
  ///
  /// - Throws: the errors of fetches and expressions; errors of `body`.
  /// - Complexity: O(objects); a batch of objects is in memory.
  package func run(
    _ name: String,
    progress: (Int) -> Void,
    _ body: (String, Finding) throws -> Void
  ) throws {
    guard let plan = compared.first(where: { $0.name == name }) else { return }
    try manager.sourceContext.performAndWait {
      try manager.destinationContext.performAndWait {
        try scratch.performAndWait { try compare(plan, progress, body) }
      }
    }
  }

  private func compare(
    _ plan: MappingPlan,
    _ progress: (Int) -> Void,
    _ body: (String, Finding) throws -> Void
  ) throws {
    let objects = try SourceObjects(plan, manager)
    var pairs = associations.pairs[plan.name] ?? KeyPairs()
    let expected = plan.destination.map { NSManagedObject(entity: $0, insertInto: scratch) }
    for range in Batches(count: objects.count, size: Batches.usualSize) {
      let batch = try objects.objects(range)
      let keys = batch.map { pairs.destinations(of: $0.key) }
      let rows = try self.rows(keys.flatMap(\.self))
      for (source, keys) in zip(batch, keys) {
        let found = keys.compactMap { rows[$0] }
        guard let destination = found.first, found.count == 1, let expected else {
          let name = Self.name(source)
          try body(name, .destinations(source: name, count: found.count))
          continue
        }
        let name = Self.name(destination)
        try compareValues(of: plan, source, destination, through: expected) { try body(name, $0) }
        try compareLinks(of: plan, source, destination) { try body(name, $0) }
      }
      progress(range.count)
      for context in [manager.sourceContext, manager.destinationContext] {
        context.refreshAllObjects()
        context.processPendingChanges()
      }
    }
  }

  /// Reads destination objects; objects without a row are left out.
  private func rows(_ keys: [ObjectKey]) throws -> [ObjectKey: NSManagedObject] {
    let objects = try manager.destinationContext.objects(ofBatch: keys, FetchOptions())
    let existing = objects.filter { !$0.isFault || $0.chunk != nil }
    return Dictionary(existing.map { ($0.key, $0) }) { first, _ in first }
  }

  private static func name(_ object: NSManagedObject) -> String {
    "\(object.entity.name ?? "")/\(object.objectID.uriRepresentation().lastPathComponent)"
  }

  // MARK: Values

  private func compareValues(
    of plan: MappingPlan,
    _ source: NSManagedObject,
    _ destination: NSManagedObject,
    through expected: NSManagedObject,
    _ body: (Finding) throws -> Void
  ) throws {
    for property in plan.attributes where Self.isComparable(property) {
      let definition = property.definition
      if definition.isTransient { continue }
      var value = try plan.value(of: property, source: source, destination: nil)
      if value.isNull, property.mapping.keepsDefaultForNil {
        value = definition.attribute?.defaultValue ?? .null
      }
      // A value that cannot be assigned would have made the migration fail.
      guard expected.assign(value, to: definition) else { continue }
      try body(
        .value(
          definition,
          expected: Self.stored(definition, of: expected),
          found: Self.stored(definition, of: destination)
        )
      )
    }
  }

  /// Returns the stored form of a value: for a transformable or composite attribute, the data in the store.
  private static func stored(_ property: PropertyDefinition, of object: NSManagedObject) -> Value {
    if object.entityDefinition.rowLayout.kinds[property.slot] == .opaque {
      return object.storedData(of: property).map { .data($0) } ?? .null
    }
    return object.keyedValue(of: property)
  }

  // MARK: Links

  private func compareLinks(
    of plan: MappingPlan,
    _ source: NSManagedObject,
    _ destination: NSManagedObject,
    _ body: (Finding) throws -> Void
  ) throws {
    for property in plan.relationships {
      guard let lookUp = property.lookUp, let keys = source.relatedKeys(lookUp.key),
        let found = destination.relatedKeys(property.definition.name)
      else { continue }
      var pairs = associations.pairs[lookUp.mapping] ?? KeyPairs()
      var expected = keys.flatMap { pairs.destinations(of: $0) }
      if !property.definition.isToMany { expected = Array(expected.prefix(1)) }
      try body(.links(property.definition, expected: expected, found: found))
    }
  }
}
