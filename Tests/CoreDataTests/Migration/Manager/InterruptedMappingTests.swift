// SPDX-License-Identifier: Apache-2.0

import CoreData
import FixtureStores
import Testing

/// Migrations with a mapping model whose calls of the system fail, or whose process is killed at one: each store
/// is the old one or the new one with its large values, and the next opening goes on.
@Suite(.serialized) struct InterruptedMappingTests {
  enum Kind: Int, CaseIterable, Sendable {
    /// The store is added by a program with a mapping model.
    case added
    /// The source and the destination of a manager are one store.
    case inPlace
    /// The manager makes a new file.
    case newFile
  }

  /// The kinds whose files are there.
  static let kinds = Kind.allCases.filter { $0 != .added || FixtureStore.isThere }

  /// A store to be migrated, in a folder that is removed with this object.
  private final class Setting {
    let kind: Kind
    let folder: URL
    private let tables: [String]
    private let notes: NotesMigration?
    private let fixture: MappingFixture?

    var source: URL { Self.source(kind, folder) }
    /// The store that is old or new.
    var store: URL { kind == .newFile ? folder.appendingPathComponent("Entries.sqlite") : source }

    static func source(_ kind: Kind, _ folder: URL) -> URL {
      folder.appendingPathComponent(kind == .added ? "source.sqlite" : "Notes.sqlite")
    }

    init(_ kind: Kind, _ folder: URL) throws {
      self.kind = kind
      self.folder = folder
      // A test that failed may have left it.
      try? FileManager.default.removeItem(at: folder)
      if kind == .added {
        notes = nil
        fixture = try MappingFixture.groceries(folder: folder)
      } else {
        fixture = nil
        notes = try NotesMigration(folder: folder, photos: true)
        try notes?.fill(4)
      }
      tables = try SQLFile(url: Self.source(kind, folder)).content()
    }

    /// Migrates the store of a setting, which may be that of another process.
    static func migrate(_ kind: Kind, _ folder: URL) throws {
      if kind == .added {
        _ = try MappingFixture.add(in: folder)
        return
      }
      // The process that fills the folder removes it.
      let notes = Unmanaged.passRetained(try NotesMigration(folder: folder, photos: true))
        .takeUnretainedValue()
      let url = kind == .inPlace ? notes.sourceURL : notes.destinationURL
      try notes.migrate(to: url)
    }

    func migrate() throws {
      guard let notes else { return try Self.migrate(kind, folder) }
      try notes.migrate(to: store)
    }

    /// Whether the store is the new one; anything but the old one or the new one fails the test.
    func isNew(_ place: String) throws -> Bool {
      let content = try SQLFile(url: source).content()
      if kind == .newFile {
        try #require(content == tables, "\(place)")
        return FileManager.default.fileExists(atPath: store.path)
      }
      return content != tables
    }

