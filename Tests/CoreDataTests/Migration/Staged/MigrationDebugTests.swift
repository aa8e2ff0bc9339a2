// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// What the diagnostic levels of migrations write to standard error.
@Suite struct MigrationDebugTests {
  private static func migrate() throws {
    let stage = StagedModels.custom(1, 2)
    stage.label = "Nicknames"
    try StagedStore(1).migrate(to: 3, [stage, StagedModels.lightweight(3)])
  }

  private func lines(_ result: ExitTest.Result?) -> [String] {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      .split(separator: "\n").map(String.init).filter { $0.hasPrefix("CoreData: migration") }
  }

  @Test("Level 1 writes the steps of a staged migration, and the time of each")
  func steps() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("COREDATA_MIGRATION_DEBUG", "1", 1)
      try Self.migrate()
    }
    let lines = lines(result)
    #expect(lines.count == 3, "\(lines)")
    #expect(lines.first?.contains(", steps: ") == true)
    #expect(lines.first?.contains("(custom stage “Nicknames”); ") == true)
    #expect(lines.dropFirst().allSatisfy { $0.hasSuffix("ms") })
  }

  @Test("Level 2 adds what a step does to each table, and level 3 the statements")
  func statements() async {
    let second = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("COREDATA_MIGRATION_DEBUG", "2", 1)
      try Self.migrate()
    }
    let tables = lines(second)
    #expect(tables.contains("CoreData: migration: ZPERSON: add column ZNICK"), "\(tables)")
    #expect(!tables.contains { $0.contains("ALTER TABLE") })
    let third = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("COREDATA_MIGRATION_DEBUG", "3", 1)
      try Self.migrate()
    }
    #expect(lines(third).contains { $0.contains("ALTER TABLE ZPERSON ADD COLUMN ZNICK") })
  }

  @Test("Without a level nothing is written")
  func silent() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      unsetenv("COREDATA_MIGRATION_DEBUG")
      try Self.migrate()
    }
    #expect(lines(result) == [])
  }
}
