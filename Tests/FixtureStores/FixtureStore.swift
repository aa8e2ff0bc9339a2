// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite

/// A store of somebody's app, and the source of its model where the collection has one.
package struct FixtureStore: Sendable, CustomStringConvertible {
  package let name: String
  /// File of the model whose hashes are the store's; nil where only the store itself has it.
  package let modelFile: String?
  package var description: String { name }

  /// Every seventh store, or all with `COREDATA_ALL_FIXTURES`; those with oddities of their own always.
  package static let chosen: [FixtureStore] = {
    if ProcessInfo.processInfo.environment["COREDATA_ALL_FIXTURES"] != nil { return all }
    let odd = [
      "SampleModel2_V1", "kik.sqlite", "RKSeedDatabase", "ArtsyPartner_2.0", "Bookmarks_V3",
      "ContactsV2", "store2-80-0", "SampleModel_V2", "Moody_2", "CallHistory",
    ]
    return all.filter { store in odd.contains { store.name.contains($0) } }
  }()

  /// The stores of the collection, by name.
  package static let all: [FixtureStore] = {
    let folder = Self.folder.appendingPathComponent("stores").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let models = modelFiles()
    return names.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
      .map { FixtureStore(name: $0, modelFile: models[$0]) }
  }()

  /// `COREDATA_SHARED`, else `../shared` beside the package.
  package static let folder: URL = {
    let shared =
      ProcessInfo.processInfo.environment["COREDATA_SHARED"].map { URL(fileURLWithPath: $0) }
      ?? URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("shared")
    return shared.appendingPathComponent("fixtures")
  }()

  /// Whether the collection is there.
  package static var isThere: Bool {
    FileManager.default.fileExists(atPath: folder.appendingPathComponent("stores").path)
  }

  /// Store → model, as the collection's index has them.
  private static func modelFiles() -> [String: String] {
    let index = folder.appendingPathComponent("INDEX.md")
    guard let text = try? String(contentsOf: index, encoding: .utf8) else { return [:] }
    var files: [String: String] = [:]
    for line in text.split(separator: "\n") where line.hasPrefix("| ") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard let cell = cells.first(where: { $0.contains(".contents (") }),
        let name = cell.split(separator: " ").first, let counts = cell.split(separator: "(").last
      else { continue }
      let numbers = counts.dropLast().split(separator: "/")
      if numbers.count == 2, numbers[0] == numbers[1],
        FileManager.default.fileExists(atPath: folder.appendingPathComponent("models/\(name)").path)
      {
        files[cells[0]] = String(name)
      }
    }
    return files
  }

  /// Copies the file and its log into a folder, readable and writable.
  package func copy(to folder: URL) throws -> String {
    let target = folder.appendingPathComponent("fixture.sqlite")
    try? FileManager.default.removeItem(at: target)
    try Data(contentsOf: Self.folder.appendingPathComponent("stores/\(name)")).write(to: target)
    if let log = try? Data(contentsOf: Self.folder.appendingPathComponent("stores/\(name)-wal")) {
      try log.write(to: URL(fileURLWithPath: target.path + "-wal"))
    }
    return target.path
  }

  /// The model from its source, else what the file keeps; nil where there is neither.
  package func model(storedAt path: String) throws -> ModelDefinition? {
    if let modelFile {
      let file = Self.folder.appendingPathComponent("models/\(modelFile)")
      return try ModelDefinition(ModelFile.draft(at: file))
    }
    let stored = try StoredModel.read(path: path)
    return stored.source == .cache ? try ModelDefinition(stored.draft) : nil
  }
}