    /// Checks the new store as a program sees it that adds it, and that no other files are left.
    func requireNew(_ place: String) throws {
      if let notes {
        let entries = try notes.migrated("Entry", by: "rank", at: store)
        try #require(
          entries.map { $0["text"] as? String } == (0..<4).map { "text \($0)" },
          "\(place)"
        )
        let photos = entries.map { $0["photo"] as? Data }
        let expected = [NotesMigration.photo(0), NotesMigration.photo(1), nil, nil]
        try #require(photos == expected, "\(place)")
        let shelves = entries.map { ($0["shelf"] as? NSManagedObject)?["label"] as? String }
        try #require(shelves == (0..<4).map { "folder \($0 % 2)" }, "\(place)")
      } else {
        let context = try MappingFixture.add(in: folder)
        let units = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Unit"))
        try #require(Set(units.map { $0["name"] as? String }) == ["kg", "litre"], "\(place)")
      }
      let file = SQLFile(url: store)
      try #require(try file.texts("PRAGMA integrity_check") == ["ok"], "\(place)")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      try #require(names.allSatisfy { !$0.contains("migration") }, "\(place): \(names)")
    }
  }

  private static func folder(_ name: String, _ kind: Kind, _ process: Int32) -> URL {
    FileManager.default.temporaryDirectory
      .appendingPathComponent("mapping-\(name)-\(kind.rawValue)-\(process)")
  }

  /// The distance of the calls that are tried.
  private static func step(_ random: inout RandomSteps) -> Int {
    ModelStep.runsAll ? 1 : 1 + random.below(24)
  }

  // MARK: Calls that fail

  private static func failCalls(_ kind: Kind, _ fate: EngineCalls.Fate) throws {
    var random = RandomSteps(state: UInt64(kind.rawValue) + 1)
    let parent = folder("failed", kind, getpid())
    defer { try? FileManager.default.removeItem(at: parent) }
    // A folder for each setting, because the former one removes its folder later.
    func settingFolder(_ number: Int) -> URL { parent.appendingPathComponent("\(number)") }
    var number = 0
    var setting = try Setting(kind, settingFolder(number))
    while true {
      EngineCalls.stop(after: number, fate)
      var failure: (any Error)?
      do {
        try setting.migrate()
      } catch {
        failure = error
      }
      let wasStopped = EngineCalls.end()
      let place = "\(kind), call \(number): \(failure.map { "\($0)" } ?? "no error")"
      if try setting.isNew(place) {
        try setting.requireNew(place)
        if !wasStopped { break }
        setting = try Setting(kind, settingFolder(number + 1))
      } else {
        try #require(failure != nil, "\(place)")
        let names = try FileManager.default.contentsOfDirectory(atPath: setting.folder.path)
        try #require(names.allSatisfy { !$0.contains("migration") }, "\(place): \(names)")
      }
      number += step(&random)
    }
    if ModelStep.runsAll { print("MAPPING \(kind) \(fate): \(number) calls") }
    try #require(number > 50)
  }

  @Test("A migration whose n-th call of the system fails leaves the old store or the new one")
  func calls() async {
    await #expect(processExitsWith: .success) {
      for kind in Self.kinds { try Self.failCalls(kind, .fails) }
    }
  }

  @Test("A migration whose calls fail from the n-th on leaves the old store or the new one")
  func lastingFailures() async {
    await #expect(processExitsWith: .success) {
      for kind in Self.kinds { try Self.failCalls(kind, .failsForGood) }
    }
  }

  // MARK: Killed

  /// Migrates the store of the parent process, and is killed at the call whose number is in the folder; or after
  /// all, with a mark.
  private static func migrateAndDie(_ kind: Kind) throws {
    let folder = folder("killed", kind, getppid())
    let text = try String(contentsOf: folder.appendingPathComponent("number"), encoding: .utf8)
    EngineCalls.stop(after: Int(text) ?? 0, .kills)
    try Setting.migrate(kind, folder)
    try Data().write(to: folder.appendingPathComponent("done"))
    kill(getpid(), SIGKILL)
  }

  @Test(
    "A migration that is killed at a call of the system leaves the old store or the new one, and can be repeated",
    arguments: kinds
  )
  func killed(_ kind: Kind) async throws {
    let folder = Self.folder("killed", kind, getpid())
    var random = RandomSteps(state: UInt64(kind.rawValue) + 1)
    var number = 0
    var outcomes: Set<Bool> = []
    while true {
      let setting = try Setting(kind, folder)
      try Data("\(number)".utf8).write(to: folder.appendingPathComponent("number"))
      switch kind {
      case .added:
        await #expect(processExitsWith: .signal(SIGKILL)) { try Self.migrateAndDie(.added) }
      case .inPlace:
        await #expect(processExitsWith: .signal(SIGKILL)) { try Self.migrateAndDie(.inPlace) }
      case .newFile:
        await #expect(processExitsWith: .signal(SIGKILL)) { try Self.migrateAndDie(.newFile) }
      }
      let isDone = FileManager.default.fileExists(
        atPath: folder.appendingPathComponent("done").path
      )
      let place = "\(kind), call \(number)"
      let isNew = try setting.isNew(place)
      outcomes.insert(isNew)
      if !isNew { try setting.migrate() }
      try setting.requireNew(place)
      if isDone { break }
      number += Self.step(&random)
    }
    if ModelStep.runsAll { print("MAPPING \(kind) killed: \(number) calls") }
    #expect(number > 50)
    #expect(outcomes == [false, true])
  }

  // MARK: At once

  private static func addAndCheck() throws {
    let context = try MappingFixture.add(in: folder("both", .added, getppid()))
    let units = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Unit"))
    try #require(Set(units.map { $0["name"] as? String }) == ["kg", "litre"])
  }

  private static func expectAdded() async {
    await #expect(processExitsWith: .success) { try Self.addAndCheck() }
  }

  @Test(
    "Of several processes that add an old store at once one migrates it, and all have it",
    .enabled(if: FixtureStore.isThere, "no shared folder")
  )
  func atOnce() async throws {
    for round in 0..<3 {
      let setting = try Setting(.added, Self.folder("both", .added, getpid()))
      async let first: Void = Self.expectAdded()
      async let second: Void = Self.expectAdded()
      async let third: Void = Self.expectAdded()
      _ = await (first, second, third)
      try setting.requireNew("round \(round)")
    }
  }
}
