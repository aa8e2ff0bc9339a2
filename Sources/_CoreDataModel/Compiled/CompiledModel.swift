// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Compiled models: `.mom` files, and `.momd` folders of several versions.
///
///     let draft = try CompiledModel.draft(at: url, predicates: predicates)
///     try CompiledModel.write([("Shop", model)], current: "Shop", to: folder, predicates: predicates)
package enum CompiledModel {
  /// The model in a `.mom`, in the current version of a `.momd`, or in an optimised `.omo`.
  ///
  /// The `.mom` beside an `.omo` is read in its place: both say the same.
  /// - Throws: `ModelError` with the file.
  package static func draft(
    at url: URL,
    predicates: any ArchivedPredicates
  ) throws -> ModelDraft {
    let file = try file(at: url)
    do {
      var draft = try ModelArchive.draft(read(file), predicates: predicates)
      draft.file = file.path
      return draft
    } catch var error as ModelError {
      error.file = error.file ?? file.path
      throw error
    }
  }

  /// The `.mom` files of a folder, by version name as people order them (2 before 10).
  ///
  /// - Throws: `ModelError` where there is no such folder, or none in it.
  package static func versions(of folder: URL) throws -> [(name: String, file: URL)] {
    // The error of this type names the folder.
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
      throw ModelError(file: folder.path, reason: "there is no such model folder")
    }
    let versions = names.filter { $0.hasSuffix(".mom") }.map { String($0.dropLast(".mom".count)) }
    if versions.isEmpty {
      throw ModelError(file: folder.path, reason: "the folder holds no .mom")
    }
    return versions.sorted(by: naturallyLess)
      .map { ($0, folder.appendingPathComponent($0 + ".mom")) }
  }

  /// What a folder says about its versions; empty where it has no such file.
  ///
  /// - Throws: `ModelError` where the file is damaged.
  package static func info(of folder: URL) throws -> VersionInfo {
    let file = folder.appendingPathComponent(VersionInfo.fileName)
    guard FileManager.default.fileExists(atPath: file.path) else { return VersionInfo() }
    do {
      return try VersionInfo(read(file))
    } catch var error as ModelError {
      error.file = error.file ?? file.path
      throw error
    }
  }

  /// Writes one `.mom`.
  ///
  /// - Throws: as `ModelArchive.archive`, and Foundation's errors where it cannot be written.
  package static func write(
    _ model: ModelDefinition,
    to file: URL,
    predicates: any ArchivedPredicates
  ) throws {
    try ModelArchive.archive(model, form: .compiled, predicates: predicates)
      .write(to: file, options: .atomic)
  }

  /// Writes a `.momd`: a `.mom` for each version, and `VersionInfo.plist`.
  ///
  /// - Throws: as `write` of one model.
  package static func write(
    _ versions: [(name: String, model: ModelDefinition)],
    current: String,
    to folder: URL,
    predicates: any ArchivedPredicates
  ) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var info = VersionInfo()
    info.currentVersion = current
    for (name, model) in versions {
      let hashes = ModelHashes(model: model)
      info.hashes[name] = hashes.byEntity
      info.checksums[name] = hashes.checksum
      try write(model, to: folder.appendingPathComponent(name + ".mom"), predicates: predicates)
    }
    try info.data.write(
      to: folder.appendingPathComponent(VersionInfo.fileName),
      options: .atomic
    )
  }

  // MARK: Files

  private static func file(at url: URL) throws -> URL {
    switch url.pathExtension {
    case "momd": return try currentFile(of: url)
    case "omo":
      let plain = url.deletingPathExtension().appendingPathExtension("mom")
      if FileManager.default.fileExists(atPath: plain.path) { return plain }
      throw ModelError(
        file: url.path,
        reason: "it is an optimised model, whose layout is not published; "
          + "the .mom that the compiler wrote beside it is missing"
      )
    default: return url
    }
  }

  /// What `VersionInfo.plist` names; the only version where there is one.
  private static func currentFile(of folder: URL) throws -> URL {
    let versions = try versions(of: folder)
    if versions.count == 1 { return versions[0].file }
    let list = folder.appendingPathComponent(VersionInfo.fileName)
    guard FileManager.default.fileExists(atPath: list.path) else {
      throw ModelError(
        file: folder.path,
        reason: "its VersionInfo.plist, which names the current version, is missing; it holds "
          + versions.map(\.name).joined(separator: ", ")
      )
    }
    guard let current = try info(of: folder).currentVersion else {
      throw ModelError(file: folder.path, reason: "its VersionInfo.plist names no current version")
    }
    guard let found = versions.first(where: { $0.name == current }) else {
      throw ModelError(file: folder.path, reason: "the current version “\(current)” does not exist")
    }
    return found.file
  }

  private static func read(_ file: URL) throws -> Data {
    do {
      return try Data(contentsOf: file)
    } catch {
      throw ModelError(file: file.path, reason: "the file cannot be read")
    }
  }
}
