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
    "A store of random valid data is migrated in place, or refused with what stands in the way",
    arguments: ModelStep.chosen
  )
  func neighbours(_ step: ModelStep) throws {
    guard let drafts = Self.drafts(step) else {
      return MigrationTally.note("unreadable", step)
    }
    let (old, new) = (try ModelDefinition(drafts.old), try ModelDefinition(drafts.new))
    if ModelHashes(model: old).byEntity == ModelHashes(model: new).byEntity {
      return MigrationTally.note("same", step)
    }
    FixtureTransformers.register(for: old)
    FixtureTransformers.register(for: new)
    let file = try MigratedFile()
    let count = try file.open(drafts.old) { context, _ in
      var content = RandomContent(old, seed: 7)
      return try content.fill(context)
    }
    let mapping: ModelMapping
    do {
      mapping = try ModelMapping(inferredFrom: old, to: new)
    } catch let failure as InferenceFailure {
      try Self.checkRefusal(file, drafts.new, failure)
      return MigrationTally.note("refused", step, failure)
    }
    let before = try file.content(drafts.old)
    let wasSound = try file.findings(old).isEmpty
    do {
      try file.migrate(to: drafts.new)
    } catch let error as NSError where MigrationTally.isAboutRows(error) {
      #expect(try file.content(drafts.old) == before)
      return MigrationTally.note("refused for its rows", step)
    }
    let after = try file.content(drafts.new)
    let laws = MigrationLaws(mapping: mapping, before: before, after: after)
    #expect(Array(laws.violations().prefix(8)) == [], "\(step)")
    let missing = Self.mandatoryLinks(mapping)
    let violations = try file.fileViolations(new, wasSound: wasSound)
      .filter { violation in !missing.contains { violation.contains($0) } }
    #expect(violations == [], "\(step)")
    MigrationTally.note("migrated", step, objects: count)
  }

  /// Relationships that are mandatory now and were not: rows without a destination fail the next validation.
  private static func mandatoryLinks(_ mapping: ModelMapping) -> [String] {
    mapping.destination.entities.flatMap { entity in
      entity.properties.filter { property in
        property.relationship != nil && !property.isOptional
          && mapping.source(of: property.slot, in: entity.index)?.isOptional ?? true
      }.map { "\(entity.name).\($0.name)" }
    }
  }

  /// Nil where one of the files is no sound model.
  private static func drafts(_ step: ModelStep) -> (old: ModelDraft, new: ModelDraft)? {
    guard let old = try? step.draft(step.from), let new = try? step.draft(step.to),
      (try? ModelDefinition(old)) != nil, (try? ModelDefinition(new)) != nil
    else { return nil }
    return (old, new)
  }

  private static func checkRefusal(
    _ file: MigratedFile,
    _ draft: ModelDraft,
    _ failure: InferenceFailure
  ) throws {
    let before = try SQLFile(url: file.url).content()
    let error = #expect(throws: NSError.self) { try file.migrate(to: draft) }
    #expect(error?.code == NSMigrationMissingMappingModelError)
    let reason = error?.localizedFailureReason ?? ""
    for obstacle in failure.obstacles {
      let place = obstacle.entity + (obstacle.property.map { "." + $0 } ?? "")
      #expect(reason.contains(place), "\(reason)")
    }
    #expect(try SQLFile(url: file.url).content() == before)
  }
}
