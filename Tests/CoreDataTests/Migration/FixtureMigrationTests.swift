// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import FixtureStores
import Testing
import _CoreDataModel
import _CoreDataTools

/// The model histories of other people's apps: each version's store becomes one of the next, or is refused.
@Suite("Model histories", .enabled(if: FixtureStore.isThere, "no shared folder"))
struct FixtureMigrationTests {
  @Test(
    "A store of random valid data is migrated in place as by a manager, or refused with the reason",
    arguments: ModelStep.chosen
  )
  func neighbours(_ step: ModelStep) throws {
    guard let models = StepModels(step) else {
      return MigrationTally.note("unreadable", step)
    }
    if models.areEqual { return MigrationTally.note("same", step) }
    let (old, new) = (models.old, models.new)
    let file = try MigratedFile()
    let count = try file.open(old.model) { context, _ in
      var content = RandomContent(old.definition, seed: ModelStep.seed)
      return try content.fill(context)
    }
    let mapping: ModelMapping
    do {
      mapping = try ModelMapping(inferredFrom: old.definition, to: new.definition)
    } catch let failure as InferenceFailure {
      try Self.checkRefusal(file, new, failure)
      return MigrationTally.note("refused", step, failure)
    }
    let before = try file.content(old)
    let wasSound = try file.findings(old.definition).isEmpty
    let copy = try file.copy()
    do {
      try file.migrate(to: new)
    } catch let error as NSError where MigrationTally.isAboutRows(error) {
      #expect(try file.content(old) == before)
      return MigrationTally.note("refused for its rows", step, error)
    }
    let after = try file.content(new)
    let laws = MigrationLaws(mapping: mapping, before: before, after: after)
    #expect(Array(laws.violations().prefix(8)) == [], "\(step)")
    #expect(try file.violations(mapping, wasSound: wasSound) == [], "\(step)")
    MigrationTally.note("migrated", step, objects: count)
    let refusal = try ManagerMigration.check(copy, models, mapping, inPlace: after, "\(step)")
    MigrationTally.note(
      refusal == nil ? "two ways" : "in place only",
      step,
      refusal,
      objects: after.objects.count
    )
  }

  private static func checkRefusal(
    _ file: MigratedFile,
    _ new: StepModels.Version,
    _ failure: InferenceFailure
  ) throws {
    let before = try SQLFile(url: file.url).content()
    let error = #expect(throws: NSError.self) { try file.migrate(to: new) }
    #expect(error?.code == NSMigrationMissingMappingModelError)
    let reason = error?.localizedFailureReason ?? ""
    for obstacle in failure.obstacles {
      let place = obstacle.entity + (obstacle.property.map { "." + $0 } ?? "")
      #expect(reason.contains(place), "\(reason)")
    }
    #expect(try SQLFile(url: file.url).content() == before)
  }
}

extension MigratedFile {
  /// What is wrong with the file after a migration, without mandatory relationships that old rows do not have.
  func violations(_ mapping: ModelMapping, wasSound: Bool) throws -> [String] {
    let missing = mapping.mandatoryLinks
    return try fileViolations(mapping.destination, wasSound: wasSound)
      .filter { violation in !missing.contains { violation.contains($0) } }
  }
}

extension ModelMapping {
  /// Relationships that are mandatory now and were not: rows without a destination fail the next validation.
  fileprivate var mandatoryLinks: [String] {
    destination.entities.flatMap { entity in
      entity.properties.filter { property in
        property.relationship != nil && !property.isOptional
          && source(of: property.slot, in: entity.index)?.isOptional ?? true
      }.map { "\(entity.name).\($0.name)" }
    }
  }
}
