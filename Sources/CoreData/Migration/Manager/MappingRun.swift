// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// Migrates the objects of an open source store to an open destination store, in three passes and in batches.
///
/// Source: documented, “The Core Data migration process”; docs/reference/behaviour.md MIG-5.
final class MappingRun {
  private enum Pass: Float, CaseIterable { case instances, relationships, validation }

  private let manager: NSMigrationManager
  private let plans: [MappingPlan]
  private let check: DestinationCheck
  /// Retained, because each new object would otherwise create a registry.
  private let detachedRegistry: AnyObject?
  private var state: MigrationState { manager.state }
  private var source: NSManagedObjectContext { manager.sourceContext }
  private var destination: NSManagedObjectContext { manager.destinationContext }

  init(_ manager: NSMigrationManager, _ plans: [MappingPlan]) {
    self.manager = manager
    self.plans = plans
    check = DestinationCheck(manager.destinationContext)
    detachedRegistry = manager.destinationContext.frozenModel?.detachedRegistry
  }

  /// Migrates, saves and validates all objects.
  ///
  /// - Throws: the errors of `NSMigrationManager.migrateStore`.
  func run() throws {
    check.begin()
    defer { check.end() }
    for index in plans.indices { try createInstances(index) }
    for index in plans.indices { try createRelationships(index) }
    for index in plans.indices { try validate(index) }
    try check.complete()
  }

  // MARK: Passes

  private func createInstances(_ index: Int) throws {
    let plan = plans[index]
    begin(plan)
    try step(plan, "begin(_:with:)") { try plan.policy.begin(plan.mapping, with: manager) }
    if plan.mapping.sourceEntityName != nil, plan.destination != nil || plan.hasOwnPolicy {
      try forEachSource(of: plan, index) { source in
        try step(plan, "createDestinationInstances(forSource:in:manager:)") {
          try plan.policy.createDestinationInstances(
            forSource: source,
            in: plan.mapping,
            manager: manager
          )
        }
      }
    }
    try step(plan, "endInstanceCreation(forMapping:manager:)") {
      try plan.policy.endInstanceCreation(forMapping: plan.mapping, manager: manager)
    }
    try finish(.instances, index)
  }

  private func createRelationships(_ index: Int) throws {
    let plan = plans[index]
    begin(plan)
    if !plan.relationships.isEmpty || plan.hasOwnPolicy {
      try forEachDestination(of: plan, index) { destination in
        try step(plan, "createRelationships(forDestination:in:manager:)") {
          try plan.policy.createRelationships(
            forDestination: destination,
            in: plan.mapping,
            manager: manager
          )
        }
      }
    }
    try step(plan, "endRelationshipCreation(forMapping:manager:)") {
      try plan.policy.endRelationshipCreation(forMapping: plan.mapping, manager: manager)
    }
    try finish(.relationships, index)
  }

  private func validate(_ index: Int) throws {
    let plan = plans[index]
    begin(plan)
    try step(plan, "performCustomValidation(forMapping:manager:)") {
      try plan.policy.performCustomValidation(forMapping: plan.mapping, manager: manager)
    }
    try step(plan, "end(_:manager:)") { try plan.policy.end(plan.mapping, manager: manager) }
    try finish(.validation, index)
  }

  private func begin(_ plan: MappingPlan) { state.setCurrentMapping(plan.mapping) }

  private func finish(_ pass: Pass, _ index: Int) throws {
    try save()
    report(pass, index, 1)
  }

  /// Calls a method of a policy, and adds the names of the mapping and the method to an error of the policy.
  ///
  /// If the migration was cancelled during the call, throws the error of the cancellation, even if the method
  /// succeeds.
  private func step(_ plan: MappingPlan, _ method: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      try state.checkCancellation()
      throw MigrationErrors.policyFailed(error, plan, method)
    }
    try state.checkCancellation()
  }

  private func report(_ pass: Pass, _ index: Int, _ part: Float) {
    let mappings = pass.rawValue * Float(plans.count) + Float(index) + part
    state.setProgress(mappings / Float(Pass.allCases.count * plans.count))
  }

  // MARK: Objects

  private func forEachSource(
    of plan: MappingPlan,
    _ index: Int,
    _ body: (NSManagedObject) throws -> Void
  ) throws {
    let objects = try SourceObjects(plan, manager)
    let size = min(objects.size, batchSize(objects.count))
    for range in Batches(count: objects.count, size: size) {
      for object in try objects.objects(range) { try body(object) }
      try save()
      report(.instances, index, Float(range.upperBound) / Float(objects.count))
      try state.checkCancellation()
    }
  }

  private func forEachDestination(
    of plan: MappingPlan,
    _ index: Int,
    _ body: (NSManagedObject) throws -> Void
  ) throws {
    var pairs = state.instances.pairs(of: plan.name)
    let keys = pairs.uniqueDestinations
    // Expressions read both objects of each pair, so that the rows of a batch are read together. Without
    // expressions, the policy gets faults.
    let readsRows = !plan.relationships.isEmpty
    for range in Batches(count: keys.count, size: batchSize(keys.count)) {
      let batch = Array(keys[range])
      if readsRows {
        try forEachRow(of: batch, plan, &pairs, body)
      } else {
        for object in destination.faults(batch) { try body(object) }
      }
      try save()
      report(.relationships, index, Float(range.upperBound) / Float(keys.count))
      try state.checkCancellation()
    }
  }

  /// Calls `body` with each object that still has a row.
  ///
  /// Reads the rows of the objects and of their sources, and the members of the to-manys, together.
  private func forEachRow(
    of keys: [ObjectKey],
    _ plan: MappingPlan,
    _ pairs: inout KeyPairs,
    _ body: (NSManagedObject) throws -> Void
  ) throws {
    let options = FetchOptions(paths: plan.destinationPaths)
    let objects = try destination.objects(ofBatch: keys, options)
    // Retained, so that the policy finds the sources without reading them one by one.
    let sources = try readSources(of: keys, plan, &pairs)
    try withExtendedLifetime(sources) {
      for object in objects where !object.isFault || object.chunk != nil { try body(object) }
    }
  }

  /// Returns the number of objects for each batch, with which the rows of a batch take about `Batches.bytes`
  /// bytes.
  ///
  /// The size of a row is estimated as the size of the source's file divided by `count`.
  private func batchSize(_ count: Int) -> Int {
    let average = manager.source.fileSize / max(count, 1)
    return max(Batches.smallSize, min(Batches.usualSize, Batches.bytes / max(average, 1)))
  }

  private func readSources(
    of keys: [ObjectKey],
    _ plan: MappingPlan,
    _ pairs: inout KeyPairs
  ) throws -> [NSManagedObject] {
    let sources = Set(keys.compactMap { pairs.sources(of: $0).first })
    return try source.objects(
      ofBatch: sources.sorted { $0.raw < $1.raw },
      FetchOptions(paths: plan.sourcePaths)
    )
  }

  /// Saves the destination, and turns the objects of both contexts into faults to limit memory use.
  private func save() throws {
    do {
      try destination.save()
    } catch {
      throw MigrationErrors.unsaved(error)
    }
    state.instances.didSave()
    check.didSave()
    for context in [destination, source] {
      context.refreshAllObjects()
      // Ends the event, because the context retains the refreshed objects until then.
      context.processPendingChanges()
    }
  }
}

