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

  // MARK: Calls

  private static let fates: [EngineCalls.Fate] = [.kills, .fails, .failsForGood]

  private static let ends: @convention(c) (CInt) -> Void = { _ in kill(getpid(), SIGKILL) }

  /// Migrates the store of the parent process, whose call with a number fails or is the last one; ends with SIGKILL.
  ///
  /// A fault that cannot be read ends the process, too, where Apple's framework raises an exception.
  private static func migrateAndDie(_ kind: Kind) throws {
    let folder = folder("stopped", kind, getppid())
    let text = try String(contentsOf: folder.appendingPathComponent("number"), encoding: .utf8)
    let numbers = text.split(separator: " ").compactMap { Int($0) }
    for number in [SIGILL, SIGTRAP] { signal(number, ends) }
    EngineCalls.stop(after: numbers[1], fates[numbers[0]])
    var mark = "migrated"
    do {
      try Setting.migrate(kind, folder)
    } catch {
      mark = "refused"
    }
    if !EngineCalls.end() { mark = "done" }
    try Data().write(to: folder.appendingPathComponent(mark))
    kill(getpid(), SIGKILL)
  }

  @Test(
    "A migration whose calls of the system fail, or that is killed at one, leaves the old store or the new one",
    arguments: kinds,
    0..<3
  )
  func stopped(_ kind: Kind, _ fate: Int) async throws {
    let folder = Self.folder("stopped", kind, getpid())
    var random = RandomSteps(state: UInt64(kind.rawValue * 3 + fate) + 1)
    var number = 0
    var outcomes: Set<Bool> = []
    while true {
      let setting = try Setting(kind, folder)
      try Data("\(fate) \(number)".utf8).write(to: folder.appendingPathComponent("number"))
      switch kind {
      case .added:
        await #expect(processExitsWith: .signal(SIGKILL)) { try Self.migrateAndDie(.added) }
      case .inPlace:
        await #expect(processExitsWith: .signal(SIGKILL)) { try Self.migrateAndDie(.inPlace) }
      case .newFile:
        await #expect(processExitsWith: .signal(SIGKILL)) { try Self.migrateAndDie(.newFile) }
      }
      let place = "\(kind), \(Self.fates[fate]), call \(number)"
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      let isNew = try setting.isNew(place)
      outcomes.insert(isNew)
      if names.contains("refused"), !isNew {
        try #require(names.allSatisfy { !$0.contains("migration") }, "\(place): \(names)")
      }
      if names.contains("migrated") { try #require(isNew, "\(place)") }
      if !isNew { try setting.migrate() }
      try setting.requireNew(place)
      if names.contains("done") { break }
      number += ModelStep.runsAll ? 1 : 1 + random.below(120)
    }
    if ModelStep.runsAll { print("MAPPING \(kind) \(Self.fates[fate]): \(number) calls") }
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
