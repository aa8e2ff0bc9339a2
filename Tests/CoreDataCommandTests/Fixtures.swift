// SPDX-License-Identifier: Apache-2.0

import Foundation
import SharedFolder

/// Copies of real stores and models, in a folder of their own.
struct Fixtures {
  let folder: URL

  /// Names of the stores and models that most tests read.
  static let journal = "CoderDream__Core-Data-by-Tutorials__SurfJournalModel.sqlite"
  static let journalModel = "CoderDream__Core-Data-by-Tutorials__SurfJournalDatabase.contents"
  static let system = "log2timeline__plaso__RMAdminStore-Local.sqlite"
  static let cars = "alemar11__CoreDataPlus__SampleModel_V2.sqlite"
  static let carsModel = "alemar11__CoreDataPlus__SampleModel__SampleModel2.contents"

  static let shared = Shared.root
  static var isThere: Bool {
    FileManager.default.fileExists(atPath: shared.appendingPathComponent("fixtures").path)
  }

  /// Whether the sqlite3 program, the second opinion of these tests, is there too.
  static var areComparable: Bool {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return isThere
      && folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/sqlite3") }
  }

  /// What a compiler needs to know of this build to compile its clients; nil where it is not there.
  static let compilerArguments: [String]? = {
    let built = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let sources = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Sources")
    var maps = [
      built.appendingPathComponent("CCoreDataObjectLifetime.build/module.modulemap"),
      sources.appendingPathComponent("CCoreDataSQLite/module.modulemap"),
      sources.appendingPathComponent("CCoreDataZlib/module.modulemap"),
    ]
    // A library that was built with the trait PostgreSQL needs the header of libpq, from Debian's folder.
    let modules = built.appendingPathComponent("Modules")
    let usesPostgres = FileManager.default.fileExists(
      atPath: modules.appendingPathComponent("_CoreDataPostgres.swiftmodule").path
    )
    if usesPostgres {
      maps.append(sources.appendingPathComponent("CCoreDataPostgres/module.modulemap"))
    }
    let includes = usesPostgres ? ["-Xcc", "-I/usr/include/postgresql"] : []
    let needed = maps + [modules.appendingPathComponent("CoreData.swiftmodule")]
    guard needed.allSatisfy({ FileManager.default.fileExists(atPath: $0.path) }) else { return nil }
    return ["-swift-version", "6", "-I", modules.path] + includes
      + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
  }()

  /// A new folder below the temporary one.
  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("coredata-command-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Copies a store with its log and gives the path of the copy.
  func store(_ name: String, as copy: String = "store.sqlite") throws -> String {
    let target = folder.appendingPathComponent(copy)
    let source = Self.shared.appendingPathComponent("fixtures/stores/\(name)")
    try Data(contentsOf: source).write(to: target)
    if let log = try? Data(contentsOf: URL(fileURLWithPath: source.path + "-wal")) {
      try log.write(to: URL(fileURLWithPath: target.path + "-wal"))
    }
    return target.path
  }

  /// Copies a model and gives the path of the copy.
  func model(_ name: String, as copy: String = "Model.contents") throws -> String {
    let target = folder.appendingPathComponent(copy)
    try Data(
      contentsOf: Self.shared.appendingPathComponent("fixtures/models/\(name)")
    ).write(to: target)
    return target.path
  }

  /// Copies a folder of compiled models.
  func compiledModel(_ name: String, as copy: String) throws {
    let source = Self.shared.appendingPathComponent("fixtures/compiled/\(name)")
    let target = folder.appendingPathComponent(copy)
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    for file in try FileManager.default.contentsOfDirectory(atPath: source.path) {
      try Data(contentsOf: source.appendingPathComponent(file))
        .write(to: target.appendingPathComponent(file))
    }
  }

  /// The names, sizes and contents of everything in the folder, to tell that nothing changed.
  func state() throws -> [String: Data] {
    var state: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      state[name] = try? Data(contentsOf: folder.appendingPathComponent(name))
    }
    return state
  }
}
