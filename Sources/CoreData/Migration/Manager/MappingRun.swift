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
  /// The limits of a sample; nil if all objects are migrated.
  private let sample: MappingTimes.Limits?
  /// The measured times of the mappings; nil if all objects are migrated.
  private var times: MappingTimes?
  /// Retained, because each new object would otherwise create a registry.
  private let detachedRegistry: AnyObject?
  private var state: MigrationState { manager.state }
  private var source: NSManagedObjectContext { manager.sourceContext }
  private var destination: NSManagedObjectContext { manager.destinationContext }

  init(
    _ manager: NSMigrationManager,
    _ plans: [MappingPlan],
    sample: MappingTimes.Limits? = nil
  ) {
    self.manager = manager
    self.plans = plans
    self.sample = sample
    check = DestinationCheck(manager.destinationContext)
    detachedRegistry = manager.destinationContext.frozenModel?.detachedRegistry
  }

  /// Migrates, saves and validates all objects.
  ///
  /// - Throws: the errors of `NSMigrationManager.migrateStore`.
  func run() throws {
    check.begin()
    source.validation.reportUndecodable = { [state] object, property in
      state.undecoded = state.undecoded ?? UndecodedValue(object: object, property: property)
    }
    defer {
      check.end()
      source.validation.reportUndecodable = nil
    }
    for index in plans.indices { try createInstances(index) }
    for index in plans.indices { try createRelationships(index) }
    for index in plans.indices { try validate(index) }
    try check.complete()
    if let record = state.record {
      for plan in plans { record(plan.name, state.instances.pairs(of: plan.name)) }
    }
  }

  /// Migrates a sample of each mapping's objects, and returns the average seconds per object for each
  /// mapping.
  ///
  /// The result contains nil for a mapping that fails, or whose sample is too small to be measured.
  func measure() -> [Double?] {
    check.begin()
    defer { check.end() }
    var failed: Set<Int> = []
    let times = MappingTimes(count: plans.count)
    self.times = times
    for pass in [createInstances, createRelationships] {
      for index in plans.indices where !failed.contains(index) {
        do { try pass(index) } catch { failed.insert(index) }
      }
    }
    return plans.indices.map { failed.contains($0) ? nil : times.rate($0) }
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

  private func begin(_ plan: MappingPlan) { state.setCurrentPlan(plan) }

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
    if let value = state.undecoded {
      throw MigrationErrors.undecodable(value.property, of: value.object, in: plan)
    }
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
    if plan.destination != nil { state.instances.reserve(objects.count, mapping: plan.name) }
    let size = min(objects.size, batchSize(objects.count))
    times?.begin(index)
    for range in Batches(count: objects.count, size: size) {
      for object in try objects.objects(range) { try body(object) }
      try save()
      if let sample, let times, times.endBatch(index, range.count, sample) { break }
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
    var readsSources = plan.readsSourceRows
    times?.begin(index)
    for range in Batches(count: keys.count, size: batchSize(keys.count)) {
      let batch = Array(keys[range])
      if let sample {
        try addPartners(of: batch.compactMap { pairs.sources(of: $0).first }, plan, sample)
        times?.restart()
      }
      if readsRows {
        var entries = batch.map { RelatedEntry(key: $0, source: pairs.sources(of: $0).first) }
        try findUnrelated(&entries, plan)
        // Retained, so that the policy finds the objects without reading them one by one.
        let sources = try readSources(entries, plan, rows: readsSources)
        try forEachRow(of: entries, plan, sources, body)
        // A policy that reads attributes of sources does so in each batch.
        if !readsSources { readsSources = sources.values.contains { !$0.isFault } }
      } else {
        for object in destination.faults(batch) { try body(object) }
      }
      try save()
      if let sample, let times, times.endBatch(index, range.count, sample) { break }
      report(.relationships, index, Float(range.upperBound) / Float(keys.count))
      try state.checkCancellation()
    }
  }

  /// Calls `body` with the objects that have rows; without a policy, leaves out the unrelated ones.
  ///
  /// Their rows, the members of their to-manys, and the objects to which look-ups connect them are read
  /// together.
  private func forEachRow(
    of entries: [RelatedEntry],
    _ plan: MappingPlan,
    _ sources: [ObjectKey: NSManagedObject],
    _ body: (NSManagedObject) throws -> Void
  ) throws {
    let visited = plan.hasOwnPolicy ? entries : entries.filter { !$0.isUnrelated }
    let objects = try destination.objects(ofBatch: visited.map(\.key), FetchOptions())
    let related = zip(objects, visited).compactMap { $1.isUnrelated ? nil : $0 }
    try destination.graph.prefetch(plan.destinationPaths, of: related)
    let partners = try readPartners(of: sources.values, plan)
    // A subclass of the manager can associate objects in another way.
    let isPlain = type(of: manager) == NSMigrationManager.self
    defer { state.relatedPair = nil }
    try withExtendedLifetime(partners) {
      for (object, entry) in zip(objects, visited) where !object.isFault || object.chunk != nil {
        if isPlain {
          state.relatedPair = .init(
            destination: object,
            source: entry.source.flatMap { sources[$0] },
            mapping: plan.mapping,
            isUnrelated: entry.isUnrelated
          )
        }
        try body(object)
      }
    }
  }

  /// Marks the objects whose to-manys are empty in both stores.
  ///
  /// Does nothing if the plan has other relationships, if a source has several destinations, or if there are
  /// unsaved changes.
  private func findUnrelated(_ entries: inout [RelatedEntry], _ plan: MappingPlan) throws {
    guard plan.setsOnlyToManys, type(of: manager) == NSMigrationManager.self,
      !destination.hasChanges, !source.hasChanges,
      let first = entries.first, let firstSource = first.source,
      entries.allSatisfy({
        $0.key.entity == first.key.entity && $0.source?.entity == firstSource.entity
      })
    else { return }
    let sources = entries.compactMap(\.source)
    if Set(sources).count != entries.count { return }
    var isUnrelated = [Bool](repeating: true, count: entries.count)
    for property in plan.relationships {
      guard let key = property.lookUp?.key, let model = source.frozenModel,
        let slot = model.definition.entities[firstSource.entity].slotByName[key]
      else { return }
      let before = try source.loadMembers(of: sources, slot: slot)
      let after = try destination.loadMembers(
        of: entries.map(\.key),
        slot: property.definition.slot
      )
      if before.count != entries.count || after.count != entries.count { return }
      for (index, members) in zip(before, after).enumerated() {
        if !members.0.isEmpty || !members.1.isEmpty { isUnrelated[index] = false }
      }
    }
    for index in entries.indices { entries[index].isUnrelated = isUnrelated[index] }
  }

  /// Returns the number of objects whose rows take about `Batches.bytes` bytes, for use as the batch size.
  ///
  /// The size of a row is estimated as the size of the source's file divided by `count`.
  private func batchSize(_ count: Int) -> Int {
    let average = manager.source.fileSize / max(count, 1)
    return max(Batches.smallSize, min(Batches.usualSize, Batches.bytes / max(average, 1)))
  }

  /// Reads source objects and the members of their to-manys; returns faults if `rows` is false.
  private func readSources(
    _ entries: [RelatedEntry],
    _ plan: MappingPlan,
    rows: Bool
  ) throws -> [ObjectKey: NSManagedObject] {
    let keys = Set(entries.compactMap { $0.isUnrelated ? nil : $0.source })
    let sorted = keys.sorted { $0.raw < $1.raw }
    let objects: [NSManagedObject]
    if rows {
      objects = try source.objects(ofBatch: sorted, FetchOptions(paths: plan.sourcePaths))
    } else {
      objects = source.faults(sorted)
      try source.graph.prefetch(plan.sourcePaths, of: objects)
    }
    return Dictionary(zip(sorted, objects)) { first, _ in first }
  }

  /// Reads the destination objects to which the look-ups of the plan will connect the batch.
  private func readPartners(
    of sources: some Collection<NSManagedObject>,
    _ plan: MappingPlan
  ) throws -> [NSManagedObject] {
    var keys: Set<ObjectKey> = []
    for lookUp in plan.relationships.compactMap(\.lookUp) {
      for source in sources {
        for key in source.relatedKeys(lookUp.key) ?? [] {
          // Further objects are read one at a time, which limits the memory used.
          if keys.count >= 2 * sources.count { break }
          keys.formUnion(state.instances.savedDestinations(of: key, mapping: lookUp.mapping))
        }
      }
    }
    return try destination.objects(ofBatch: keys.sorted { $0.raw < $1.raw }, FetchOptions())
  }

  /// Creates the destination objects that the look-ups of a sample's batch must find, so that setting the
  /// links of the batch takes as long as in a whole migration.
  private func addPartners(
    of sources: [ObjectKey],
    _ plan: MappingPlan,
    _ sample: MappingTimes.Limits
  ) throws {
    for lookUp in plan.relationships.compactMap(\.lookUp) {
      guard let target = plans.first(where: { $0.name == lookUp.mapping }) else { continue }
      let objects = source.faults(sources)
      try source.graph.prefetch(plan.sourcePaths, of: objects)
      let related = objects.flatMap { $0.relatedKeys(lookUp.key) ?? [] }
      let missing = Set(related).filter {
        state.instances.savedDestinations(of: $0, mapping: lookUp.mapping).isEmpty
      }
      let keys = missing.sorted { $0.raw < $1.raw }.prefix(sample.size)
      for object in try source.objects(ofBatch: Array(keys), FetchOptions()) {
        try target.policy.createDestinationInstances(
          forSource: object,
          in: target.mapping,
          manager: manager
        )
      }
      try save()
    }
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

/// A destination object whose relationships are to be set.
private struct RelatedEntry {
  let key: ObjectKey
  /// The first source; nil for an object that a policy did not associate.
  let source: ObjectKey?
  /// Whether the object's to-manys and those of its source are empty, so that none is set.
  var isUnrelated = false
}

extension NSManagedObject {
  /// Returns the keys of the destinations of a relationship; nil for other properties.
  ///
  /// The row of the object is read only for a to-one.
  func relatedKeys(_ name: String) -> [ObjectKey]? {
    guard let slot = entityDefinition.slotByName[name], let graph = context?.graph else {
      return nil
    }
    let property = entityDefinition.properties[slot]
    if property.isToMany { return graph.memberKeys(self, slot: slot) }
    return property.isToOne ? [graph.reference(self, slot: slot)].compactMap(\.self) : nil
  }
}
