// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import Testing
import _CoreDataModel
import _CoreDataSQLite

/// Migrations that fail at each statement and at each call of the system: the store is the old one or the new
/// one, and the next opening goes on.
@Suite struct FailedMigrationTests {
  /// Five kinds: a column is added, columns are dropped, an entity is renamed, links move to a join table, the
  /// hierarchy changes.
  static let kinds: [(name: String, old: String, new: String)] = {
    let text = #"optional="YES" attributeType="String""#
    func entity(_ name: String, _ body: String, _ more: String = "") -> String {
      "<entity name=\"\(name)\" \(more)>\(body)</entity>"
    }
    func attribute(_ name: String, _ more: String = "") -> String {
      "<attribute name=\"\(name)\" \(text) \(more)/>"
    }
    func link(_ name: String, _ to: String, _ inverse: String, many: Bool) -> String {
      "<relationship name=\"\(name)\" optional=\"YES\" \(many ? "toMany=\"YES\"" : "maxCount=\"1\"") "
        + "deletionRule=\"Nullify\" destinationEntity=\"\(to)\" inverseName=\"\(inverse)\" "
        + "inverseEntity=\"\(to)\"/>"
    }
    let three = attribute("a") + attribute("b") + attribute("c")
    let given = #"<attribute name="d" attributeType="String" defaultValueString="x"/>"#
    return [
      ("added", entity("E", three), entity("E", three + given)),
      ("dropped", entity("E", three), entity("E", attribute("c"))),
      ("renamed", entity("E", three), entity("F", three, #"elementID="E""#) + entity("A", "")),
      (
        "linked",
        entity("E", link("f", "F", "e", many: false))
          + entity("F", link("e", "E", "f", many: true)),
        entity("E", link("f", "F", "e", many: true)) + entity("F", link("e", "E", "f", many: true))
      ),
      (
        "moved",
        entity("E", attribute("a")) + entity("F", attribute("b"), #"parentEntity="E""#),
        entity("E", attribute("a") + attribute("b")) + entity("F", "", #"parentEntity="E""#)
          + entity("G", "", #"parentEntity="E""#)
      ),
    ]
  }()

  private struct Setting {
    let file: MigratedFile
    let old: ModelDraft
    let new: ModelDraft
    let before: StoreContent
    let tables: [String]

    init(_ kind: (name: String, old: String, new: String), in folder: URL? = nil) throws {
      old = try InferredMigrationTests.draft(kind.old)
      new = try InferredMigrationTests.draft(kind.new)
      file = try folder.map(MigratedFile.init) ?? MigratedFile()
      let definition = try ModelDefinition(old)
      try file.open(old) { context, _ in
        var content = RandomContent(definition, seed: 3)
        content.objectsOfEach = 20
        _ = try content.fill(context)
      }
      before = try file.content(old)
      tables = try SQLFile(url: file.url).content()
    }

    func migration(_ options: SQLiteStoreOptions) throws -> StoreMigration {
      let mapping = try ModelMapping(
        inferredFrom: ModelDefinition(old),
        to: ModelDefinition(new)
      )
      return StoreMigration(mapping, options: options)
    }

    func requireMigrated() throws {
      let laws = MigrationLaws(
        mapping: try ModelMapping(
          inferredFrom: ModelDefinition(old),
          to: ModelDefinition(new)
        ),
        before: before,
        after: try file.content(new)
      )
      #expect(laws.violations() == [])
      #expect(try file.fileViolations(ModelDefinition(new)) == [])
    }
  }

  @Test("A migration that fails at any statement leaves the store as it was", arguments: 0..<5)
  func statements(_ kind: Int) throws {
    let setting = try Setting(Self.kinds[kind])
    var number = 0
    while true {
      let left = Countdown(number)
      let observer = StatementObserver(onStart: left.started)
      var options = SQLiteStoreOptions(path: setting.file.url.path)
      options.observer = observer
      do {
        _ = try setting.migration(options).run()
        break
      } catch is Countdown.Stop {
        #expect(
          try SQLFile(url: setting.file.url).content() == setting.tables,
          "statement \(number)"
        )
        number += 1
      }
    }
    #expect(number > 8)
    try setting.requireMigrated()
  }

  /// Fails the n-th statement.
  private final class Countdown: @unchecked Sendable {
    // Unchecked: called on the thread that migrates.
    struct Stop: Error {}
    private var left: Int
    init(_ number: Int) { left = number }

    func started(_ text: String) throws {
      left -= 1
      if left == -1 { throw Stop() }
    }
  }

  @Test("A migration whose n-th call of the system fails leaves the old store or the new one")
  func calls() async {
    await #expect(processExitsWith: .success) {
      for kind in Self.kinds.indices { try Self.failCalls(kind, .fails) }
    }
  }

  @Test("A migration whose calls fail from the n-th on leaves the old store or the new one")
  func lastingFailures() async {
    await #expect(processExitsWith: .success) {
      for kind in Self.kinds.indices { try Self.failCalls(kind, .failsForGood) }
    }
  }

  private static func failCalls(_ kind: Int, _ fate: EngineCalls.Fate) throws {
    var number = 0
    var setting = try Setting(kinds[kind])
    while true {
      let migration = try setting.migration(SQLiteStoreOptions(path: setting.file.url.path))
      EngineCalls.stop(after: number, fate)
      var failure: (any Error)?
      do {
        _ = try migration.run()
      } catch {
        failure = error
      }
      let wasStopped = EngineCalls.end()
      if failure != nil, try SQLFile(url: setting.file.url).content() == setting.tables {
        number += 1
        continue
      }
      try setting.requireMigrated()
      if !wasStopped { break }
      setting = try Setting(kinds[kind])
      number += 1
    }
    try #require(number > 10)
  }

  // MARK: Killed

  /// Where a test of the process `id` leaves the store that its children migrate.
  private static func folder(of id: Int32) -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("migration-killed-\(id)")
  }

