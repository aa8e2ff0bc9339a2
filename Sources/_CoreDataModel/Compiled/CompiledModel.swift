// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads and writes compiled models: `.mom` files, and `.momd` folders with one or more versions.
///
/// In a `.momd` folder that this library has written, a version that cannot be compiled is replaced by an
/// `.xcdatamodel` folder with its source.
///
///     let draft = try CompiledModel.draft(at: url, predicates: predicates)
///     try CompiledModel.write([("Shop", model)], current: "Shop", to: folder, predicates: predicates)
package enum CompiledModel {
  /// Returns the model of a `.mom` file, of the current version of a `.momd` folder, or of an `.omo` file.
  ///
  /// An `.omo` file is an optimised copy of a `.mom` file; the `.mom` file beside it is read instead.
  /// - Throws: `ModelError`, with the path of the file or folder, if no model can be read from it.
  package static func draft(
    at url: URL,
    predicates: any ArchivedPredicates
  ) throws -> ModelDraft {
    let file = try file(at: url)
    if file.pathExtension == sourceExtension { return try ModelFile.draft(at: file) }
    do {
      var draft = try ModelArchive.draft(read(file), predicates: predicates)
      draft.file = file.path
      return draft
    } catch var error as ModelError {
      error.file = error.file ?? file.path
      throw error
    }
  }

  /// Returns the names of the versions in a folder, in their natural order (2 before 10), with their `.mom`
  /// files or, for versions that could not be compiled, their `.xcdatamodel` folders.
  ///
  /// - Throws: `ModelError` if the folder does not exist, cannot be read or contains no version.
  package static func versions(of folder: URL) throws -> [(name: String, file: URL)] {
    var extensions: [String: String] = [:]
    for item in try FolderContent.names(ofModelFolder: folder) {
      for kind in ["mom", sourceExtension] where item.hasSuffix(".\(kind)") {
        let name = String(item.dropLast(kind.count + 1))
        if kind == "mom" || extensions[name] == nil { extensions[name] = kind }
      }
    }
    if extensions.isEmpty {
      throw ModelError(
        file: folder.path,
        reason: "the folder contains no .mom file; compile the model again"
      )
    }
    return extensions.sorted { naturallyLess($0.key, $1.key) }
      .map { ($0.key, folder.appendingPathComponent("\($0.key).\($0.value)")) }
  }

  /// The extension of the folder with the source of a version that could not be compiled.
  private static let sourceExtension = "xcdatamodel"

  /// Returns the `VersionInfo.plist` of a `.momd` folder; an empty value if the folder does not have the
  /// file.
  ///
  /// - Throws: `ModelError`, with the path of the file, if the file cannot be read or is damaged.
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

  /// Writes one `.mom` file.
  ///
  /// - Throws: the errors of `ModelArchive.archive`, and Foundation's if the file cannot be written.
  package static func write(
    _ model: ModelDefinition,
    to file: URL,
    predicates: any ArchivedPredicates
  ) throws {
    try ModelArchive.archive(model, form: .compiled, predicates: predicates)
      .write(to: file, options: .atomic)
  }

  /// Writes a `.momd` folder: a `.mom` for each version, and `VersionInfo.plist`.
  ///
  /// `sources` maps the name of a version to the version's source file. If a version in `sources` cannot be
  /// compiled, the source file is copied into the folder.
  ///
  /// - Returns: the versions whose sources were copied, with the reasons.
  /// - Throws: the errors of `write(_:to:predicates:)` for versions without a source, and Foundation's if the
  ///   folder or one of its files cannot be written.
  @discardableResult
  package static func write(
    _ versions: [(name: String, model: ModelDefinition)],
    current: String,
    to folder: URL,
    predicates: any ArchivedPredicates,
    sources: [String: URL] = [:]
  ) throws -> [(version: String, reason: ModelError)] {
    var copied: [(version: String, reason: ModelError)] = []
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var info = VersionInfo()
    info.currentVersion = current
    for (name, model) in versions {
      let hashes = ModelHashes(model: model)
      info.hashes[name] = hashes.byEntity
      info.checksums[name] = hashes.checksum
      do {
        let file = folder.appendingPathComponent(name + ".mom")
        try write(model, to: file, predicates: predicates)
      } catch let error as ModelError {
        guard let source = sources[name] else { throw error }
        try copy(source, ofVersion: name, to: folder)
        copied.append((name, error))
      }
    }
    try info.data.write(
      to: folder.appendingPathComponent(VersionInfo.fileName),
      options: .atomic
    )
    return copied
  }

  /// Copies a version's source file into a `.momd` folder, so that the version can be read from the folder.
  ///
  /// - Throws: Foundation's errors if the file cannot be copied.
  package static func copy(_ source: URL, ofVersion name: String, to folder: URL) throws {
    let version = folder.appendingPathComponent("\(name).\(sourceExtension)")
    try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
    let data = try Data(contentsOf: source)
    try data.write(to: version.appendingPathComponent(source.lastPathComponent), options: .atomic)
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
        reason:
          "an optimised model (.omo) cannot be read, because its format is not published, and the .mom "
          + "file beside it is missing; restore the .mom file, or compile the model again"
      )
    default: return url
    }
  }

  /// Returns the file of the current version.
  ///
  /// If the folder has only one version, that version is current, and `VersionInfo.plist` is not read.
  private static func currentFile(of folder: URL) throws -> URL {
    let versions = try versions(of: folder)
    if versions.count == 1 { return versions[0].file }
    let list = folder.appendingPathComponent(VersionInfo.fileName)
    guard FileManager.default.fileExists(atPath: list.path) else {
      throw ModelError(
        file: folder.path,
        reason:
          "the file VersionInfo.plist is missing, so the current version is not known; the versions are "
          + versions.map(\.name).joined(separator: ", ")
          + ". Load one of the .mom files, or compile the model again"
      )
    }
    guard let current = try info(of: folder).currentVersion else {
      throw ModelError(
        file: folder.path,
        reason:
          "the file VersionInfo.plist has no string for NSManagedObjectModel_CurrentVersionName, so the "
          + "current version is not known; the versions are "
          + versions.map(\.name).joined(separator: ", ")
          + ". Load one of the .mom files, or compile the model again"
      )
    }
    guard let found = versions.first(where: { $0.name == current }) else {
      throw ModelError(
        file: folder.path,
        reason:
          "the file VersionInfo.plist names the current version “\(current)”, but the folder contains no "
          + "file \(current).mom; the versions are " + versions.map(\.name).joined(separator: ", ")
          + ". Load one of the .mom files, or compile the model again"
      )
    }
    return found.file
  }

  private static func read(_ file: URL) throws -> Data {
    do {
      return try Data(contentsOf: file)
    } catch {
      throw ModelError(
        file: file.path,
        reason: "the file cannot be read: \(error.localizedDescription)"
      )
    }
  }
}
