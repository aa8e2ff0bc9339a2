// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import FixtureStores
import Testing
import _CoreDataModel
import _CoreDataTools

/// The model histories of other people's apps: a store of the first version becomes one of the last.
@Suite("Chains of model versions", .enabled(if: FixtureStore.isThere, "no shared folder"))
struct FixtureChainTests {
  @Test(
    "A store goes through all versions as in one step, and every law holds after each",
    arguments: ModelStep.chains
  )
  func chain(_ model: String) throws {
    let files = ModelStep.histories[model] ?? []
    var versions: (first: StepModels.Version, last: StepModels.Version)?
    var lastFile: URL?
    var run = ChainRun()
    for file in files {
      guard let version = StepModels.Version(file) else { continue }
      if let versions {
        let step = ModelStep(model: model, from: lastFile ?? file, to: file)
        try run.migrate(step, StepModels(old: versions.last, new: version))
      }
      versions = (versions?.first ?? version, version)
      lastFile = file
    }
    MigrationTally.note("chain of \(run.mappings.count) steps", model)
    guard let versions, files.count > 2 else { return }
    try Self.compare(run, model, StepModels(old: versions.first, new: versions.last))
  }

  /// The chain's result equals that of one step from the first version to the last, if both are possible.
  private static func compare(_ run: ChainRun, _ model: String, _ models: StepModels) throws {
    guard let copy = run.first, let before = run.before else { return }
    let direct: ModelMapping
    do {
      direct = try ModelMapping(inferredFrom: models.old.definition, to: models.new.definition)
    } catch {
      return MigrationTally.note(
        run.isWhole ? "only the chain" : "neither way",
        model,
        run.refusal ?? error
      )
    }
    do {
      try copy.migrate(to: models.new)
    } catch let error as NSError where MigrationTally.isAboutRows(error) {
      return MigrationTally.note("not in one step for its rows", model, error)
    }
    guard run.isWhole, let file = run.file else {
      return MigrationTally.note("only in one step", model, run.refusal)
    }
    let inOneStep = try copy.content(models.new)
    var agreement = ChainAgreement(chain: run.mappings, direct: direct, before: before)
    let violations = agreement.violations(try file.content(models.new), inOneStep)
    #expect(Array(violations.prefix(8)) == [], "\(model)")
    #expect(agreement.compared + agreement.excused > 0 || before.objects.isEmpty)
    MigrationTally.note(
      "chain agrees: \(agreement.compared) compared, \(agreement.excused) not",
      model,
      objects: inOneStep.objects.count
    )
  }
}

/// A store on its way through the versions of a model.
private struct ChainRun {
  private(set) var file: MigratedFile?
  /// A copy of the store of the first version, and its objects.
  private(set) var first: MigratedFile?
  private(set) var before: StoreContent?
  private(set) var mappings: [ModelMapping] = []
  /// Whether one store went through all versions.
  private(set) var isWhole = true
  /// Why it did not.
  private(set) var refusal: (any Error)?

  /// Migrates the store; a step that is refused ends the way of this store, and the next step has a new one.
  mutating func migrate(_ step: ModelStep, _ models: StepModels) throws {
    let file = try self.file ?? Self.store(models)
    if first == nil {
      before = try file.content(models.old)
      first = try file.copy()
    }
    self.file = nil
    do {
      let mapping = try ModelMapping(inferredFrom: models.old.definition, to: models.new.definition)
      let before = try file.content(models.old)
      let wasSound = try file.findings(models.old.definition).isEmpty
      try file.migrate(to: models.new)
      let after = try file.content(models.new)
      let laws = MigrationLaws(mapping: mapping, before: before, after: after)
      #expect(Array(laws.violations().prefix(8)) == [], "\(step)")
      #expect(try file.violations(mapping, wasSound: wasSound) == [], "\(step)")
      mappings.append(mapping)
      self.file = file
    } catch let error
      where error is InferenceFailure || MigrationTally.isAboutRows(error as NSError)
    {
      isWhole = false
      refusal = refusal ?? error
    }
  }

  private static func store(_ models: StepModels) throws -> MigratedFile {
    let file = try MigratedFile()
    try file.open(models.old.model) { context, _ in
      var content = RandomContent(models.old.definition, seed: ModelStep.seed &+ 4)
      _ = try content.fill(context)
    }
    return file
  }
}
