// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Staged migrations whose process is killed while a handler runs.
@Suite struct StagedKillTests {
  enum Moment: String { case will, did }

  private static func folder(_ moment: Moment, _ process: Int32) -> String {
    "staged-\(moment.rawValue)-\(process)"
  }

  /// V1 → V2 by a custom stage, then V3; `handler` runs at one moment of the stage.
  private static func stages(
    _ moment: Moment,
    _ handler: @escaping (NSStagedMigrationManager) throws -> Void
  ) -> [NSMigrationStage] {
    let stage = StagedModels.custom(1, 2)
    switch moment {
    case .will: stage.willMigrateHandler = { manager, _ in try handler(manager) }
    case .did: stage.didMigrateHandler = { manager, _ in try handler(manager) }
    }
    return [stage, StagedModels.lightweight(3)]
  }

  /// Migrates the store of the parent process, and is killed with unsaved changes in a handler.
  private static func die(_ moment: Moment) throws {
    let store = StagedStore(folder: folder(moment, getppid()))
    try store.migrate(
      to: 3,
      stages(moment) { manager in
        let context = try #require(manager.container?.newBackgroundContext())
        context.performAndWait {
          NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            .setValue("Unsaved", forKey: "name")
        }
        kill(getpid(), SIGKILL)
      }
    )
  }

  private func proceed(_ moment: Moment, version: Int) throws {
    let store = StagedStore(folder: Self.folder(moment, getpid()))
    #expect(try store.version == version)
    #expect(try SQLFile(url: store.url).texts("PRAGMA integrity_check") == ["ok"])
    var calls = 0
    let people = try store.migrate(to: 3, Self.stages(moment) { _ in calls += 1 })
    #expect(people == ["Ada none", "Bob none"])
    #expect(calls == 1)
    let names = try FileManager.default.contentsOfDirectory(atPath: store.folder.path)
    #expect(names.filter { $0.hasSuffix("-migration") } == [])
  }

  @Test(
    "A process that is killed before a step leaves the current version, and the next one goes on"
  )
  func before() async throws {
    let store = try StagedStore(1, folder: Self.folder(.will, getpid()))
    await #expect(processExitsWith: .signal(SIGKILL)) { try Self.die(.will) }
    try withExtendedLifetime(store) { try proceed(.will, version: 1) }
  }

  @Test("A process that is killed after a step leaves the next version, and its handler runs again")
  func after() async throws {
    let store = try StagedStore(1, folder: Self.folder(.did, getpid()))
    await #expect(processExitsWith: .signal(SIGKILL)) { try Self.die(.did) }
    try withExtendedLifetime(store) { try proceed(.did, version: 2) }
  }
}
