// SPDX-License-Identifier: Apache-2.0

import CoreData
import FixtureStores
import Testing
import _CoreDataModel
import _CoreDataTools

/// Stores of other people's apps whose model has later versions in the collection.
@Suite(
  "Migration of stores of the collection",
  .enabled(if: FixtureStore.isThere, "no shared folder")
)
struct FixtureStoreMigrationTests {
  /// A store, and a later version of its model.
  struct Case: Sendable, CustomStringConvertible {
    let store: FixtureStore
    let model: URL
    let from: URL
    var description: String { "\(store.name) → \(model.lastPathComponent.suffix(32))" }

    /// Each store with the next version and with the last one.
    static let all: [Case] = FixtureStore.all.flatMap { store -> [Case] in
      guard let file = store.modelFile else { return [] }
      for versions in ModelStep.histories.values {
        guard let index = versions.firstIndex(where: { $0.lastPathComponent == file }) else {
          continue
        }
        let later = versions[(index + 1)...]
        let chosen = later.count < 2 ? Array(later) : [later.first, later.last].compactMap(\.self)
        return chosen.map { Case(store: store, model: $0, from: versions[index]) }
      }
      return []
    }

    /// Every 16th, or all with `COREDATA_ALL_FIXTURES`.
    static let chosen: [Case] = ModelStep.sample(all, of: 16)
  }

  @Test("Every object and value of a copy is there after a migration", arguments: Case.chosen)
  func stores(_ step: Case) throws {
    guard let old = try? ModelDefinition(ModelOpening.draft(at: step.from)),
      let draft = try? ModelOpening.draft(at: step.model), let new = try? ModelDefinition(draft)
    else { return MigrationTally.note("unreadable", step) }
    if ModelHashes(model: old).byEntity == ModelHashes(model: new).byEntity {
      return MigrationTally.note("same", step)
    }
    FixtureTransformers.register(for: new)
    let file = try MigratedFile()
    let copy = try step.store.copy(to: file.folder)
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: copy + suffix) {
      try FileManager.default.moveItem(atPath: copy + suffix, toPath: file.url.path + suffix)
    }
    let before = try TableContent(file.url, old)
    let rows = try SQLFile(url: file.url).content(without: ["Z_METADATA"])
    let identifier = try SQLFile(url: file.url).texts("SELECT Z_UUID FROM Z_METADATA")
    let mapping: ModelMapping
    do {
      mapping = try ModelMapping(inferredFrom: old, to: new)
    } catch let failure as InferenceFailure {
      let error = #expect(throws: NSError.self) {
        try file.migrate(from: step.from, to: step.model)
      }
      #expect(error?.code == NSMigrationMissingMappingModelError)
      #expect(error?.localizedFailureReason?.contains(failure.obstacles[0].description) == true)
      #expect(try SQLFile(url: file.url).content(without: ["Z_METADATA"]) == rows)
      return MigrationTally.note("refused", step)
    }
    do {
      try file.migrate(from: step.from, to: step.model)
    } catch let error as NSError where MigrationTally.isAboutRows(error) {
      #expect(try SQLFile(url: file.url).content(without: ["Z_METADATA"]) == rows)
      return MigrationTally.note("refused for its rows", step)
    }
    let after = try TableContent(file.url, new)
    #expect(Array(after.violations(of: mapping, from: before).prefix(8)) == [])
    #expect(try SQLFile(url: file.url).texts("PRAGMA integrity_check") == ["ok"])
    #expect(try SQLFile(url: file.url).texts("SELECT Z_UUID FROM Z_METADATA") == identifier)
    let content = try file.content(draft)
    #expect(content.objects.count == after.values.count)
    MigrationTally.note("migrated", step, objects: after.values.count)
  }
}