private struct SourceObjects {
  private let context: NSManagedObjectContext
  private let keys: [ObjectKey]
  private let options: FetchOptions
  /// The number of objects in a batch.
  let size: Int
  /// The value of a source expression that is not a fetch; nil for a fetch, whose objects are read in
  /// batches.
  private let given: [NSManagedObject]?

  /// - Throws: `NSMigrationError` if the source expression cannot be evaluated or does not evaluate to
  ///   managed objects, or if the fetch fails.
  init(_ plan: MappingPlan, _ manager: NSMigrationManager) throws {
    context = manager.sourceContext
    do {
      guard let request = try Self.request(plan, manager) else {
        let value = try plan.sourceValue()
        given = try Self.objects(value)
        (keys, options, size) = ([], FetchOptions(), Batches.usualSize)
        return
      }
      let fetch = try context.beginFetch(request)
      keys = try fetch.keys()
      options = fetch.options
      size = plan.source?.hasLargeValues == true ? Batches.smallSize : Batches.usualSize
      given = nil
    } catch {
      throw MigrationErrors.unevaluableSource(error, plan)
    }
  }

  /// Returns the request of the source expression; nil if the expression is not a fetch of objects.
  ///
  /// Without a source expression, returns a request for the objects of the source entity.
  private static func request(
    _ plan: MappingPlan,
    _ manager: NSMigrationManager
  ) throws -> NSFetchRequest<NSManagedObject>? {
    switch plan.mapping.sourceExpression?.term {
    case nil: return try manager.sourceRequest(entity: plan.mapping.sourceEntityName ?? "")
    case .fetch(let request, _, false)?:
      let value = try plan.value(PreparedTerm(request), nil, nil)
      guard case .opaque(let any) = value,
        let request = any as? NSFetchRequest<NSManagedObject>,
        request.resultType == .managedObjectResultType
      else { return nil }
      return request
    default: return nil
    }
  }

  private static func objects(_ value: Value) throws -> [NSManagedObject] {
    guard case .collection(let collection) = value else {
      throw EvaluationError(
        .invalidArgument,
        "The expression must evaluate to a collection of managed objects, not to \(value.kindName)"
      )
    }
    return try collection.members.map { member in
      guard case .object(let object) = member, let managed = object as? NSManagedObject else {
        throw EvaluationError(
          .invalidArgument,
          "The expression must evaluate to managed objects, but the collection contains \(member.kindName)"
        )
      }
      return managed
    }
  }

  var count: Int { given?.count ?? keys.count }

  func objects(_ range: Range<Int>) throws -> [NSManagedObject] {
    if let given { return Array(given[range]) }
    return try context.objects(ofBatch: Array(keys[range]), options)
  }
}

/// The consecutive ranges of `size` indices into which `count` objects are divided; the last may be shorter.
struct Batches: Sequence, IteratorProtocol {
  static let usualSize = 512
  /// The size for an entity with external storage, whose values can be large.
  static let smallSize = 16
  /// The approximate size of a batch's rows in bytes.
  static let bytes = 8 << 20

  private let count: Int
  private let size: Int
  private var start = 0

  init(count: Int, size: Int) {
    self.count = count
    self.size = size
  }

  mutating func next() -> Range<Int>? {
    if start >= count { return nil }
    defer { start += size }
    return start..<Swift.min(start + size, count)
  }
}

extension MappingPlan {
  fileprivate func sourceValue() throws -> Value {
    guard let term = mapping.sourceExpression?.term else { return .null }
    return try value(PreparedTerm(term), nil, nil)
  }
}

extension NSEntityDescription {
  fileprivate var hasLargeValues: Bool {
    attributesByName.values.contains(where: \.allowsExternalBinaryDataStorage)
  }
}