  /// Migrates the store in its parent's folder, and is killed at the call whose number is there; or after all,
  /// with a mark.
  private static func migrateAndDie() throws {
    let folder = folder(of: getppid())
    let text = try String(contentsOf: folder.appendingPathComponent("number"), encoding: .utf8)
    let numbers = text.split(separator: " ").compactMap { Int($0) }
    let kind = kinds[numbers[0]]
    let mapping = try ModelMapping(
      inferredFrom: ModelDefinition(InferredMigrationTests.draft(kind.old)),
      to: ModelDefinition(InferredMigrationTests.draft(kind.new))
    )
    let path = folder.appendingPathComponent("store.sqlite").path
    EngineCalls.stop(after: numbers[1], .kills)
    _ = try StoreMigration(mapping, options: SQLiteStoreOptions(path: path)).run()
    try Data().write(to: folder.appendingPathComponent("done"))
    kill(getpid(), SIGKILL)
  }

  @Test(
    "A migration that is killed at a call of the system leaves the old store or the new one, and can be repeated",
    .serialized,
    arguments: 0..<5
  )
  func killed(_ kind: Int) async throws {
    let folder = Self.folder(of: getpid())
    var random = RandomSteps(state: UInt64(kind) + 1)
    var number = 0
    var outcomes: Set<String> = []
    while true {
      let setting = try Setting(Self.kinds[kind], in: folder)
      try Data("\(kind) \(number)".utf8).write(to: folder.appendingPathComponent("number"))
      await #expect(processExitsWith: .signal(SIGKILL)) {
        try FailedMigrationTests.migrateAndDie()
      }
      let isDone = FileManager.default.fileExists(
        atPath: folder.appendingPathComponent("done").path
      )
      if try SQLFile(url: setting.file.url).content() == setting.tables {
        outcomes.insert("old")
        try setting.file.migrate(to: setting.new)
      } else {
        outcomes.insert("new")
      }
      try setting.requireMigrated()
      if isDone { break }
      number += ModelStep.runsAll ? 1 : 1 + random.below(16)
    }
    #expect(number > 10)
    #expect(outcomes == ["old", "new"])
  }
}
